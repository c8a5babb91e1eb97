// Several rows of the list at `/` at once: selected by mouse and by keys, deleted, released and exported, in a real browser.
// test/logic/selected.test.ts has what is done with each.

import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { accessibilityProblems } from '../../../test/support/browser.ts'
import { addPets, firstRows, focusedName, openEachTest, openSignedIn, refusal } from '../../../test/support/console.ts'
import { layoutProblems } from '../../../test/support/layout-problems.ts'
import type { Service } from '../../../test/support/service.ts'
import type { PetstoreClient } from '../../client/src/petstore.ts'
import { OVERLOADED } from '../../service/src/domain/petstore-error.ts'
import { PAGE_SIZE } from '../src/list/list-position.ts'
import { SHORTCUTS } from '../src/shortcuts.ts'

let service: Service
let page: Page
/** Of another till. */
let client: PetstoreClient
const { animals, dialog, go, hold, press, said } = openEachTest((opened) => {
  ;({ service, page, client } = opened)
})

const bar = () => page.getByRole('region', { name: 'Selected rows' })
const choice = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true })

test('several animals are deleted at once; what was not stays selected, is shown as it is now, and can be tried again', async () => {
  const total = PAGE_SIZE + 10
  await addPets(service, total, 'available', 'available')
  await openSignedIn(page, service.key)
  await page.getByText(firstRows(total)).waitFor()
  await page.getByRole('button', { name: 'Select' }).click()
  await choice(`All ${PAGE_SIZE} on this page`).check()
  await choice(`Pet ${PAGE_SIZE}`).uncheck()
  expect(await page.evaluate("document.querySelector('.rows thead input').indeterminate")).toBe(true)
  // The selection stays on the next page.
  await page.getByRole('button', { name: 'Next' }).click()
  await choice(`Pet ${PAGE_SIZE + 1}`).check()
  await bar().getByText(`${PAGE_SIZE} selected`).waitFor()
  expect(await accessibilityProblems(page)).toEqual([])
  for (const width of [320, 2560]) {
    await page.setViewportSize({ width, height: 700 })
    // There the bar covers no rows.
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    expect(await layoutProblems(page)).toEqual([])
  }
  await page.getByRole('button', { name: 'Previous' }).click()
  await page.getByText(firstRows(total)).waitFor()
  // Another till is quicker with one of them, and this one does not see it yet. Then the service is lost.
  const release = await hold('**/v1/pets?**')
  await client.updatePet(1n, { name: 'Luna' })
  let deletions = 0
  await page.route('**/v1/pets/*', (route) =>
    route.request().method() === 'DELETE' && ++deletions > 8 ? route.fulfill(refusal(OVERLOADED)) : route.continue(),
  )
  const deletes = async () => {
    await bar().getByRole('button', { name: 'Delete' }).click()
    await dialog().getByText('This cannot be undone. Animals with orders are kept.').waitFor()
    expect(await focusedName(page)).not.toBe('Delete')
    await dialog().getByRole('button', { name: 'Delete' }).click()
  }
  await deletes()
  await bar().getByText('8 deleted. 1 kept because another till has just changed it: Pet 1 (1).').waitFor()
  await bar().getByText(OVERLOADED.message.slice(0, -1)).waitFor()
  await page.unroute('**/v1/pets/*')
  release()
  await choice('Luna').waitFor()
  expect(await choice('Luna').isChecked()).toBe(true)
  await bar()
    .getByText(`${PAGE_SIZE - 8} selected`)
    .waitFor()
  await deletes()
  await said(`${PAGE_SIZE - 8} deleted.`)
  await bar().waitFor({ state: 'detached' })
  expect((await animals()).map(({ id }) => Number(id))).toEqual([
    PAGE_SIZE,
    ...Array.from({ length: 9 }, (_, n) => PAGE_SIZE + 2 + n),
  ])
})

test('several reservations are released by keys alone, and rows are exported', async () => {
  await addPets(service, 4, 'available', 'available')
  for (const petId of [1n, 2n]) await client.placeOrder({ petId, reference: 'Anna' })
  await openSignedIn(page, service.key)
  await page.getByText('For Anna').first().waitFor()
  for (let row = 0; row < 3; row++) {
    await press(SHORTCUTS.nextRow.key)
    await press(SHORTCUTS.choose.key)
  }
  await bar().getByText('3 selected').waitFor()
  expect(await focusedName(page)).toBe('Pet 3')
  await go('Release')
  await dialog().waitFor()
  await press('Enter')
  await bar().getByText('2 released. 1 not released because it is not reserved: Pet 3 (3).').waitFor()
  expect((await animals()).map(({ status }) => status)).toEqual(Array(4).fill('available'))
  const downloading = page.waitForEvent('download')
  await bar().getByRole('button', { name: 'Export' }).click()
  const text = await Bun.file(await (await downloading).path()).text()
  expect(text).toContain('3,Pet 3,7,available')
  await said('1 row was exported.')
  await press(SHORTCUTS.choose.key)
  await press('Escape')
  await bar().waitFor({ state: 'detached' })

  const { id } = await client.placeOrder({ petId: 1n })
  await page.getByRole('link', { name: 'Orders' }).click()
  await page.getByRole('button', { name: 'Select' }).click()
  await choice('All 1 on this page').check()
  expect(await bar().getByRole('button', { name: 'Delete' }).count()).toBe(0)
  await bar().getByRole('button', { name: 'Release' }).click()
  await dialog().getByRole('button', { name: 'Release' }).click()
  await said('1 released.')
  expect((await client.getOrder(id)).status).toBe('cancelled')
})
