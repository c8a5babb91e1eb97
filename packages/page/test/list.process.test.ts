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
import { PAGE_SIZE } from '../src/list/list-position.ts'

const RESERVED = labelOf('pending').toLowerCase()

let service: Service
let page: Page
const { addNamed, alert, hold, press, said, type } = openEachTest((opened) => {
  ;({ service, page } = opened)
})

const addAnimals = (count: number) => addPets(service, count, 'available', 'sold')

test('the address holds the filter, the order and the page: for a reload, Back and Forward, and a second tab', async () => {
  const total = 2 * THREE_PAGES
  await addAnimals(total)
  await openSignedIn(page, service.key)
  /** A page of the sold ones, whose first animal has this id. */
  const shows = async (number: number, first: number, on = page) => {
    await on.getByText(rowsOn(number, THREE_PAGES)).waitFor()
    expect((await listedIds(on))[0]).toBe(String(first))
  }
  await page.getByRole('radio', { name: 'Sold' }).check()
  await page.getByLabel('Sort').selectOption('Newest first')
  await shows(1, total)
  expect(page.url()).toBe(`${service.origin}/?status=sold&sort=newest`)
  await page.getByRole('button', { name: 'Next' }).click()
  await shows(2, total - 2 * PAGE_SIZE)
  await page.reload()
  await shows(2, total - 2 * PAGE_SIZE)
  await page.goBack()
  await shows(1, total)
  await page.goForward()
  await shows(2, total - 2 * PAGE_SIZE)

  const other = await page.context().newPage()
  await other.goto(page.url())
  await shows(2, total - 2 * PAGE_SIZE, other)
  expect(await other.getByRole('radio', { name: 'Sold' }).isChecked()).toBe(true)
  await other.getByRole('button', { name: 'Last page' }).click()
  const last = other.locator('.numbers').getByText(`${THREE_PAGES - PAGE_SIZE + 1} – ${THREE_PAGES} of ${THREE_PAGES}`)
  await last.waitFor()
  await other.getByRole('button', { name: 'Previous' }).click()
  await last.waitFor({ state: 'hidden' })
  await other.getByRole('button', { name: 'Next' }).click()
  await last.waitFor()
  // The order stays while one goes to the orders and back.
  await page.getByRole('link', { name: 'Orders' }).click()
  await page.getByRole('heading', { name: 'Orders' }).waitFor()
  await page.getByRole('link', { name: 'Animals' }).click()
  await page.waitForURL(`${service.origin}/?sort=newest`)
})

test('an address that has no meaning says so: a cursor of another store, and filters', async () => {
  await addAnimals(30)
  await openSignedIn(page, service.key)
  await page.goto(`${service.origin}/?cursor=nonsense&page=3`)
  await alert().getByText('This link does not work. It may be incomplete or belong to another store.').waitFor()
  expect(await alert().textContent()).not.toContain('cursor')
  await alert().getByRole('button', { name: 'First page' }).click()
  await page.getByText(firstRows()).waitFor()
  expect(page.url()).toBe(`${service.origin}/`)
  for (const wrong of ['category=dog', 'status=reserved', 'animal=abc']) {
    await page.goto(`${service.origin}/?${wrong}`)
    await alert().getByText(`This link does not work. Not valid, so ignored: “${wrong}”.`).waitFor()
    await page.getByText(firstRows(30)).waitFor()
  }
  await page.goto(`${service.origin}/?view=activity&day=2026-13-45`)
  await alert().getByText('“day=2026-13-45”').waitFor()
  await page.getByRole('link', { name: 'Animals' }).click()
  await page.getByText(firstRows(30)).waitFor()
  expect(await alert().count()).toBe(0)
})

