// Selling animals at `/` in a browser, mostly by keyboard: from a scan, a row or an animal's page, next to another till, and
// if a request fails. test/logic/order-task.test.ts has the rules.

import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  addPets,
  beginSale,
  focusedName,
  listedIds,
  openEachTest,
  openSignedIn,
  tabTo,
} from '../../../test/support/console.ts'
import type { Service } from '../../../test/support/service.ts'
import type { PetstoreClient } from '../../client/src/petstore.ts'
import { labelOf } from '../src/animal/status-labels.ts'
import { NOT_RESPONDING } from '../src/failures.ts'

const RESERVED = labelOf('pending')
const DAY_MS = 86_400_000

let service: Service
let page: Page
/** Another till. */
let client: PetstoreClient
const { addNamed, button, dialog, go, openFollowing, press, row, said, scan, type } = openEachTest((opened) => {
  ;({ service, page, client } = opened)
  // The service checks the end of a reservation, which the page computes.
  service.clock.at = Date.now()
})
const orders = async () => (await Array.fromAsync(client.listOrders())).map(({ status }) => status)

test('a sale takes 6 keys: the id, Enter, two Tabs and Enter twice; more Enters sell and take back nothing', async () => {
  await addPets(service, 3, 'available', 'available')
  await openSignedIn(page, service.key)
  await page.evaluate(`window.keys = 0, addEventListener('keydown', () => { window.keys++ }, true)`)
  const sold = async (name: string) => {
    await said(`${name} is sold.`)
    expect(await focusedName(page)).toBe('Search')
    await button('Receipt').waitFor()
    for (let again = 0; again < 3; again++) await press('Enter')
  }
  await type('3')
  await press('Enter')
  await page.getByRole('heading', { name: 'Pet 3', exact: true, level: 1 }).waitFor()
  await go('Sell Pet 3')
  await dialog().getByRole('button', { name: 'Sell' }).waitFor()
  await press('Enter')
  await said('Pet 3 is sold.')
  expect(await page.evaluate('window.keys')).toBe(6)
  await sold('Pet 3')
  await button('Take back Pet 3').waitFor()
  // A scan while the dialog is open sells nothing, and another scan moves the focus to its animal.
  await type('http://localhost/till/?animal=1')
  await press('Enter')
  await page.getByRole('heading', { name: 'Pet 1', exact: true, level: 1 }).waitFor()
  expect(await focusedName(page)).toBe('Pet 1')
  await go('Sell Pet 1')
  await dialog().waitFor()
  // A number that is no animal's id stays in the field of the customer.
  await page.getByLabel('For whom').focus()
  await scan('25')
  await dialog().getByText('No animal has the id 25. It stays as the receipt number.').waitFor()
  expect(await page.getByLabel('For whom').inputValue()).toBe('25')
  await press('Escape')
  expect(await orders()).toEqual(['completed'])
  // From the result of a search for an id.
  await go('Animals')
  await page.getByLabel('Search').fill('2')
  await page.getByRole('region', { name: 'Pet 2' }).getByRole('button', { name: 'Sell' }).focus()
  expect(await page.getByText('No name has').count()).toBe(0)
  await press('Enter')
  await dialog().waitFor()
  await press('Enter')
  await sold('Pet 2')
  await page.getByRole('heading', { name: 'Pet 2', exact: true, level: 1 }).waitFor()
  expect(await orders()).toEqual(['completed', 'completed'])
})

test('a till with a wrong clock reserves until the right time; the message about a sale stays under the pointer', async () => {
  await page.clock.install({ time: Date.now() - 2 * DAY_MS })
  await addNamed('Rex')
  await openSignedIn(page, service.key)
  await go('Reserve Rex')
  await type('Anna')
  await press('Enter')
  await said('Rex is reserved for Anna, until')
  await row('Rex')
    .getByText(/^For Anna, until .* [0-9]{2}:[0-9]{2}\s?[AP]M$/)
    .waitFor()
  await page.getByRole('radio', { name: `${RESERVED} 1` }).waitFor()
  expect(await focusedName(page)).toBe('Rex')
  const end = Date.parse((await client.getOrder(1n)).expiresAt ?? '')
  expect(end - Date.now()).toBeWithin(DAY_MS - 100_000, DAY_MS + 1)
  await go('Sell Rex')
  await dialog().getByText(`${RESERVED} for Anna, until`).waitFor()
  await press('Enter')
  await said('Rex is sold.')
  await row('Rex').getByText('Sold', { exact: true }).waitFor()
  const news = page.locator('.notice-done')
  await news.hover()
  await page.clock.runFor(15_000)
  expect(await news.count()).toBe(1)
  await page.mouse.move(0, 0)
  await page.clock.runFor(15_000)
  await news.waitFor({ state: 'detached' })
})

