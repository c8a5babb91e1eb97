// A day at a counter at `/`, by keyboard alone: filter, find, reserve, sell, print, take back, add, correct, delete, and close the day
// on the screen, on paper and in a file. The store and its categories have names.

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { encode } from 'uqr'
import { addPets, openEachTest, signOut, tabTo } from '../../../test/support/console.ts'
import type { Service } from '../../../test/support/service.ts'
import { PetstoreClient } from '../../client/src/petstore.ts'
import { dayFrom, dayOf } from '../../files/src/local-time.ts'
import { Names } from '../../service/src/domain/names.ts'
import { labelOf } from '../src/animal/status-labels.ts'
import { SHORTCUTS } from '../src/shortcuts.ts'

const RESERVED = labelOf('pending')
const TAKEN_BACK = labelOf('returned')
const STORE = 'Rex & Co'

let service: Service
let page: Page
let client: PetstoreClient
const { button, dialog, go, press, said, type } = openEachTest(
  (opened) => {
    ;({ service, page, client } = opened)
  },
  { names: new Names(STORE, [{ id: 7n, name: 'Dogs' }]) },
)

const history = () => page.getByRole('region', { name: 'History' }).getByRole('listitem')
const heading = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor()
const done = (last: string) => history().first().getByText(last).waitFor()
/** The cells of a table, row by row. */
const cells = (table: string) =>
  page
    .locator(`.${table} tbody tr`)
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)))
async function onPaper(): Promise<string> {
  await page.emulateMedia({ media: 'print' })
  const text = await page.getByRole('main').innerText()
  await page.emulateMedia({ media: 'screen' })
  return text
}

