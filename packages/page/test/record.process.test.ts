// The page of one animal and of one order at `/`: what they are, their history in words, and what can be done.

import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { accessibilityProblems } from '../../../test/support/browser.ts'
import {
  addPets,
  beginSale,
  firstRows,
  focusedName,
  openEachTest,
  openSignedIn,
  refusal,
} from '../../../test/support/console.ts'
import { layoutProblems } from '../../../test/support/layout-problems.ts'
import type { Service } from '../../../test/support/service.ts'
import { PetstoreClient } from '../../client/src/petstore.ts'
import { OVERLOADED } from '../../service/src/domain/petstore-error.ts'
import { labelOf } from '../src/animal/status-labels.ts'
import { PAGE_SIZE } from '../src/list/list-position.ts'
import { SHORTCUTS } from '../src/shortcuts.ts'

const RESERVED = labelOf('pending')
const RELEASED = labelOf('cancelled')

let service: Service
let page: Page
let client: PetstoreClient
const { alert, button, dialog, press, said } = openEachTest((opened) => {
  ;({ service, page, client } = opened)
  service.clock.at = Date.now()
})

const history = () => page.getByRole('region', { name: 'History' }).getByRole('listitem')
const fact = async (name: string) =>
  page.evaluate<string>(
    `[...document.querySelectorAll('dt')].find(({ textContent }) => textContent === '${name}')?.nextSibling.textContent`,
  )

test('an animal has a page with its facts, its history in words, its order and all actions, and follows what others do', async () => {
  await addPets(service, PAGE_SIZE + 5, 'available', 'available')
  const till = new PetstoreClient({ baseUrl: service.url, apiKey: await service.addKey({ name: 'till 3' }) })
  const expiresAt = new Date(Date.now() + 7_200_000).toISOString()
  await till.placeOrder({ petId: 2n, reference: 'Anna', expiresAt })
  await till.cancelOrder(1n)
  await openSignedIn(page, service.key)
  await page.getByText(firstRows()).waitFor()
  await press(SHORTCUTS.nextRow.key)
  await press('ArrowDown')
  expect(await focusedName(page)).toBe('Pet 2')
  await press(SHORTCUTS.previousRow.key)
  await press(SHORTCUTS.nextRow.key)
  await press('Enter')
  await page.getByRole('heading', { name: 'Pet 2', exact: true }).waitFor()
  expect(page.url()).toBe(`${service.origin}/?animal=2`)
  expect(await page.title()).toBe('Pet 2 · Petstore')
  expect((await history().allInnerTexts()).map((text) => text.split('\n').at(-1))).toEqual([
    `${RELEASED} for Anna — till 3`,
    expect.stringMatching(new RegExp(`^${RESERVED} for Anna until .* — till 3$`)),
    'Added — test',
  ])
  await till.placeOrder({ petId: 2n, reference: 'Ben' })
  await history().first().getByText(`${RESERVED} for Ben`).waitFor()
  expect([await fact('For'), await fact('Until')]).toEqual(['Ben', 'No end'])
  const place = async () => (await page.getByRole('button', { name: 'Edit' }).boundingBox())?.y
  const before = await place()
  await beginSale(page, 'Pet 2')
  await dialog().getByText(`${RESERVED} for Ben.`).waitFor()
  await press('Enter')
  await history().first().getByText('Sold for Ben — test').waitFor()
  await page.getByRole('button', { name: 'Receipt' }).waitFor()
  expect(await place()).toBe(before)
  expect(await fact('Sold')).toMatch(/\d/)
  await page.getByRole('button', { name: 'Take back Pet 2' }).waitFor()
  expect(await accessibilityProblems(page)).toEqual([])
  await page.getByRole('link', { name: 'Order 2' }).click()
  await page.getByRole('heading', { name: 'Order 2' }).waitFor()
  expect(await history().count()).toBe(2)
  expect(await accessibilityProblems(page)).toEqual([])
  await page.setViewportSize({ width: 320, height: 700 })
  expect(await layoutProblems(page)).toEqual([])
  await page.getByRole('link', { name: 'Pet 2' }).click()
  await page.getByRole('heading', { name: 'Pet 2', exact: true }).waitFor()
  expect(await layoutProblems(page)).toEqual([])
})

test('an address that people can guess leads there, and says when there is no such animal', async () => {
  await addPets(service, 1, 'available', 'available')
  await client.placeOrder({ petId: 1n })
  await openSignedIn(page, service.key)
  await page.goto(`${service.origin}/animals/42`)
  await alert().getByText('No animal has the id 42.').waitFor()
  await page.goto(`${service.origin}/orders/1`)
  await page.getByRole('heading', { name: 'Order 1' }).waitFor()
})

