// Import and export at `/` in a browser. test/logic/import.test.ts has the rules, and `npm run endurance -- page` imports 100,000 rows.

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { addPets, firstRows, listedIds, openEachTest, openSignedIn } from '../../../test/support/console.ts'
import { temporaryFile } from '../../../test/support/files.ts'
import type { Service } from '../../../test/support/service.ts'
import { workbookOf } from '../../../test/support/workbook.ts'
import type { PetstoreClient } from '../../client/src/petstore.ts'

let service: Service
let page: Page
let client: PetstoreClient
const {
  addNamed,
  animals,
  button,
  dialog,
  go,
  hold,
  press,
  row: listed,
  said,
} = openEachTest((opened) => {
  ;({ service, page, client } = opened)
})

const file = (text: string, encoding: BufferEncoding = 'utf8') => ({
  name: 'pets.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(text, encoding),
})
const choose = (chosen: string | ReturnType<typeof file>) => dialog().getByLabel('CSV file').setInputFiles(chosen)
const add = (count: number) => button(`Add ${count}`).click()
const focusedId = () => page.evaluate<string>('document.activeElement.id')

test('a file: its columns, accents and mistakes, the rows that were added, and the same file again', async () => {
  await addPets(service, 1, 'available', 'available')
  await openSignedIn(page, service.key)
  await go('Import')
  const workbook = temporaryFile('pets.xlsx')
  await Bun.write(workbook, 'PK\u0003\u0004')
  await choose(workbook)
  await dialog().getByRole('alert').getByText('pets.xlsx is incomplete or damaged. Use CSV instead').waitFor()
  const row = (...cells: string[]) => `<row>${cells.map((text) => `<c t="str"><v>${text}</v></c>`).join('')}</row>`
  const german = [row('Name', 'Kategorie', 'Status'), row('Rex', 'Hunde', 'verkauft'), row('Ida', 'Hunde', 'frei')]
  await Bun.write(workbook, workbookOf([{ rows: german.join('') + row('Bo', 'Hnde', 'weg') }]))
  await choose(workbook)
  await dialog().getByText('pets.xlsx has 3 rows, 3 with mistakes').waitFor()
  await dialog().getByLabel('Category “Hunde”, 2 rows').selectOption('Add “Hunde” as a new category')
  await dialog().getByText('pets.xlsx has 3 rows, 1 with a mistake').waitFor()
  await dialog().getByLabel('Category “Hnde”, 1 row').selectOption('Hunde')
  await dialog().getByLabel('Status “weg”, 1 row').selectOption('Available')
  await add(3)
  await dialog().getByText('3 added.', { exact: true }).waitFor()
  await press('Escape')
  await dialog().waitFor({ state: 'hidden' })
  await listed('Rex').getByRole('link', { name: 'Hunde' }).waitFor()
  await button('Categories').click()
  await dialog().getByLabel('Name of category 8').fill('Dogs')
  await dialog().getByLabel('Name of a new category').fill('Cats')
  await press('Enter')
  await said('The categories are saved.')
  await listed('Rex').getByRole('link', { name: 'Dogs' }).waitFor()
  await button('Import').click()

  const rows = Array.from({ length: 118 }, (_, n) => `${n};Luna ${n};9,50`).join('\r\n')
  const path = temporaryFile('pets.csv')
  await Bun.write(path, Buffer.from(`Nr;Rufname;Preis\r\n1;M\x8fller;9,50\r\n2;;1\r\n3\r\n${rows}\r\n`, 'latin1'))
  await choose(path)
  await dialog().getByText('Choose the columns of pets.csv').waitFor()
  expect(await focusedId()).toBe('import-column-name')
  await dialog().getByLabel('Name column').selectOption('Rufname')
  await dialog().getByLabel('Category of all rows').fill('9223372036854775807')
  await press('Tab')
  await dialog().getByText('Ignored columns: Nr, Preis.').waitFor()
  await dialog().getByLabel('It is read as').selectOption('macintosh')
  await dialog().getByText('Are these letters right? Mèller').waitFor()
  await dialog().getByText('pets.csv has 121 rows, 2 with mistakes. Fix them here, or add only the rest.').waitFor()
  const wrong = await dialog().locator('tbody tr').allInnerTexts()
  expect(wrong.map((text) => text.split(/\s*[\n\t]\s*/).filter((part) => part.endsWith('.')))).toEqual([
    ['Enter a name.'],
    ['This row has 1 column, but the heading has 3.'],
  ])
  await dialog().getByLabel('Name, line 3').fill('Ada')
  await button('Skip line 4').click()
  expect(await animals()).toHaveLength(4)
  await add(120)
  await dialog().getByText('120 added, 1 skipped.').waitFor()
  expect(await button('Add 0 again').count()).toBe(0)
  const added = (await animals()).slice(1).filter(({ categoryId }) => categoryId === 9223372036854775807n)
  expect([added.length, added.some(({ name }) => name === 'Mèller')]).toEqual([120, true])

  await addPets(service, 1, 'available', 'available')
  await dialog().getByRole('link', { name: 'Show what was added' }).click()
  await dialog().waitFor({ state: 'hidden' })
  await page.getByText('100 rows').waitFor()
  expect(page.url()).toContain('?ids=5-124&limit=100')
  expect((await listedIds(page))[0]).toBe('124')

  // The same file can be chosen again.
  await button('Import').click()
  await Bun.write(path, 'name,categoryId\nTom,8\nMia,7\n')
  await choose(path)
  await add(2)
  await dialog().getByText('2 added.', { exact: true }).waitFor()
  await dialog().getByRole('button', { name: 'Print labels' }).click()
  await page.getByRole('heading', { name: 'Print 2 labels' }).waitFor()
  await press('Escape')
  await choose(path)
  await add(2)
  await dialog().getByText('0 added, 2 were there already: nothing is added twice.').waitFor()
  await button('Add 2 again').click()
  await dialog().getByText('2 added.', { exact: true }).waitFor()
  expect((await animals()).filter(({ name }) => ['Tom', 'Mia'].includes(name))).toHaveLength(4)
})

