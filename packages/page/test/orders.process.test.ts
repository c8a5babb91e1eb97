// Reserving, selling, releasing and taking back at `/`, and the list of orders, in a real browser.

import { beforeEach, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { accessibilityProblems } from '../../../test/support/browser.ts'
import { beginSale, focusedName, openEachTest, openSignedIn, tabTo } from '../../../test/support/console.ts'
import { newPet } from '../../../test/support/pets.ts'
import type { Service } from '../../../test/support/service.ts'
import { PetstoreClient } from '../../client/src/petstore.ts'
import { NOT_RESPONDING } from '../src/failures.ts'
import { SHORTCUTS } from '../src/shortcuts.ts'

let service: Service
let page: Page
let client: PetstoreClient
const { press } = openEachTest((opened) => {
  ;({ service, page } = opened)
  // A reservation's end is judged by the service's clock and chosen by the browser's.
  service.clock.at = Date.now()
})
beforeEach(() => {
  client = new PetstoreClient({ baseUrl: service.url, apiKey: service.key })
})

const dialog = () => page.getByRole('dialog')
const row = (name: string) => page.getByRole('row').filter({ hasText: name })
const orders = async () => (await Array.fromAsync(client.listOrders())).map(({ status }) => status)
const button = (name: string) => page.getByRole('button', { name, exact: true })

async function addAnimals(...names: string[]): Promise<void> {
  for (const name of names) await client.createPet(newPet({ name }))
}

test('a page of reserved animals reads their orders in two requests, and keeps its height while they come', async () => {
  await addAnimals(...Array.from({ length: 40 }, (_, n) => `Pet ${n + 1}`))
  await client.createPet(newPet({ name: 'Rex', status: 'pending' }))
  const named = (n: number) => (n % 2 ? { reference: `Anna ${n}` } : {})
  await Promise.all(Array.from({ length: 40 }, (_, n) => client.placeOrder({ petId: BigInt(n + 1), ...named(n) })))
  await Promise.all(Array.from({ length: 20 }, (_, n) => client.completeOrder(BigInt(n + 1))))
  const ofOrders = '**/v1/store/orders?**'
  const held = Promise.withResolvers<void>()
  // Each once: where it takes long, the list is fetched again.
  const requested = new Set<string>()
  await page.route(ofOrders, async (route) => {
    requested.add(route.request().url())
    await held.promise
    await route.continue()
  })
  await page.goto(`${service.origin}/?limit=50`)
  await openSignedIn(page, service.key)
  await row('Pet 40').waitFor()
  const height = () => page.evaluate<number>("document.querySelector('.rows').offsetHeight")
  const before = await height()
  held.resolve()
  await row('Rex').getByText('Added as reserved, without an order').waitFor()
  await page.getByText('For Anna 39').waitFor()
  await row('Pet 1').first().getByText('Since').waitFor()
  expect([await height(), requested.size]).toEqual([before, 2])
})

test('an animal is reserved, sold and taken back, each with two presses, by keyboard', async () => {
  await addAnimals('Rex', 'Mia')
  await openSignedIn(page, service.key)
  await tabTo(page, 'Reserve Rex')
  await press('Enter')
  await page.keyboard.type('Anna')
  await press('Enter')
  await page.getByRole('status').getByText('Rex is reserved for Anna, until').waitFor()
  await row('Rex')
    .getByText(/^For Anna, until .* [0-9]{2}:[0-9]{2}\s?[AP]M$/)
    .waitFor()
  await page.getByRole('radio', { name: 'Reserved 1' }).waitFor()
  expect(await focusedName(page)).toBe('Rex')
  await tabTo(page, 'Sell Rex')

  await press('Enter')
  await dialog().getByText('Reserved for Anna, until').waitFor()
  await press('Enter')
  await page.getByRole('status').getByText('Rex is sold.').waitFor()
  await row('Rex').getByText('Sold', { exact: true }).waitFor()
  await page.getByRole('radio', { name: 'Sold 1' }).waitFor()
  expect(await focusedName(page)).toBe('Search')
  await tabTo(page, 'Take back Rex')

  await press('Enter')
  await dialog()
    .getByText(/^Sold .* for Anna\.$/)
    .waitFor()
  await press('Enter')
  await page.getByRole('status').getByText('Rex is available again.').waitFor()
  await page.getByRole('radio', { name: 'Available 2' }).waitFor()
  expect(await orders()).toEqual(['returned'])

  await tabTo(page, 'Sell Rex')
  await press('Enter')
  await press('Enter')
  await page.getByRole('status').getByText('Rex is sold.').waitFor()
  expect(await orders()).toEqual(['returned', 'completed'])
  await button('Take back Rex').waitFor()
  expect(await focusedName(page)).toBe('Search')
})

test('a reservation may have no end, and can be released; for one with an end, the page asks for a time in the future', async () => {
  await addAnimals('Rex')
  await openSignedIn(page, service.key)
  await button('Reserve Rex').click()
  await page.getByLabel('For how long').selectOption('Until…')
  const until = page.getByLabel('Until', { exact: true })
  // An hour from now, to the minute.
  expect(Date.parse(await until.inputValue()) - Date.now()).toBeWithin(3_480_000, 3_600_001)
  await until.fill('')
  await dialog().getByRole('button', { name: 'Reserve' }).click()
  await dialog().getByText('Choose a day and a time.').waitFor()
  await until.fill('2020-01-01T12:00')
  await dialog().getByRole('button', { name: 'Try again' }).click()
  await dialog().getByText('The end must be in the future').waitFor()
  await page.getByLabel('For how long').selectOption('Until it is released')
  await dialog().getByRole('button', { name: 'Try again' }).click()
  await dialog().waitFor({ state: 'hidden' })
  const [order] = await Array.fromAsync(client.listOrders())
  expect([order?.status, order?.expiresAt]).toEqual(['pending', undefined])
  await button('Release Rex').click()
  await dialog().getByRole('button', { name: 'Release' }).click()
  await page.getByRole('status').getByText('Rex is available again.').waitFor()
  expect(await orders()).toEqual(['cancelled'])
})

test('when somebody else was quicker, the page says so and changes nothing', async () => {
  await addAnimals('Rex', 'Mia', 'Tom')
  const held = await client.placeOrder({ petId: 3n, reference: 'Anna' })
  await openSignedIn(page, service.key)
  await beginSale(page, 'Rex')
  await client.completeOrder((await client.placeOrder({ petId: 1n })).id)
  await press('Enter')
  await page.getByRole('alert').getByText('You have not sold it. Choose another animal.').waitFor()
  await dialog().getByText('Rex was sold a moment ago.').waitFor()
  expect(await accessibilityProblems(page)).toEqual([])
  await press('Enter')
  await dialog().waitFor({ state: 'hidden' })
  await row('Rex').getByText('Sold', { exact: true }).waitFor()

  await button('Reserve Mia').click()
  await client.placeOrder({ petId: 2n })
  await press('Enter')
  // The feed may say first that somebody was quicker. This is what stopped the action, for which a closed dialog opens again.
  await dialog().getByText('You have not reserved it. Choose another animal.').waitFor()
  await dialog().getByText('Mia was reserved a moment ago.').waitFor()
  await press('Escape')

  await beginSale(page, 'Tom')
  await dialog().getByText('Reserved for Anna.').waitFor()
  // Then the dialog has looked the order up.
  await dialog().getByRole('button', { name: 'Sell', disabled: false }).waitFor()
  await client.cancelOrder(held.id)
  await press('Enter')
  await dialog().getByText('Tom is available again.').waitFor()
  await press('Escape')
  await button('Reserve Tom').waitFor()
  expect(await orders()).toEqual(['cancelled', 'completed', 'pending'])
})

test('a dialog is busy at once, acts once, and not before it shows on what', async () => {
  await addAnimals('Rex', 'Mia')
  await client.completeOrder((await client.placeOrder({ petId: 1n, reference: 'Anna' })).id)
  let release = () => {}
  async function hold(): Promise<void> {
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/v1/store/orders**', async (route) => {
      await released
      await route.continue()
    })
  }
  await hold()
  await openSignedIn(page, service.key)
  await button('Take back Rex').click()
  await dialog().getByText('Looking up its order…').waitFor()
  await press('Enter')
  release()
  await dialog()
    .getByText(/^Sold .* for Anna\.$/)
    .waitFor()
  expect(await orders()).toEqual(['completed'])
  await press('Escape')

  await beginSale(page, 'Mia')
  await hold()
  const form = "document.querySelector('dialog[open] form')"
  await page.evaluate(`for (const press of [1, 2]) ${form}.requestSubmit()`)
  expect(await dialog().locator('.primary').textContent()).toBe('Selling…')
  await press('Enter')
  release()
  await page.getByRole('status').getByText('Mia is sold.').waitFor()
  expect(await orders()).toEqual(['completed', 'completed'])
})

