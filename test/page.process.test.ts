// The page at `/` as people use it: each flow in a real browser, by keyboard alone.

import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { samplePets } from '../src/client/samples.ts'
import { FIELDS, LABELS } from '../src/console/draft.ts'
import { hashKey } from '../src/domain/keys.ts'
import {
  addPets,
  focusedName,
  listedIds,
  openAdding,
  openEachTest,
  openSignedIn,
  signIn,
  tabTo,
} from './support/console.ts'
import { newPet, petsOf } from './support/pets.ts'
import { type Service, startService, TODAY } from './support/service.ts'

setDefaultTimeout(30_000)

let service: Service
let page: Page
openEachTest((opened) => {
  ;({ service, page } = opened)
})

const alert = () => page.getByRole('alert')
const press = (key: string) => page.keyboard.press(key)
const type = (text: string) => page.keyboard.type(text)
const animals = async () => petsOf(await service.store.listPets({ limit: 200 }))

const addAnimals = (count: number) => addPets(service, count, 'sold', 'available')

describe('signing in', () => {
  test('keeps the key for this tab only, and out of the address', async () => {
    await openSignedIn(page, service.key)
    expect(page.url()).toBe(`${service.origin}/`)
    expect(await page.evaluate('JSON.stringify(localStorage)')).toBe('{}')
    expect(await page.evaluate('document.cookie')).toBe('')
    await page.reload()
    await page.getByRole('heading', { name: 'Animals', exact: true }).waitFor()
    const other = await page.context().newPage()
    await other.goto(`${service.origin}/`)
    await other.getByLabel('API key').waitFor()
  })

  test('shows the name and the end of the key, and asks only what the key is', async () => {
    const key = await service.addKey({ name: 'till 3', readOnly: true })
    const asked: string[] = []
    page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`))
    await openSignedIn(page, key)
    const bar = page.getByRole('banner')
    await bar.getByText(`Signed in with the key till 3 …${key.slice(-4)}`).waitFor()
    await bar.getByText('Read-only', { exact: true }).waitFor()
    expect(asked[0]).toBe('GET /key')
    expect(asked.filter((request) => !request.startsWith('GET '))).toEqual([])
    await page.reload()
    await bar.getByText('till 3', { exact: true }).waitFor()
  })

  test('a key is remembered on this device if the person asks for that, until signing out', async () => {
    await page.getByLabel('API key').waitFor()
    await page.getByLabel('Remember on this device').check()
    await page.getByLabel('API key').focus()
    await openSignedIn(page, service.key)
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).toBe('{}')
    const other = await page.context().newPage()
    await other.goto(`${service.origin}/`)
    await other.getByRole('button', { name: 'Sign out' }).click()
    await other.getByLabel('API key').waitFor()
    expect(await other.evaluate('JSON.stringify(localStorage)')).toBe('{}')
    await page.getByLabel('API key').waitFor()
  })

  test('signing out forgets the key and what was typed', async () => {
    await openSignedIn(page, service.key)
    await openAdding(page)
    await type('Half an ani')
    await press('Escape')
    await tabTo(page, 'Sign out')
    await press('Enter')
    await page.getByLabel('API key').waitFor()
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).toBe('{}')
  })

  test('says what is wrong with a key, at the field, and leaves it there', async () => {
    const expired = await service.addKey({ expiresAt: TODAY - 1 })
    for (const [key, words] of [
      ['not a key', 'This is not an API key.'],
      ['pets_live_ключ', 'This is not an API key.'],
      ['', 'Enter an API key.'],
      ['pets_live_0000000000000000000000', 'mistyped'],
      [expired, 'This API key is expired.'],
    ] as const) {
      await page.reload()
      await signIn(page, key)
      await alert().getByText(words).or(page.getByText(words)).waitFor()
      expect(await page.getByLabel('API key').inputValue()).toBe(key)
      expect(await page.getByLabel('API key').getAttribute('aria-invalid')).toBe('true')
      expect(await focusedName(page)).toBe('API key')
    }
  })

  test('keeps the typed key while the service does not respond', async () => {
    await service.server.stop(1_000)
    await signIn(page, service.key)
    await alert().getByText('The service is not responding.').waitFor()
    expect(await page.getByLabel('API key').inputValue()).toBe(service.key)
    const again = await startService({ store: service.store, port: service.port })
    await press('Enter')
    await page.getByRole('heading', { name: 'Animals', exact: true }).waitFor()
    await again.server.stop(1_000)
  })

  test('a key that is revoked in use leads to signing in, with the reason; the draft stays for the next key', async () => {
    await openSignedIn(page, service.key)
    await openAdding(page)
    await type('Rex')
    await press('Tab')
    await type('7')
    const id = (await service.store.findKey(hashKey(service.key)))?.id as bigint
    await service.store.revokeKey(id)
    await press('Enter')
    await alert().getByText('This API key is revoked.').waitFor()
    await openSignedIn(page, await service.addKey())
    await openAdding(page)
    expect(await page.getByLabel('Name').inputValue()).toBe('Rex')
    await press('Enter')
    await page.getByRole('region', { name: 'Just added' }).getByText('Rex').waitFor()
  })
})

describe('adding', () => {
  test('asks for every field of a new animal, and the table shows each', async () => {
    await addAnimals(1)
    await openSignedIn(page, service.key)
    await page.getByRole('columnheader').first().waitFor()
    expect(await page.getByRole('columnheader').allInnerTexts()).toEqual(['Id', ...Object.values(LABELS), 'Actions'])
    await openAdding(page)
    for (const field of FIELDS) expect(await page.locator(`[name="${field}"]`).count()).toBeGreaterThan(0)
  })

  test('shows each problem at its field, loses nothing, and then adds', async () => {
    await openSignedIn(page, service.key)
    await openAdding(page)
    expect(await focusedName(page)).toBe('Name')
    await type('   ')
    await press('Tab')
    await type('99999999999999999999')
    await press('Enter')
    const describedBy = async (label: string) => {
      const ids = await page.getByLabel(label, { exact: true }).getAttribute('aria-describedby')
      return page.locator(`#${ids?.split(' ')[0]}`).textContent()
    }
    await page.getByText('Name must contain').waitFor()
    expect(await describedBy('Name')).toStartWith('Name must contain')
    expect(await describedBy('Category')).toBe(
      'Category must be an integer from -9223372036854775808 to 9223372036854775807.',
    )
    expect(await focusedName(page)).toBe('Name')
    expect(await page.getByLabel('Name').inputValue()).toBe('   ')
    expect(await page.getByLabel('Category').inputValue()).toBe('99999999999999999999')

    await press('ControlOrMeta+A')
    await type('Luna')
    await press('Tab')
    await press('ControlOrMeta+A')
    await type('9223372036854775807')
    await press('Tab')
    await press('ArrowRight')
    await press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    const justAdded = page.getByRole('region', { name: 'Just added' })
    expect(await justAdded.textContent()).toContain('9223372036854775807')
    await page.getByRole('status').getByText('Luna was added. Its id is 1.').waitFor()
    expect(await animals()).toEqual([{ id: 1n, name: 'Luna', categoryId: 9223372036854775807n, status: 'pending' }])
    expect(await focusedName(page)).toBe('Add an animal')
  })

  test('text that is not a number is reported at its field, too', async () => {
    await openSignedIn(page, service.key)
    await openAdding(page)
    await tabTo(page, 'Category')
    await type('seven')
    await press('Enter')
    await page.getByText('Category must be a whole number.').waitFor()
    await page.getByText('Name is required.').waitFor()
    expect(await animals()).toEqual([])
  })

  test('an answer that was lost leads to a retry that cannot add twice', async () => {
    await openSignedIn(page, service.key)
    const sent: (string | undefined)[] = []
    let lose = true
    await page.route('**/v1/pets', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      sent.push(route.request().headers()['idempotency-key'])
      // The service gets it and adds it; its answer never arrives.
      if (!lose) return route.continue()
      await route.fetch()
      return route.abort('connectionreset')
    })
    await openAdding(page)
    await type('Rex')
    await press('Tab')
    await type('7')
    await press('Enter')
    await alert().getByText('The animal may have been added.').waitFor()
    expect(await page.getByLabel('Name').inputValue()).toBe('Rex')
    // Even a reload in between keeps the try.
    await page.reload()
    await page.getByRole('heading', { name: 'Animals', exact: true }).waitFor()
    lose = false
    await openAdding(page)
    await press('Enter')
    await page.getByRole('region', { name: 'Just added' }).getByText('Rex').waitFor()
    expect((await animals()).map(({ name }) => name)).toEqual(['Rex'])
    expect(sent.length).toBeGreaterThan(1)
    expect(new Set(sent).size).toBe(1)
  })

  test('a draft that was kept says so, and the problem of a field goes when the field is edited', async () => {
    await openSignedIn(page, service.key)
    await openAdding(page)
    await type(' ')
    await press('Enter')
    await page.getByText('Category is required.').waitFor()
    await tabTo(page, 'Category')
    await type('7')
    await press('Enter')
    await page.getByText('Name must contain').waitFor()
    expect(await focusedName(page)).toBe('Name')
    await type('Rex')
    await page.getByText('Name must contain').waitFor({ state: 'hidden' })
    expect(await focusedName(page)).toBe('Name')
    await press('Escape')
    await page.getByText('Draft kept').waitFor()
    await openAdding(page)
    await page.getByText('These entries were kept from before.').waitFor()
    await press('Enter')
    await page.getByRole('region', { name: 'Just added' }).getByText('Rex').waitFor()
    expect(await page.getByText('Draft kept').count()).toBe(0)
  })

  test('what was just added is copied by its id', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await openSignedIn(page, service.key)
    await openAdding(page)
    await type('Rex')
    await press('Tab')
    await type('7')
    await press('Enter')
    await page.getByRole('region', { name: 'Just added' }).waitFor()
    await tabTo(page, 'Copy id 1')
    await press('Enter')
    await page.getByRole('status').getByText('Id 1 is copied.').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('1')
  })
})