test('a page that cannot be loaded says so, and until when it waits; it can be taken back, and tried at once', async () => {
  await addAnimals(THREE_PAGES)
  await openSignedIn(page, service.key)
  await page.getByText(firstRows()).waitFor()
  const limitRate = () =>
    page.route('**/v1/pets?**', (route) =>
      route.fulfill(refusal({ code: 'rate_limited', message: 'Too many requests.' })),
    )
  await limitRate()
  await page.getByRole('button', { name: 'Next' }).click()
  await alert().getByText('Could not load page 2. Too many requests.').waitFor()
  expect(await alert().textContent()).toMatch(/Next try in 3[0-9]{3} s\./)
  expect(await listedIds(page)).toHaveLength(PAGE_SIZE)
  expect(await accessibilityProblems(page)).toEqual([])
  await alert().getByRole('button', { name: 'Stay on page 1' }).click()
  await alert().getByText('This list may be out of date.').waitFor()
  expect(new URL(page.url()).searchParams.get('page')).toBeNull()
  await page.getByRole('button', { name: 'Next' }).click()
  await alert().getByText('Could not load page 2.').waitFor()
  await page.unroute('**/v1/pets?**')
  // The button goes before it is pressed if an attempt that was under way brings the page.
  const shown = page.getByText(rowsOn(2, THREE_PAGES)).waitFor()
  void alert()
    .getByRole('button', { name: 'Try now' })
    .click()
    .catch(() => undefined)
  await shown
  expect(await alert().count()).toBe(0)
  // It does not look like an empty list.
  await page.getByRole('radio', { name: labelOf('pending') }).check()
  await page.getByText(`No ${RESERVED} animals.`).waitFor()
  await limitRate()
  await page.getByRole('radio', { name: 'Sold' }).check()
  await alert().getByText('Could not load sold animals. Too many requests.').waitFor()
  expect(await page.getByText(/^No .* animals/).count()).toBe(0)
})

test('the rows come before the counts, with the last counts on the next page; a slow page says what is loading', async () => {
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
  const release = await hold('**/v1/pets?**')
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByText('loading page 2…').waitFor()
  release()
  await page.getByText(rowsOn(2, 30)).waitFor()
  count()
  expect(await page.getByText('loading page').count()).toBe(0)
})

test('the list of a category is one click from each animal: in the address, with status, exported, and offered', async () => {
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
  expect(await Bun.file(await download.path()).text()).toContain('\n8,Rex,-9223372036854775808,sold')
  await page.getByRole('radio', { name: labelOf('pending') }).check()
  await page.getByText(`No ${RESERVED} animals in category -9223372036854775808.`).waitFor()
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.getByText('8 animals').waitFor()

  const field = page.locator('#filter-category')
  await field.fill('7')
  await page.getByText('6 animals').waitFor()
  await field.fill('7 dogs')
  await page.getByText('Enter a whole number.').waitFor()
  const sort = (await page.getByLabel('Sort').boundingBox())?.height
  await field.fill('')
  await page.getByText('8 animals').waitFor()
  expect((await page.getByLabel('Sort').boundingBox())?.height).toBe(sort as number)
  await openAdding(page)
  await type('Mia')
  await page.getByRole('dialog').getByLabel('Category', { exact: true }).fill('99')
  await press('Enter')
  await page.getByText('9 animals').waitFor()
  const offered = await page
    .locator('datalist option')
    .evaluateAll((all) => all.map((one) => (one as unknown as { value: string }).value))
  expect(offered).toEqual(['99', '7', '-9223372036854775808'])
})

test('the list shows every name as it is: no markup, its own direction, its own spaces', async () => {
  const names = ['<img src=x onerror=alert(1)>', '&lt;b&gt;', 'كلب صغير', '  two  spaces  ']
  await addNamed(...names)
  await openSignedIn(page, service.key)
  await page.getByText('4 animals').waitFor()
  expect(await page.locator('.rows a .name').allTextContents()).toEqual(names)
  const direction = await page.evaluate("getComputedStyle(document.querySelectorAll('.rows a .name')[2]).direction")
  expect(direction).toBe('rtl')
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
  await said('Connected again.')
  expect(await alert().count()).toBe(0)
  await again.server.stop(1_000)
})