test('an animal that was added as sold or pending says that it has no order', async () => {
  await client.createPet(newPet({ name: 'Rex', status: 'sold' }))
  await client.createPet(newPet({ name: 'Mia', status: 'pending' }))
  await openSignedIn(page, service.key)
  await row('Rex').getByText('Added as sold, without an order').waitFor()
  await row('Mia').getByText('Added as reserved, without an order').waitFor()
  for (const name of ['Rex', 'Mia']) expect(await row(name).getByRole('button').count()).toBe(1)
  await page.getByLabel('Search').fill('1')
  await button('Take back Rex').click()
  await dialog().getByText('Rex was added as sold, without an order.').waitFor()
  await press('Enter')
  await dialog().waitFor({ state: 'hidden' })
})

test('a sale that stops half-way says so, and is finished without a second order', async () => {
  await addAnimals('Rex')
  await openSignedIn(page, service.key)
  const keys: (string | undefined)[] = []
  await page.route('**/v1/store/orders', async (route) => {
    keys.push(route.request().headers()['idempotency-key'])
    // The service places the order; its answer never arrives.
    if (keys.length > 2) return route.continue()
    await route.fetch()
    return route.abort('connectionreset')
  })
  await page.route('**/complete', (route) => route.abort())
  await beginSale(page, 'Rex')
  await press('Enter')
  await dialog().getByText('Try again: what has been done already is not done twice.').waitFor()
  await button('Try again').click()
  await dialog().getByText(`Not sold yet. ${NOT_RESPONDING}`).waitFor()
  await dialog().getByText('It is reserved for this sale.').waitFor()
  expect(await orders()).toEqual(['pending'])
  await page.unroute('**/complete')
  await button('Try again').click()
  await page.getByRole('status').getByText('Rex is sold.').waitFor()
  expect(await orders()).toEqual(['completed'])
  expect(keys.length).toBeGreaterThan(1)
  expect(new Set(keys).size).toBe(1)
})

