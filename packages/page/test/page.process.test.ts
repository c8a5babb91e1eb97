// The page at `/` as people read it: through the list, and by id, in a real browser, by keyboard alone.

import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  addPets,
  focusedName,
  listedIds,
  openAdding,
  openEachTest,
  openSignedIn,
  tabTo,
} from '../../../test/support/console.ts'
import { newPet } from '../../../test/support/pets.ts'
import { type Service, startService } from '../../../test/support/service.ts'
import { samplePets } from '../../client/src/samples.ts'

let service: Service
let page: Page
const { alert, press, type, animals } = openEachTest((opened) => {
  ;({ service, page } = opened)
})

const addAnimals = (count: number) => addPets(service, count, 'sold', 'available')

describe('the list', () => {
  test('of a category is one click from each animal: in the address, with status and search, exported, and offered', async () => {
    await addAnimals(6)
    const by = (await service.store.listKeys())[0]?.id as bigint
    for (const [name, status] of [
      ['Luna', 'available'],
      ['Rex', 'sold'],
    ] as const) {
      await service.store.createPet(newPet({ name, status, categoryId: -(2n ** 63n) }), by)
    }
    await openSignedIn(page, service.key)
    await page.getByRole('link', { name: 'Luna' }).click()
    await page.getByRole('link', { name: '-9223372036854775808' }).click()
    await page.getByText('2 animals').waitFor()
    expect(await listedIds(page)).toEqual(['7', '8'])
    expect(page.url()).toEndWith('/?category=-9223372036854775808')
    await page.getByRole('radio', { name: 'Sold' }).check()
    await page.getByText('1 animal', { exact: true }).waitFor()
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toBe('animals sold category -9223372036854775808.csv')
    expect(await Bun.file(await download.path()).text()).toEndWith('status\n8,Rex,-9223372036854775808,sold\n')
    await page.getByRole('radio', { name: 'Reserved' }).check()
    await page.getByText('No animal of category -9223372036854775808 is reserved.').waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByText('8 animals').waitFor()

    const field = page.getByLabel('Only category')
    await field.fill('7')
    await page.getByText('6 animals').waitFor()
    await field.fill('7 dogs')
    await page.getByText('A category is a whole number.').waitFor()
    await field.fill('')
    await page.getByText('8 animals').waitFor()
    const offered = () =>
      page
        .locator('datalist option')
        .evaluateAll((all) => all.map((one) => (one as unknown as { value: string }).value))
    expect(await offered()).toEqual(['7', '-9223372036854775808'])
    await openAdding(page)
    await type('Mia')
    await page.getByLabel('Category', { exact: true }).fill('99')
    await press('Enter')
    await page.getByText('9 animals').waitFor()
    expect(await offered()).toEqual(['99', '7', '-9223372036854775808'])
    for (const label of ['Category', 'Only category']) {
      expect(await page.getByLabel(label, { exact: true }).getAttribute('list')).toBe('categories')
    }
  })

  test('shows each of a thousand animals once, page by page, and goes back', async () => {
    await addAnimals(1_045)
    await openSignedIn(page, service.key)
    await page.getByText('1 – 20').waitFor()
    await tabTo(page, 'Per page')
    await press('End')
    await page.getByText('1 – 100').waitFor()
    await press('Shift+Tab')
    await press('Shift+Tab')
    expect(await focusedName(page)).toBe('Next')
    const seen: string[] = []
    for (let number = 1; ; number++) {
      await page.getByText(`· page ${number}`, { exact: true }).waitFor()
      seen.push(...(await listedIds(page)))
      if (seen.length >= 1_045) break
      await press('Enter')
    }
    expect(seen).toEqual(Array.from({ length: 1_045 }, (_, n) => String(n + 1)))
    await page.getByText('1,001 – 1,045 of 1,045').waitFor()
    expect(await focusedName(page)).toBe('Next')
    expect((await page.locator('.rows').boundingBox())?.y).toBeGreaterThan(-2)
    await press('Enter')
    await page.getByText('· page 11', { exact: true }).waitFor()
    await press('Shift+Tab')
    await press('Enter')
    await page.getByText('901 – 1,000').waitFor()
    await press('Shift+Tab')
    await press('Enter')
    await page.getByText('1 – 100').waitFor()
  })

  test('shows every name as it is: no markup, its own direction, its own spaces', async () => {
    const names = [
      '<img src=x onerror=alert(1)>',
      '&lt;b&gt;',
      'كلب صغير',
      '  two  spaces  ',
      "Robert'); DROP TABLE pets;--",
    ]
    const by = (await service.store.listKeys())[0]?.id as bigint
    for (const name of names) await service.store.createPet(newPet({ name, status: 'sold' }), by)
    await openSignedIn(page, service.key)
    await page.getByText('5 animals').waitFor()
    expect(await page.locator('.rows .name:not(.hint)').allTextContents()).toEqual(names)
    expect(
      await page.evaluate("getComputedStyle(document.querySelectorAll('.rows .name:not(.hint)')[2]).direction"),
    ).toBe('rtl')
    expect(await page.locator('main img').count()).toBe(0)
  })

  test('is filtered by status with the arrow keys', async () => {
    await addAnimals(4)
    await openSignedIn(page, service.key)
    await tabTo(page, 'All 4')
    await press('ArrowRight')
    await page.getByText('2 animals').waitFor()
    expect(await listedIds(page)).toEqual(['2', '4'])
    await press('ArrowRight')
    await page.getByText('No animal is reserved.').waitFor()
    await tabTo(page, 'Show all')
    await press('Enter')
    await page.getByText('4 animals').waitFor()
  })

  test('keeps its rows while the service does not respond, says so, and continues when it does', async () => {
    await addAnimals(45)
    await openSignedIn(page, service.key)
    await page.getByText('1 – 20').waitFor()
    await tabTo(page, 'Next')
    await service.server.stop(1_000)
    await press('Enter')
    await alert().getByText('The service is not responding.').waitFor()
    expect(await listedIds(page)).toHaveLength(20)
    const again = await startService({ store: service.store, port: service.port })
    await page.getByText('21 – 40').waitFor()
    await page.getByRole('status').getByText('The service is responding again.').waitFor()
    expect(await alert().count()).toBe(0)
    await again.server.stop(1_000)
  })

  test('of an empty store offers samples, and adds the rest after an interruption', async () => {
    await openSignedIn(page, service.key)
    await page.getByRole('heading', { name: 'No animals yet' }).waitFor()
    expect(await page.getByRole('button', { name: 'Add an animal' }).count()).toBe(1)
    expect(await page.getByRole('radio', { name: 'Sold' }).count()).toBe(0)
    let left = 33
    await page.route('**/v1/pets', async (route) => {
      if (route.request().method() !== 'POST' || left-- > 0) return route.continue()
      await route.fetch()
      return route.abort('connectionreset')
    })
    await tabTo(page, 'Load sample animals')
    await press('Enter')
    await alert().getByText('Not all samples were added.').waitFor()
    left = Number.POSITIVE_INFINITY
    await tabTo(page, 'Continue')
    await press('Enter')
    await page.getByText('1 – 20').waitFor()
    const names = (await animals()).map(({ name }) => name).toSorted()
    expect(names).toEqual(samplePets.map(({ name }) => name).toSorted())
  })
})