test('a dropped file is added while other views are open; it can be cancelled and continued', async () => {
  await addPets(service, 1, 'available', 'available')
  // The file is dropped before the import has loaded.
  const loaded = await hold('**/import-dialog-*.js')
  await openSignedIn(page, service.key)
  const text = `name,categoryId\n${Array.from({ length: 600 }, (_, n) => `Luna ${n},${n % 2 ? 7 : ''}`).join('\n')}\n`
  const kept = await page.evaluate(`(() => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File([${JSON.stringify(text)}], 'pets.csv', { type: 'text/csv' }))
    const event = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true })
    return document.querySelector('h1').dispatchEvent(event)
  })()`)
  // Otherwise the browser would open the file.
  expect(kept).toBe(false)
  loaded()
  await dialog().getByText('600 rows, 300 with mistakes').waitFor()
  expect(await dialog().locator('tbody tr').count()).toBe(50)
  await page.route('**/v1/pets', async (route) => {
    await Bun.sleep(20)
    await route.continue().catch(() => undefined)
  })
  await add(300)
  await button('Continue in the background').click()
  await page.getByRole('link', { name: 'Orders' }).click()
  await page.getByRole('heading', { name: 'Orders' }).waitFor()
  const running = page.getByRole('region', { name: /^Importing pets\.csv: [1-9]\d* of 300$/ })
  await running.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText(/^pets\.csv: [1-9]\d* added, 300 with mistakes, \d+ not yet\.$/).waitFor()
  await page.unroute('**/v1/pets')
  await button('Open').click()
  // A request that was cancelled may have added its row.
  await dialog()
    .getByRole('button', { name: /^Add \d+$/ })
    .click()
  await dialog()
    .getByText(/^\d+ added(, \d+ w.*)?, 300 with mistakes\.$/)
    .waitFor()
  expect((await client.getInventory()).available).toBe(301n)
})

test('the filtered list is exported with all its pages; a cancelled export saves nothing', async () => {
  await addPets(service, 250, 'sold', 'available')
  await addNamed({ name: '=1+1', status: 'sold' })
  await openSignedIn(page, service.key)
  await page.getByRole('radio', { name: 'Sold' }).check()
  await page.getByText(firstRows(126)).waitFor()
  let downloads = 0
  page.on('download', () => downloads++)
  // The second page, while the export runs.
  const second = (url: URL) => url.searchParams.has('cursor')
  const release = await hold(second)
  await button('Export').click()
  await page.getByRole('link', { name: 'Orders' }).click()
  const exporting = page.getByRole('region', { name: /^Exporting animals sold\.csv: \d+ of 126$/ })
  await exporting.waitFor()
  // A later announcement would replace the announcement of the export.
  await said('Orders: none found')
  expect(await button('Exporting…').getAttribute('aria-disabled')).toBe('true')
  await exporting.getByRole('button', { name: 'Cancel' }).click()
  await said('The export was cancelled. Nothing was saved.')
  release()
  await page.unroute(second)
  await page.goBack()
  await page.getByText(firstRows(126)).waitFor()
  const downloading = page.waitForEvent('download')
  await button('Export').click()
  const download = await downloading
  expect([downloads, download.suggestedFilename()]).toEqual([1, 'animals sold.csv'])
  const lines = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\n')
  expect([lines.length, lines[0], lines[1], lines.at(-2), lines.at(-1)]).toEqual([
    127,
    '\ufeffid,name,categoryId,status',
    '1,Pet 1,7,sold',
    '249,Pet 249,7,sold',
    "251,'=1+1,7,sold",
  ])
  await said('126 rows were exported.')
})
