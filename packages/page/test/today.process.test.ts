// Today's page at `/`: what happened since midnight, counted live; each number leads to what it counts.

import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { accessibilityProblems } from '../../../test/support/browser.ts'
import { addPets, openEachTest, openSignedIn } from '../../../test/support/console.ts'
import { layoutProblems } from '../../../test/support/layout-problems.ts'
import type { Service } from '../../../test/support/service.ts'
import { PetstoreClient } from '../../client/src/petstore.ts'

let service: Service
let page: Page
openEachTest((opened) => {
  ;({ service, page } = opened)
})

test('counts what was sold, reserved, taken back and added since midnight, and what ends, and follows the day', async () => {
  service.clock.at = Date.now() - 30 * 3_600_000
  await addPets(service, 3, 'available', 'available')
  service.clock.at = Date.now()
  await addPets(service, 2, 'available', 'available')
  const client = new PetstoreClient({ baseUrl: service.url, apiKey: service.key })
  await client.completeOrder((await client.placeOrder({ petId: 1n, reference: 'Anna' })).id)
  const waiting = page.waitForRequest((request) => request.url().includes('wait='))
  await openSignedIn(page, service.key)
  await waiting
  await page.getByRole('link', { name: 'Today' }).click()
  await page.waitForURL(`${service.origin}/?view=today`)
  const number = (name: string) => page.getByRole('button', { name })
  await number('1 Sold').waitFor()
  await number('1 Reserved').waitFor()
  await number('2 Added').waitFor()
  await number('0 Taken back').waitFor()
  const shown = page.getByRole('region', { name: 'Sold' })
  await shown.getByText('Sold for Anna — test').waitFor()
  await client.returnOrder(1n)
  await number('1 Taken back').click()
  await page.getByRole('region', { name: 'Taken back' }).getByRole('link', { name: 'Pet 1' }).waitFor()
  const now = new Date()
  // In the last seconds of a day, nothing ends today.
  if (now.getHours() < 23) {
    await client.placeOrder({ petId: 2n, expiresAt: new Date(Date.now() + 1_800_000).toISOString() })
    await number('1 Ends today').click()
    await page.getByRole('link', { name: 'Order 2' }).waitFor()
  }
  expect(await accessibilityProblems(page)).toEqual([])
  await page.setViewportSize({ width: 320, height: 700 })
  expect(await layoutProblems(page)).toEqual([])
})

test('stops counting somewhere on a busy day, and says so', async () => {
  const event = { type: 'pet.added', at: new Date().toISOString(), petId: 1, petStatus: 'available' }
  const pet = { id: 1, name: 'Rex', categoryId: 7, status: 'available' }
  let told = 0
  await page.route(/store\/events\?(from=2|cursor=busy)/, (route) => {
    const events = Array.from({ length: 100 }, () => ({ id: ++told, ...event, pet }))
    const headers = { 'Content-Type': 'application/json', Link: '</v1/store/events?cursor=busy>; rel="next"' }
    return route.fulfill({ headers, body: JSON.stringify(events) })
  })
  await page.goto(`${service.origin}/?view=today`)
  await page.getByLabel('API key').fill(service.key)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'more than 2,000 Added' }).waitFor()
})