test('each row says for whom it is reserved, however many are, and is read once; an animal that was found by its id can be sold', async () => {
  const by = (await service.store.listKeys())[0]?.id as bigint
  for (let petId = 1n; petId <= 101n; petId++) {
    await service.store.createPet(newPet({ name: `Pet ${petId}` }), by)
    await service.store.placeOrder({ petId, reference: `till ${petId}` }, by)
  }
  await page.goto(`${service.origin}/?limit=100`)
  await openSignedIn(page, service.key)
  await row('Pet 100').getByText('For till 100').waitFor()
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).search))
  await press('ArrowRight')
  await row('Pet 101').getByText('For till 101').waitFor()
  await press('ArrowLeft')
  await row('Pet 100').getByText('For till 100').waitFor()
  expect(asked.filter((query) => query.includes('petId'))).toEqual(['?petId=101&status=pending&limit=1'])
  await page.getByLabel('Search').fill('101')
  await page.getByRole('region', { name: 'Pet 101' }).getByRole('button', { name: 'Sell' }).click()
  await dialog().getByText('Reserved for till 101.').waitFor()
  await press('Enter')
  await page.getByRole('status').getByText('Pet 101 is sold.').waitFor()
  await row('Pet 101').getByText('Sold', { exact: true }).waitFor()
})

test('what was done is said for a while, and as long as somebody is at it', async () => {
  await page.clock.install()
  await addAnimals('Rex')
  await openSignedIn(page, service.key)
  await beginSale(page, 'Rex')
  await dialog().getByRole('button', { name: 'Sell' }).click()
  const news = page.locator('.notice-done')
  await news.getByText('Rex is sold.').waitFor()
  await news.hover()
  await page.clock.runFor(15_000)
  expect(await news.count()).toBe(1)
  await page.mouse.move(0, 0)
  await page.clock.runFor(15_000)
  await news.waitFor({ state: 'detached' })
})

test('orders have a list of their own, with its place in the address; a read-only key reads it', async () => {
  await addAnimals('Rex', 'Mia', 'Tom')
  await client.completeOrder((await client.placeOrder({ petId: 1n, reference: 'receipt 7' })).id)
  await client.placeOrder({ petId: 2n })
  await openSignedIn(page, service.key)
  await page.getByRole('link', { name: 'Orders' }).click()
  await row('Mia').getByText('Reserved', { exact: true }).waitFor()
  expect(await page.title()).toBe('Orders · Petstore')
  expect(page.url()).toBe(`${service.origin}/?view=orders&status=pending`)
  await page.getByText('1 order', { exact: true }).waitFor()
  await page.getByRole('radio', { name: 'Sold' }).check()
  await row('Rex').getByText('Id 1 for receipt 7').waitFor()
  await page.reload()
  await row('Rex').waitFor()
  expect(await page.getByRole('radio', { name: 'Sold' }).isChecked()).toBe(true)
  await button('Take back Rex').click()
  await dialog().getByText('for receipt 7').waitFor()
  await press('Enter')
  await row('Rex').getByText('Taken back', { exact: true }).waitFor()
  await button('1 no longer here: Show').click()
  await page.getByText('No order is “Sold”.').waitFor()
  await page.goBack()
  await row('Mia').waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: 'Animals', exact: true }).waitFor()
  await row('Tom').waitFor()
  await button('Sign out').click()

  await openSignedIn(page, await service.addKey({ readOnly: true }))
  await page.getByText('Read-only', { exact: true }).waitFor()
  await row('Tom').waitFor()
  expect(await page.getByRole('button', { name: /Add|Reserve|Sell|Release|Take back/ }).count()).toBe(0)
  await press(SHORTCUTS.add.key)
  await page.getByRole('link', { name: 'Orders' }).click()
  await row('Mia').waitFor()
  expect(await page.getByRole('button', { name: /Sell|Release/ }).count()).toBe(0)
  expect(await dialog().count()).toBe(0)
})