test('a day at a counter, by keyboard alone', async () => {
  const yesterday = dayFrom(dayOf(Date.now()), -1)
  service.clock.at = Date.parse(`${yesterday}T12:00:00`)
  await addPets(service, 30, 'available', 'available')
  const till = new PetstoreClient({ baseUrl: service.url, apiKey: await service.addKey({ name: 'till 3' }) })
  await client.completeOrder((await client.placeOrder({ petId: 1n, reference: '=Anna' })).id)
  service.clock.at = Date.now()
  await heading(STORE)
  await page.keyboard.insertText(service.key)
  await press('Enter')
  await heading('Animals')
  expect(await page.title()).toBe(`Animals · ${STORE}`)
  await page.evaluate('window.printed = false; window.print = () => { window.printed = true }')

  // A wrong name of a category explains itself without moving the tools.
  const filter = page.locator('#filter-category')
  const sort = async () => (await page.getByLabel('Sort').boundingBox())?.height
  const height = await sort()
  await filter.focus()
  await type('cats')
  await page.getByText('Enter the name of a category, or a whole number.').waitFor()
  expect(await sort()).toBe(height as number)
  await press('Control+A')
  await type('dOgs')
  await page.waitForURL(`${service.origin}/?category=7`)
  await press('Tab')
  expect(await filter.inputValue()).toBe('Dogs')
  await page.getByText('1 – 20 of 30').waitFor()
  // Text that is not a category shows no other category's animals.
  await filter.fill('dogsx')
  await page.waitForURL(`${service.origin}/`)
  await filter.fill('dogs')
  await page.waitForURL(`${service.origin}/?category=7`)
  await press('Tab')

  await press(SHORTCUTS.search.key)
  await type('pet 7')
  await page.getByText('1 animal', { exact: true }).waitFor()
  await go('Pet 7')
  await heading('Pet 7')
  expect(await page.getByRole('link', { name: 'Dogs' }).getAttribute('href')).toBe('./?category=7')
  await go('Reserve Pet 7')
  await dialog().waitFor()
  await type('Ben')
  await press('Enter')
  await done(`${RESERVED} for Ben`)
  await go('Order 2')
  await heading('Order 2')
  await go('Edit')
  await tabTo(page, 'For how long')
  await type('1 week')
  await tabTo(page, 'Save')
  await press('Enter')
  await done('Order edited: until from ')
  const place = async () => (await button('Edit').boundingBox())?.y
  const before = await place()
  await go('Sell Pet 7')
  await dialog().getByText(`${RESERVED} for Ben`).waitFor()
  await press('Enter')
  await done('Sold for Ben — test')
  await button('Receipt').waitFor()
  // The message after a sale moves no button.
  expect((await button('Print a receipt').boundingBox())?.y).toBe(before as number)
  await go('Print a receipt')
  expect(await page.evaluate('window.printed')).toBe(true)
  const receipt = await onPaper()
  const year = String(new Date().getFullYear())
  const facts = ['Number\n2', year, 'Till\ntest', 'Animal\nPet 7', 'Category\nDogs', 'For\nBen', 'Status\nSold']
  for (const part of [STORE, 'Receipt', ...facts]) expect(receipt).toContain(part)
  for (const gone of ['History', 'Print a receipt', 'Placed', '127.0.0.1']) expect(receipt).not.toContain(gone)
  await page.emulateMedia({ media: 'print' })
  const heights = await page.locator('.sheet dt').evaluateAll((labels) => labels.map((label) => label.clientHeight))
  expect(new Set(heights).size).toBe(1)
  for (const width of ['80mm', '210mm']) {
    const pdf = (await page.pdf({ width, height: '297mm' })).toString('latin1')
    expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(1)
  }
  await page.emulateMedia({ media: 'screen' })
  await go('Take back Pet 7')
  await dialog().getByText('Sold ').waitFor()
  await press('Enter')
  await done(TAKEN_BACK)

  await press(SHORTCUTS.add.key)
  await dialog().waitFor()
  await type('Lnua')
  await press('Tab')
  await type('dogs')
  await press('Enter')
  await dialog().waitFor({ state: 'hidden' })
  await go('Show it')
  await heading('Lnua')
  await go('Edit')
  await dialog().waitFor()
  await press('Control+A')
  await type('Luna')
  await press('Tab')
  await type('8')
  await press('Enter')
  await done('Edited: name from Lnua to Luna, category from Dogs to 8')
  await go('Delete')
  await dialog().waitFor()
  await go('Delete')
  await said('Luna is deleted.')

  // The page follows the other till.
  await go('Sales')
  await till.returnOrder(1n)
  await page.getByRole('table', { name: 'Sales and returns' }).getByText('=Anna').first().waitFor()
  expect(await cells('totals')).toEqual([
    ['test', '1', '1', '0'],
    ['till 3', '0', '1', '-1'],
    ['All tills', '1', '2', '-1'],
  ])
  const sales = await cells('sales')
  expect(sales.map(([, ...rest]) => rest)).toEqual([
    ['Order 2', 'Pet 7', 'Ben', 'test', 'Sold'],
    ['Order 2', 'Pet 7', 'Ben', 'test', TAKEN_BACK],
    ['Order 1', 'Pet 1', '=Anna', 'till 3', TAKEN_BACK],
  ])
  await page.getByRole('radio', { name: 'Edited', exact: true }).check()
  const lines = page.locator('.history li')
  await lines.getByText('Edited: name from Lnua to Luna, category from Dogs to 8 — test').waitFor()
  expect(await lines.count()).toBe(1)
  const close = await onPaper()
  for (const part of ['till 3', 'All tills', '=Anna']) expect(close).toContain(part)
  for (const gone of ['Everything', 'Print', 'Edited']) expect(close).not.toContain(gone)
  const download = page.waitForEvent('download')
  await go('Export')
  const file = await download
  expect(file.suggestedFilename()).toBe(`sales ${dayOf(Date.now())}.csv`)
  const [head, ...rows] = readFileSync(await file.path(), 'utf8')
    .trimEnd()
    .split('\n')
  expect(head).toBe('\ufeffDate,Order,Animal,Id,Category,Customer or receipt number,Till,What,Net')
  expect(rows.map((row) => row.replace(/^[^,]*,/, ''))).toEqual([
    '2,Pet 7,7,Dogs,Ben,test,Sold,1',
    '2,Pet 7,7,Dogs,Ben,test,Taken back,-1',
    "1,Pet 1,1,Dogs,'=Anna,till 3,Taken back,-1",
    ',,,,,test,"Total: 1 sold, 1 taken back",0',
    ',,,,,till 3,"Total: 0 sold, 1 taken back",-1',
    ',,,,,All tills,"Total: 1 sold, 2 taken back",-1',
  ])

  // Several days: the sums by till, category and day, on the screen and in a file.
  await page.goto(`${service.origin}/?view=sales&day=${yesterday}&to=${dayOf(Date.now())}`)
  await page.getByRole('button', { name: 'Export' }).and(page.locator('[aria-disabled="false"]')).waitFor()
  expect(await cells('totals')).toEqual([
    ['test', '2', '1', '1'],
    ['till 3', '0', '1', '-1'],
    ['Dogs', '2', '2', '0'],
    [expect.any(String), '1', '0', '1'],
    [expect.any(String), '1', '2', '-1'],
  ])
  const saving = page.waitForEvent('download')
  await go('Export')
  const sums = readFileSync(await (await saving).path(), 'utf8')
  for (const line of ['All,2,2,0', 'By category,,,', 'Dogs,2,2,0', `${yesterday},1,0,1`]) expect(sums).toContain(line)
  await page.getByLabel('Days').selectOption('Today')
  await page.getByRole('table', { name: 'Sales and returns' }).waitFor()

  // An added animal shows its message here, too; a year that is being typed opens no day.
  await press(SHORTCUTS.add.key)
  await dialog().waitFor()
  await type('Tom')
  await press('Tab')
  await type('7')
  await press('Enter')
  await page.locator('main').getByText('Tom was added.').waitFor()
  await page.getByRole('textbox', { name: 'Day', exact: true }).fill('0002-11-22')
  expect(new URL(page.url()).searchParams.has('day')).toBe(false)

  // The previous day, even if its sales arrive late; and a future day.
  const sold = (url: URL) => url.searchParams.get('type') === 'order.completed'
  await page.route(sold, (route) => route.abort())
  await go('Previous day')
  await page.waitForURL((url) => url.searchParams.get('day') === yesterday)
  await page.getByRole('alert').getByText('Not all of this day could be read.').waitFor()
  expect(await page.locator('.sales').count()).toBe(0)
  await page.unroute(sold)
  await page.reload()
  await page.locator('.sales').getByText('=Anna').waitFor()
  await page.goto(`${service.origin}/?view=sales&day=2999-01-01`)
  await page.getByText('This day has not begun.').waitFor()
  await signOut(page)
  await heading(STORE)
})

