// The list of the page at `/`: its address, its pager, its filters and its failures, in a real browser.

import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { accessibilityProblems } from '../../../test/support/browser.ts'
import {
  addPets,
  firstRows,
  listedIds,
  openAdding,
  openEachTest,
  openSignedIn,
  refusal,
  rowsOn,
  THREE_PAGES,
  tabTo,
} from '../../../test/support/console.ts'
import { type Service, startService } from '../../../test/support/service.ts'
import { labelOf } from '../src/animal/status-labels.ts'
import { NOT_RESPONDING, TIMEOUT_MS } from '../src/failures.ts'
import { PAGE_SIZE } from '../src/list/page-sizes.ts'

const RESERVED = labelOf('pending')

let service: Service
let page: Page
const { addNamed, alert, hold, press, said, type } = openEachTest((opened) => {
  ;({ service, page } = opened)
})

const addAnimals = (count: number) => addPets(service, count, 'available', 'sold')

/** Answers every list as a service that limits the rate. */
const limitRate = () =>
  page.route('**/v1/pets?**', (route) =>
    route.fulfill(refusal({ code: 'rate_limited', message: 'Too many requests.' })),
  )

test('the address holds status, page size and page: for a reload, Back and Forward, and a second tab', async () => {
  await addAnimals(250)
  await openSignedIn(page, service.key)
  await page.getByRole('radio', { name: 'Sold' }).check()
  await page.getByText(firstRows()).waitFor()
  await page.getByLabel('Per page').selectOption('50')
  await page.getByText('1 – 50').waitFor()
  expect(page.url()).toBe(`${service.origin}/?status=sold&limit=50`)
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByText('51 – 100').waitFor()
  const ids = await listedIds(page)

  await page.reload()
  await page.getByText('51 – 100').waitFor()
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByText('101 – 125 of 125').waitFor()
  await page.goBack()
  await page.getByText('51 – 100').waitFor()
  await page.goBack()
  await page.getByText('1 – 50').waitFor()
  await page.goForward()
  await page.getByText('51 – 100').waitFor()
  expect(await listedIds(page)).toEqual(ids)

  const other = await page.context().newPage()
  await other.goto(page.url())
  await other.getByText('51 – 100').waitFor()
  expect(await listedIds(other)).toEqual(ids)
  expect(await other.getByRole('radio', { name: 'Sold' }).isChecked()).toBe(true)
  await other.getByRole('button', { name: 'Previous' }).click()
  await other.getByText('1 – 50').waitFor()
})

test('the newest come first, or the last page; a link to any page leads on in both directions', async () => {
  const total = 4 * PAGE_SIZE + 10
  await addAnimals(total)
  await openSignedIn(page, service.key)
  /** A page behind so many rows, whose first animal has this id. */
  const shows = async (before: number, first: number, on = page) => {
    const range = `${before + 1} – ${before + PAGE_SIZE} of ${total}`
    await on.locator('.numbers').getByText(range, { exact: true }).waitFor()
    expect((await listedIds(on))[0]).toBe(String(first))
  }
  const oldest = (before: number, on = page) => shows(before, before + 1, on)
  const newest = (before: number, on = page) => shows(before, total - before, on)
  await page.getByRole('button', { name: 'Last page' }).click()
  await oldest(total - PAGE_SIZE)
  await page.getByRole('button', { name: 'Previous' }).click()
  await oldest(total - 2 * PAGE_SIZE)
  const link = await page.context().newPage()
  await link.goto(page.url())
  await link.getByRole('button', { name: 'Previous' }).click()
  await oldest(total - 3 * PAGE_SIZE, link)
  await page.getByRole('button', { name: 'Next' }).click()
  await oldest(total - PAGE_SIZE)

  await page.getByLabel('Sort').selectOption('Newest first')
  await newest(0)
  expect(page.url()).toBe(`${service.origin}/?sort=newest`)
  // It stays so while one goes to the orders and back.
  await page.getByRole('link', { name: 'Orders' }).click()
  await page.getByRole('heading', { name: 'Orders' }).waitFor()
  await page.getByRole('link', { name: 'Animals' }).click()
  await newest(0)
  await page.getByRole('button', { name: 'Next' }).click()
  await newest(PAGE_SIZE)
  await page.getByRole('button', { name: 'Last page' }).click()
  await newest(total - PAGE_SIZE)
})

test('animals that were added long ago are looked up by the ids in the address, and not read through all that is newer', async () => {
  await addAnimals(THREE_PAGES + 2_500)
  await openSignedIn(page, service.key)
  await page.getByText(firstRows()).first().waitFor()
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.goto(`${service.origin}/?ids=3-${PAGE_SIZE + 4},${PAGE_SIZE + 21}`)
  await page.getByText(`${PAGE_SIZE} rows`).waitFor()
  expect((await listedIds(page)).slice(0, 2)).toEqual([String(PAGE_SIZE + 21), String(PAGE_SIZE + 4)])
  expect(asked.filter((path) => path === '/v1/pets')).toHaveLength(1)
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByText('3 rows').waitFor()
  expect(await listedIds(page)).toEqual(['5', '4', '3'])
})

test('an address with an invalid cursor shows a button that leads to the first page', async () => {
  await addAnimals(30)
  await openSignedIn(page, service.key)
  await page.goto(`${service.origin}/?cursor=nonsense&page=3`)
  await alert().getByText('This link leads nowhere. It may be incomplete, or of another store.').waitFor()
  expect(await alert().textContent()).not.toContain('cursor')
  await alert().getByRole('button', { name: 'First page' }).click()
  await page.getByText(firstRows()).waitFor()
  expect(page.url()).toBe(`${service.origin}/`)
})

