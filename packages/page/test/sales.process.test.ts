// Sales on the page at `/`: a day at the counter, its close on paper and in a file, and everything that happened.

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { accessibilityProblems } from '../../../test/support/browser.ts'
import { addPets, openEachTest } from '../../../test/support/console.ts'
import { layoutProblems } from '../../../test/support/layout-problems.ts'
import type { Service } from '../../../test/support/service.ts'
import { PetstoreClient } from '../../client/src/petstore.ts'
import { EVENT_COLUMNS } from '../../files/src/event-rows.ts'
import { dayFrom, dayOf } from '../../files/src/local-time.ts'
import { labelOf } from '../src/animal/status-labels.ts'

const TAKEN_BACK = labelOf('returned')

let service: Service
let page: Page
let client: PetstoreClient
const { button, openFollowing } = openEachTest((opened) => {
  ;({ service, page, client } = opened)
})

const kind = (name: string) => page.getByRole('radio', { name, exact: true })
const lines = () => page.locator('.history li')
/** The cells of a table, row by row. */
const cells = (table: string) =>
  page
    .locator(`.${table} tbody tr`)
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)))

test('a day at the counter: what two tills sold and took back, on the screen, on paper and in a file', async () => {
  const yesterday = dayFrom(dayOf(Date.now()), -1)
  service.clock.at = Date.parse(`${yesterday}T12:00:00`)
  await addPets(service, 3, 'available', 'available')
  const till = new PetstoreClient({ baseUrl: service.url, apiKey: await service.addKey({ name: 'till 3' }) })
  await client.completeOrder((await client.placeOrder({ petId: 1n, reference: '=Anna' })).id)
  service.clock.at = Date.now()
  await openFollowing()
  await page.getByRole('link', { name: 'Sales' }).click()
  await page.waitForURL(`${service.origin}/?view=sales`)
  await page.getByText('No animal was sold or taken back.').waitFor()
  expect(await button('Print').count()).toBe(0)

  // The page follows what the tills do.
  await till.updatePet(3n, { name: 'Luna' })
  await till.returnOrder(1n)
  await client.completeOrder((await client.placeOrder({ petId: 2n, reference: 'receipt 7' })).id)
  await client.placeOrder({ petId: 3n })
  await page.getByText('receipt 7').first().waitFor()
  await kind('All 4').waitFor()
  expect(await cells('totals')).toEqual([
    ['test', '1', '0', '1'],
    ['till 3', '0', '1', '-1'],
    ['All tills', '1', '1', '0'],
  ])
  const sales = await cells('sales')
  expect(sales.map(([, ...rest]) => rest)).toEqual([
    ['Order 1', 'Pet 1', '=Anna', 'till 3', TAKEN_BACK],
    ['Order 2', 'Pet 2', 'receipt 7', 'test', 'Sold'],
  ])
  await kind('Edited 1').check()
  await lines().getByText('Edited: name from Pet 3 to Luna — till 3').waitFor()
  await kind('Reserved 1').check()
  await lines().getByRole('link', { name: 'Luna' }).waitFor()
  expect([await lines().count(), await accessibilityProblems(page)]).toEqual([1, []])

  await page.emulateMedia({ media: 'print' })
  const paper = await page.getByRole('main').innerText()
  for (const part of ['till 3', 'All tills', 'receipt 7']) expect(paper).toContain(part)
  for (const gone of ['Everything', 'Print', 'Reserved']) expect(paper).not.toContain(gone)
  await page.emulateMedia({ media: 'screen' })
  const download = page.waitForEvent('download')
  await button('Export').click()
  const file = await download
  expect(file.suggestedFilename()).toBe(`sales ${dayOf(Date.now())}.csv`)
  const [head, ...rows] = readFileSync(await file.path(), 'utf8')
    .trimEnd()
    .split('\n')
  expect(head).toBe(`\ufeff${EVENT_COLUMNS.join(',')}`)
  expect(rows.map((row) => row.split(',').slice(1, -1).join())).toEqual([
    "order.returned,1,Pet 1,1,'=Anna,till 3,-1",
    'order.completed,2,Pet 2,2,receipt 7,test,1',
  ])

  for (const width of [320, 768, 1280]) {
    await page.setViewportSize({ width, height: 700 })
    expect(await layoutProblems(page)).toEqual([])
  }
  await page.locator('.sales').getByRole('link', { name: 'Pet 2' }).click()
  await page.getByRole('heading', { name: 'Order 2' }).waitFor()
  await page.goBack()

  // The day before, by its address too, also if its sales come late; and a day to come.
  const sold = (url: URL) => url.searchParams.get('type') === 'order.completed'
  await page.route(sold, (route) => route.abort())
  await button('Previous day').click()
  await page.waitForURL(/day=/)
  expect(new URL(page.url()).searchParams.get('day')).toBe(yesterday)
  await page.getByRole('alert').getByText('Not all of this day could be read.').waitFor()
  expect(await page.locator('.sales').count()).toBe(0)
  await page.unroute(sold)
  await page.reload()
  await page.locator('.sales').getByText('=Anna').waitFor()
  await page.goto(`${service.origin}/?view=sales&day=2999-01-01`)
  await page.getByText('This day has not begun.').waitFor()
})