test('a list is printed as one table without controls: the page on the screen, or all rows that the filter finds', async () => {
  service.clock.at = Date.now()
  await addPets(service, 60, 'available', 'sold')
  await page.goto(`${service.origin}/?status=available&limit=20`)
  await heading(STORE)
  await page.keyboard.insertText(service.key)
  await press('Enter')
  const title = page.locator(`.print-title[data-text^="Available · Oldest first · 1 – 20 of 30 · "]`)
  await title.waitFor({ state: 'attached' })
  expect(await title.isVisible()).toBe(false)
  await page.emulateMedia({ media: 'print' })
  expect(await title.isVisible()).toBe(true)
  const rows = page.locator('tbody tr').filter({ visible: true })
  expect(await rows.count()).toBe(20)
  const controls = page.getByRole('button').filter({ visible: true, hasNot: page.locator('.mono') })
  expect(await controls.count()).toBe(0)
  for (const gone of ['.bar', '.tools', '.list-foot']) expect(await page.locator(gone).isVisible()).toBe(false)
  await page.emulateMedia({ media: 'screen' })
  await page.evaluate('window.print = () => document.body.append("printed")')
  await go('Print')
  await page.getByText('printed').waitFor()
  await page.emulateMedia({ media: 'print' })
  const sheet = page.locator('.sheet')
  expect(await sheet.locator('.print-title').getAttribute('data-text')).toStartWith('Available · Oldest first · 30 · ')
  expect([await sheet.locator('tbody tr').filter({ visible: true }).count(), await rows.count()]).toEqual([30, 30])
})

test('a label and a receipt are printed with their codes; the paper is remembered', async () => {
  service.clock.at = Date.now()
  await addPets(service, 2, 'available', 'available')
  await client.placeOrder({ petId: 2n })
  await page.goto(`${service.origin}/?animal=2`)
  await heading(STORE)
  await page.keyboard.insertText(service.key)
  await press('Enter')
  await page.evaluate('window.print = () => undefined')
  const code = () => page.locator('.sheet .code path').getAttribute('d')
  const codeOf = (address: string) =>
    encode(service.origin + address, { ecc: 'M', border: 4 })
      .data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')))
      .join('')
  await go('Print label')
  await page.getByLabel('Paper').selectOption('A4, 24 of 70 × 37 mm')
  await go('Print')
  expect(await code()).toBe(codeOf('/?animal=2'))
  await page.emulateMedia({ media: 'print' })
  expect((await page.locator('#app').innerText()).split(/\n+/)).toEqual(['Pet 2', 'Dogs', 'Id 2'])
  // Chromium reports the end of printing.
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
  expect(pdf.match(/MediaBox \[0 0 59\d[\d.]* 84\d/g)).toHaveLength(1)
  await page.emulateMedia({ media: 'screen' })
  await page.locator('.sheet').waitFor({ state: 'detached' })
  await go('← Animals')
  await go('Select')
  await page.getByRole('checkbox').first().check()
  await go('Print labels')
  await page.getByRole('heading', { name: 'Print 2 labels' }).waitFor()
  expect(await page.getByLabel('Paper').inputValue()).toBe('sheet')
  await page.goto(`${service.origin}/?order=1`)
  await button('Print a receipt').waitFor()
  expect(await code()).toBe(codeOf('/?order=1'))
})
