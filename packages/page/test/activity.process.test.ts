// The activity at `/`: what happened on a day, by kind and by key, exact at any volume, followed live; each line leads on.

import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { accessibilityProblems } from '../../../test/support/browser.ts'
import { addPets, openEachTest, signIn } from '../../../test/support/console.ts'
import { layoutProblems } from '../../../test/support/layout-problems.ts'
import type { Service } from '../../../test/support/service.ts'
import { PetstoreClient } from '../../client/src/petstore.ts'
import { labelOf } from '../src/animal/status-labels.ts'

const RESERVED = labelOf('pending')
const TAKEN_BACK = labelOf('returned')

let service: Service
let page: Page
let client: PetstoreClient
const { openFollowing } = openEachTest((opened) => {
  ;({ service, page, client } = opened)
})

const DAY_MS = 86_400_000
const kind = (name: string) => page.getByRole('radio', { name, exact: true })
const lines = () => page.locator('.history li')
const link = (name: string) => lines().first().getByRole('link', { name, exact: true })

test('shows what happened today by kind and by key, and what ends, follows the day, and each line leads on', async () => {
  service.clock.at = Date.now() - 2 * DAY_MS
  await addPets(service, 3, 'available', 'available')
  service.clock.at = Date.now()
  await addPets(service, 2, 'available', 'available')
  const till = new PetstoreClient({ baseUrl: service.url, apiKey: await service.addKey({ name: 'till 3' }) })
  await client.completeOrder((await client.placeOrder({ petId: 1n, reference: 'Anna' })).id)
  await till.updatePet(4n, { name: 'Luna' })
  await openFollowing()
  await page.getByRole('link', { name: 'Activity' }).click()
  await page.waitForURL(`${service.origin}/?view=activity`)
  for (const name of ['All 5', 'Sold 1', `${RESERVED} 1`, 'Added 2', `${TAKEN_BACK} 0`, 'Everybody 5', 'till 3 1']) {
    await kind(name).waitFor()
  }
  await kind('till 3 1').check()
  await lines().getByText('Edited: name from Pet 1 to Luna').waitFor()
  await kind('Everybody 5').check()
  await kind('Sold 1').check()
  await lines().getByText('Sold for Anna — test').waitFor()
  await client.returnOrder(1n)
  await kind(`${TAKEN_BACK} 1`).check()
  await page.waitForURL(`${service.origin}/?view=activity&type=order.returned`)
  await link('Pet 1').waitFor()
  const now = new Date()
  // In the last hour of a day, nothing of this test ends today.
  if (now.getHours() < 23) {
    const lists: string[] = []
    page.on('request', (request) => request.url().includes('status=pending&limit=100') && lists.push(request.url()))
    await client.placeOrder({ petId: 2n, expiresAt: new Date(Date.now() + 1_800_000).toISOString() })
    await kind('Ends today 1').check()
    await link('Order 2').waitFor()
    await client.cancelOrder(2n)
    await kind('Ends today 0').waitFor()
    // The order alone was read again, and not all that are pending.
    expect(lists).toEqual([])
  } else await kind('Ends today 0').check()
  expect(await accessibilityProblems(page)).toEqual([])
  await page.setViewportSize({ width: 320, height: 700 })
  expect(await layoutProblems(page)).toEqual([])
  await page.goBack()
  await link('Order 1').click()
  await page.getByRole('heading', { name: 'Order 1' }).waitFor()

  // A reload shows the same; two days before, three were added.
  await page.goBack()
  await page.reload()
  await lines().getByText(`${TAKEN_BACK} for Anna — test`).waitFor()
  await page.getByRole('button', { name: 'Day before' }).click()
  await page.getByRole('button', { name: 'Day before' }).click()
  await kind('Added 3').check()
  await link('Pet 3').waitFor()
  expect(new URL(page.url()).searchParams.get('day')).toMatch(/^2/)
  await page.getByRole('button', { name: 'Day before' }).click()
  await page.getByText('None.').waitFor()
  await page.getByRole('button', { name: 'Today' }).click()
  await page.waitForURL(`${service.origin}/?view=activity&type=pet.added`)

  // No day of any month: today.
  await page.goto(`${service.origin}/?view=activity&day=2026-02-31`)
  await kind(`${TAKEN_BACK} 1`).waitFor()
})