describe('the list', () => {
  test('leads through thousands, each once, and back', async () => {
    await addAnimals(2_345)
    await openSignedIn(page, service.key)
    await page.getByText('1 – 20').waitFor()
    await tabTo(page, 'Per page')
    await press('End')
    await page.getByText('1 – 100').waitFor()
    await press('Shift+Tab')
    expect(await focusedName(page)).toBe('Next')
    const seen: string[] = []
    for (let number = 1; ; number++) {
      await page.getByText(`· page ${number}`, { exact: true }).waitFor()
      seen.push(...(await listedIds(page)))
      if (seen.length >= 2_345) break
      await press('Enter')
    }
    expect(seen).toEqual(Array.from({ length: 2_345 }, (_, n) => String(n + 1)))
    await page.getByText('2301 – 2345 of 2345').waitFor()
    expect(await focusedName(page)).toBe('Next')
    expect((await page.locator('.rows').boundingBox())?.y).toBeGreaterThan(-2)
    await press('Enter')
    await page.getByText('· page 24', { exact: true }).waitFor()
    await press('Shift+Tab')
    await press('Enter')
    await page.getByText('2201 – 2300').waitFor()
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
    expect(await page.locator('.rows .name').allTextContents()).toEqual(names)
    expect(await page.evaluate("getComputedStyle(document.querySelectorAll('.rows .name')[2]).direction")).toBe('rtl')
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
    await page.getByText('No animal is pending.').waitFor()
    await tabTo(page, 'Show all')
    await press('Enter')
    await page.getByText('4 animals').waitFor()
  })

  test('stays while the service does not respond, says so, and continues when it does', async () => {
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

  test('of an empty store offers samples, and continues after an interruption', async () => {
    await openSignedIn(page, service.key)
    await page.getByRole('heading', { name: 'No animals yet' }).waitFor()
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

describe('looking up', () => {
  test('finds an animal by its id, and says when the service will remove this operation', async () => {
    await addAnimals(3)
    await openSignedIn(page, service.key)
    await tabTo(page, 'Look up by id')
    await type('2')
    await press('Enter')
    const found = page.getByRole('region', { name: 'Pet 2' })
    await found.waitFor()
    await found.getByText('5 December 2030').waitFor()
    await tabTo(page, 'Close')
    await press('Enter')
    await found.waitFor({ state: 'hidden' })
  })

  test('says what is wrong with an id, or that nothing has it', async () => {
    await addAnimals(1)
    await openSignedIn(page, service.key)
    await tabTo(page, 'Look up by id')
    for (const [text, words] of [
      ['', 'Enter an id.'],
      ['rex', 'An id is a whole number, such as 42.'],
      ['42', 'No animal has the id 42.'],
      ['99999999999999999999', 'No animal has the id 99999999999999999999.'],
    ] as const) {
      await page.getByLabel('Look up by id').fill(text)
      await press('Enter')
      await alert().getByText(words).waitFor()
    }
  })
})