test('what cannot be read at first comes by itself, or when you ask for it: whom a row is for, what an id finds, a record', async () => {
  await addPets(service, 2, 'available', 'available')
  await client.placeOrder({ petId: 1n, reference: 'Anna' })
  await openSignedIn(page, service.key)
  await page.getByText('For Anna').waitFor()
  /** Cuts off the next such request of the page, and no other. */
  const cutOnce = async (name: string, value: string) => {
    const about = (url: URL) => url.searchParams.get(name) === value
    let left = 1
    const cut = page.waitForEvent('requestfailed', (request) => about(new URL(request.url())))
    await page.route(about, (route) => (left-- > 0 ? route.abort() : route.continue()))
    return cut
  }
  const holder = cutOnce('petId', '1')
  await page.reload()
  await holder
  await page.getByText('For Anna').waitFor()
  const found = cutOnce('petId', '2')
  await page.getByLabel('Search').fill('2')
  await found
  await page.getByRole('region', { name: 'Pet 2' }).waitFor()
  const events = (url: URL) => url.searchParams.get('orderId') === '1'
  await page.route(events, (route) => route.fulfill(refusal(OVERLOADED)))
  await page.goto(`${service.origin}/?order=1`)
  await alert().getByText('Could not load order 1. The service is overloaded').waitFor()
  expect(await accessibilityProblems(page)).toEqual([])
  await page.unroute(events)
  await alert().getByRole('button', { name: 'Try now' }).click()
  await history().getByText(`${RESERVED} for Anna`).waitFor()
  expect(await alert().count()).toBe(0)
})

test('what was entered wrongly is corrected: name and category, a status that nobody holds, an end, and an animal that is none', async () => {
  await addPets(service, 2, 'sold', 'available')
  await client.placeOrder({ petId: 2n, reference: 'Ana' })
  await openSignedIn(page, service.key)
  await page.getByRole('link', { name: 'Pet 1' }).click()
  await button('Edit').click()
  await dialog().getByLabel('Name').fill(' ')
  await dialog().getByLabel('Category').fill('9223372036854775807')
  await press('Enter')
  await dialog().getByText('Name must contain').waitFor()
  await dialog().getByLabel('Name').fill('Luna')
  await press('Enter')
  await page.getByRole('heading', { name: 'Luna', exact: true }).waitFor()
  await history().first().getByText('Edited: name from Pet 1 to Luna, category from 7 to 9223372036854775807').waitFor()
  await button('Make available').click()
  await dialog().getByRole('button', { name: 'Make available' }).click()
  await page.getByRole('button', { name: 'Reserve Luna' }).waitFor()
  expect(await button('Make available').count()).toBe(0)
  await button('Delete').click()
  const deletes = dialog().getByRole('button', { name: 'Delete' })
  expect(await deletes.getAttribute('class')).toBe('danger')
  expect(await focusedName(page)).not.toBe('Delete')
  await deletes.click()
  await said('Luna is deleted.')
  await page.waitForURL(`${service.origin}/`)
  await page.goto(`${service.origin}/?animal=1`)
  await history().first().getByText('Deleted').waitFor()
  expect(await button('Edit').count()).toBe(0)

  await page.goto(`${service.origin}/?order=1`)
  await button('Edit').click()
  expect(await dialog().getByLabel('For whom').inputValue()).toBe('Ana')
  await dialog().getByLabel('For whom').fill('Anna')
  await dialog().getByLabel('For how long').selectOption('1 week')
  service.clock.at += 1_000
  await dialog().getByRole('button', { name: 'Save' }).click()
  await history().first().getByText('Order edited: for whom from Ana to Anna, until from no end to').waitFor()
  await page.reload()
  await history().first().getByText('Order edited: for whom from Ana to Anna, until from no end to').waitFor()
  await history().last().getByText(`${RESERVED} for Ana —`).waitFor()
  await page.getByRole('link', { name: 'Pet 2' }).click()
  await button('Edit').waitFor()
  for (const name of ['Delete', 'Make available']) expect(await button(name).count()).toBe(0)
})

test('an animal that was just reserved is sold before the page has read it again', async () => {
  await addPets(service, 1, 'available', 'available')
  await openSignedIn(page, service.key)
  await page.getByRole('link', { name: 'Pet 1' }).click()
  await button('Reserve Pet 1').waitFor()
  await page.route('**/v1/store/events?**', () => undefined)
  await button('Reserve Pet 1').click()
  await page.keyboard.type('Anna')
  await press('Enter')
  await said('Pet 1 is reserved for Anna')
  await beginSale(page, 'Pet 1')
  await press('Enter')
  await dialog().getByText('Reserved for Anna, until').waitFor()
  await press('Enter')
  await said('Pet 1 is sold.')
  expect((await Array.fromAsync(client.listOrders())).map(({ status }) => status)).toEqual(['completed'])
})