test('a delivery of 5 000 animals hides no sale: all are counted, named and told by key, and the animals when asked for', async () => {
  const sales = 230
  // Earlier today: in the first hour of a day, at its beginning.
  service.clock.at = Math.max(Date.now() - 3_600_000, new Date().setHours(0, 0, 0, 0))
  await addPets(service, sales, 'available', 'available')
  const keys = [service.key, await service.addKey({ name: 'till 3' })]
  const tills = keys.map((apiKey) => new PetstoreClient({ baseUrl: service.url, apiKey }))
  const sell = async (till: PetstoreClient, from: number) => {
    for (let petId = from; petId <= sales; petId += tills.length) {
      await till.completeOrder((await till.placeOrder({ petId: BigInt(petId) })).id)
    }
  }
  await Promise.all(tills.map((till, index) => sell(till, index + 1)))
  service.clock.at = Date.now()
  await addPets(service, 5_000, 'available', 'available')

  await page.goto(`${service.origin}/?view=activity`)
  await signIn(page, service.key)
  await kind('Added 100+').waitFor()
  for (const all of [kind('All 560+'), page.getByRole('heading', { name: 'All: 560+' })]) await all.waitFor()
  await kind('Sold 230').check()
  for (const name of ['Everybody 230', 'test 115', 'till 3 115']) await kind(name).waitFor()
  await page.getByRole('button', { name: 'Show 100 more' }).click()
  await page.getByRole('button', { name: 'Show 30 more' }).click()
  const named = lines().filter({ has: page.getByRole('link', { name: /^Pet \d+$/ }) })
  await named.nth(sales - 1).waitFor()
  expect(await lines().count()).toBe(sales)
  await kind('Added 100+').check()
  await page.getByRole('button', { name: 'Count all' }).click()
  await page.getByRole('heading', { name: 'Added: 5,230' }).waitFor()
  await kind('All 5,690').waitFor()
})

test('a day that cannot be read to its end says so, and goes on where it stopped', async () => {
  await addPets(service, 1, 'available', 'available')
  service.clock.at = Date.now()
  for (let n = 0; n < 60; n++) await client.cancelOrder((await client.placeOrder({ petId: 1n })).id)
  const second = (url: URL) => url.searchParams.getAll('type').length > 1 && url.searchParams.has('cursor')
  await page.route(second, (route) => route.abort())
  const firsts: string[] = []
  page.on('request', (request) => {
    const { searchParams } = new URL(request.url())
    if (searchParams.getAll('type').length > 1 && !searchParams.has('cursor')) firsts.push(request.url())
  })
  const all = (url: URL) => url.pathname.endsWith('/events') && url.searchParams.has('type')
  await page.route(all, (route) => route.abort())
  await page.goto(`${service.origin}/?view=activity&type=order.placed`)
  await signIn(page, service.key)
  await page.getByRole('alert').getByText('Not all of this day could be read.').waitFor()
  // Nothing is said of what was not read.
  expect(await page.getByText('None.').count()).toBe(0)
  await page.unroute(all)
  await page.getByRole('heading', { name: `${RESERVED}: 50+` }).waitFor()
  const before = firsts.length
  await page.unroute(second)
  await page.getByRole('heading', { name: `${RESERVED}: 60`, exact: true }).waitFor()
  await page.getByRole('alert').waitFor({ state: 'hidden' })
  expect(firsts.length).toBe(before)

  // After a restore, the cursor would be refused each time.
  await page.route(second, (route) => route.abort())
  await page.reload()
  await page.getByRole('alert').getByText('Not all of this day could be read.').waitFor()
  await service.store.endEpoch((await service.store.findEnd()).epoch)
  await page.unroute(second)
  await page.getByRole('heading', { name: `${RESERVED}: 60`, exact: true }).waitFor()
})