test('when a page cannot be loaded, the pager says so, and until when it waits', async () => {
  await addAnimals(60)
  await openSignedIn(page, service.key)
  await page.getByLabel('Per page').selectOption('50')
  await page.getByText('1 – 50').waitFor()
  await limitRate()
  await page.getByRole('button', { name: 'Next' }).click()
  await alert().getByText('Could not load page 2. Too many requests.').waitFor()
  expect(await alert().textContent()).toMatch(/Next try in 3[0-9]{3} s\./)
  const [notice, pager] = await Promise.all([alert().boundingBox(), page.locator('.pager').boundingBox()])
  const gap = (pager?.y ?? 0) - ((notice?.y ?? 0) + (notice?.height ?? 0))
  expect(gap).toBeGreaterThanOrEqual(0)
  expect(gap).toBeLessThan(40)
  expect((notice?.y ?? 0) + (notice?.height ?? 0)).toBeLessThan(page.viewportSize()?.height ?? 0)
  expect(await listedIds(page)).toHaveLength(50)
  expect(await accessibilityProblems(page)).toEqual([])
  await alert().getByRole('button', { name: 'Stay on page 1' }).click()
  await alert().getByText('This list may be out of date.').waitFor()
  expect(new URL(page.url()).searchParams.get('page')).toBeNull()
  await page.getByRole('button', { name: 'Next' }).click()
  await alert().getByText('Could not load page 2.').waitFor()
  // The page does not try by itself for an hour.
  const refused = page.waitForResponse('**/v1/pets?**')
  await alert().getByRole('button', { name: 'Try now' }).click()
  expect((await refused).status()).toBe(429)
  await page.unroute('**/v1/pets?**')
  // The button goes before it is pressed where an attempt that was under way brings the page.
  const shown = page.getByText('51 – 60 of 60').waitFor()
  void alert()
    .getByRole('button', { name: 'Try now' })
    .click()
    .catch(() => undefined)
  await shown
  expect(await alert().count()).toBe(0)
  // It does not look like an empty list.
  await page.getByRole('radio', { name: RESERVED }).check()
  await page.getByText(`No animal is ${RESERVED.toLowerCase()}.`).waitFor()
  await limitRate()
  await page.getByRole('radio', { name: 'Sold' }).check()
  await alert().getByText('Could not load sold animals. Too many requests.').waitFor()
  expect(await page.getByText('No animal is').count()).toBe(0)
})

test('the rows are shown before the counts have come, and with the last counts on the next page', async () => {
  await addAnimals(30)
  // However slow the machine is, no request of the page ends because it lasts long.
  await page.evaluate(
    `{ const later = setTimeout; window.setTimeout = (act, ms) => later(act, ms === ${TIMEOUT_MS} ? 1e9 : ms) }`,
  )
  let count = await hold('**/v1/store/inventory')
  await openSignedIn(page, service.key)
  await page.getByText(firstRows(), { exact: true }).waitFor()
  count()
  await page.getByText(firstRows(30)).waitFor()
  count = await hold('**/v1/store/inventory')
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByText(rowsOn(2, 30)).waitFor()
  count()
})

test('while a page is slow, the list says what is loading', async () => {
  await addAnimals(30)
  await openSignedIn(page, service.key)
  await page.getByText(firstRows()).waitFor()
  const release = await hold('**/v1/pets?**')
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByText('loading page 2…').waitFor()
  release()
  await page.getByText(rowsOn(2, 30)).waitFor()
  expect(await page.getByText('loading page').count()).toBe(0)
})

test('the list of a category is one click from each animal: in the address, with status and search, exported, and offered', async () => {
  await addAnimals(6)
  const categoryId = -(2n ** 63n)
  await addNamed({ name: 'Luna', categoryId }, { name: 'Rex', categoryId, status: 'sold' })
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
  await page.getByRole('radio', { name: RESERVED }).check()
  await page.getByText(`No animal of category -9223372036854775808 is ${RESERVED.toLowerCase()}.`).waitFor()
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
    page.locator('datalist option').evaluateAll((all) => all.map((one) => (one as unknown as { value: string }).value))
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

test('the list shows every name as it is: no markup, its own direction, its own spaces', async () => {
  const names = [
    '<img src=x onerror=alert(1)>',
    '&lt;b&gt;',
    'كلب صغير',
    '  two  spaces  ',
    "Robert'); DROP TABLE pets;--",
  ]
  await addNamed(...names)
  await openSignedIn(page, service.key)
  await page.getByText('5 animals').waitFor()
  expect(await page.locator('.rows .name:not(.hint)').allTextContents()).toEqual(names)
  expect(
    await page.evaluate("getComputedStyle(document.querySelectorAll('.rows .name:not(.hint)')[2]).direction"),
  ).toBe('rtl')
  expect(await page.locator('main img').count()).toBe(0)
})

test('the list keeps its rows while the service does not respond, says so, and continues when it does', async () => {
  await addAnimals(THREE_PAGES)
  await openSignedIn(page, service.key)
  await page.getByText(firstRows()).waitFor()
  await tabTo(page, 'Next')
  await service.server.stop(1_000)
  await press('Enter')
  await alert().getByText(NOT_RESPONDING).waitFor()
  expect(await listedIds(page)).toHaveLength(PAGE_SIZE)
  const again = await startService({ store: service.store, port: service.port })
  await page.getByText(rowsOn(2, THREE_PAGES)).waitFor()
  await said('The service is responding again.')
  expect(await alert().count()).toBe(0)
  await again.server.stop(1_000)
})