test('a failed sale reopens its closed dialog and continues with its order', async () => {
  await addNamed('Rex')
  await openSignedIn(page, service.key)
  const closed = Promise.withResolvers<void>()
  await page.route('**/complete', async (route) => {
    await closed.promise
    await route.abort()
  })
  await beginSale(page, 'Rex')
  await press('Enter')
  await button('Selling…').waitFor()
  await press('Escape')
  await dialog().waitFor({ state: 'hidden' })
  closed.resolve()
  await dialog().getByText(`Not sold yet. ${NOT_RESPONDING} It is reserved for 10 minutes.`).waitFor()
  expect(await orders()).toEqual(['pending'])
  await page.unroute('**/complete')
  await button('Try again').click()
  await said('Rex is sold.')
  expect(await orders()).toEqual(['completed'])
  // The response to Undo is lost.
  await page.route('**/return', (route) => route.abort())
  await button('Undo').click()
  await said(`It is not undone yet. ${NOT_RESPONDING}`)
  await page.unroute('**/return')
  await button('Undo').click()
  await said('Rex was taken back, and is available again.')
  expect(await orders()).toEqual(['returned'])
})

test('one sale of several animals: scanned, found and removed by keyboard, with a lost response and one receipt', async () => {
  await addPets(service, 25, 'available', 'available')
  await openSignedIn(page, service.key)
  await page.evaluate('window.print = () => undefined')
  await go('Sell Pet 1')
  await dialog().waitFor()
  await page.getByLabel('For whom').fill('Anna')
  await scan(`${service.origin}/?animal=12`)
  await page.getByRole('heading', { name: 'Sell 2 animals' }).waitFor()
  await dialog().getByText('Pet 12 was added.').waitFor()
  expect(await page.getByLabel('For whom').inputValue()).toBe('Anna')
  for (const words of ['pet 13', 'pet 25']) {
    await page.getByLabel('Another animal').focus()
    await type(words)
    await press('Enter')
    await dialog()
      .getByText(`${words.replace('p', 'P')} was added.`)
      .waitFor()
  }
  await go('Remove Pet 13')
  await page.getByRole('heading', { name: 'Sell 3 animals' }).waitFor()
  // Another till sells one, and a response is lost.
  await client.completeOrder((await client.placeOrder({ petId: 12n })).id)
  await page.route('**/complete', async (route) => {
    await route.fetch()
    await route.abort()
  })
  await go('Sell')
  await dialog().getByText(`${NOT_RESPONDING} 0 of 3 are sold.`).waitFor()
  await page.unroute('**/complete')
  await go('Try again')
  await dialog().getByText('Pet 12 was sold a moment ago. 1 of 3 are sold.').waitFor()
  await button('Take back 1').waitFor()
  await go('Sell the other 1')
  await said('2 animals are sold.')
  const sold = (await Array.fromAsync(client.listOrders({ search: 'anna' }))).map(({ petId, status }) => [
    petId,
    status,
  ])
  expect(sold).toEqual([
    [1n, 'completed'],
    [25n, 'completed'],
  ])
  await button('Receipt').click()
  await page.locator('.sheet .receipt-item').nth(1).waitFor({ state: 'attached' })
  expect(await page.locator('.sheet .code').count()).toBe(2)
})

test('a change by another till shows in its row, the counts and an open dialog, and moves no row, focus or text', async () => {
  await addPets(service, 5, 'available', 'available')
  await openFollowing()
  const newest = page.waitForResponse(/sort=newest/)
  await page.goto(`${service.origin}/?sort=newest`)
  await newest
  await tabTo(page, 'Reserve Pet 5')
  const places = async () =>
    page.evaluate("[...document.querySelectorAll('.rows tr')].map((row) => row.getBoundingClientRect().y)")
  const before = [await listedIds(page), await places(), 'Reserve Pet 5']
  // The mark fades, possibly before the next check.
  const marked = page.locator('tr.changed').first().waitFor()
  await client.placeOrder({ petId: 2n, reference: 'محمد' })
  await marked
  await row('Pet 2').getByText('For محمد').waitFor()
  await page.getByRole('radio', { name: `${RESERVED} 1` }).waitFor()
  await client.createPet({ name: 'Luna', categoryId: 7n })
  await client.deletePet(4n)
  await said('This list has changed')
  await row('Pet 4').getByText('Deleted', { exact: true }).waitFor()
  expect(await button('Reserve Pet 4').count()).toBe(0)
  expect([await listedIds(page), await places(), await focusedName(page)]).toEqual(before)
  await page.locator('tr.changed').waitFor({ state: 'detached' })

  await button('Reserve Pet 1').click()
  await type('Ann')
  await client.placeOrder({ petId: 1n })
  await dialog().getByText(`Pet 1 was ${RESERVED.toLowerCase()} a moment ago.`).waitFor()
  await type('a')
  expect(await page.getByLabel('For whom').inputValue()).toBe('Anna')
  await press('Enter')
  await dialog().getByText('You have not reserved it.').waitFor()
  await press('Escape')
  await go('This list has changed · Refresh')
  await row('Luna').waitFor()
  expect(await page.evaluate('document.activeElement.id')).toBe('list')
})
