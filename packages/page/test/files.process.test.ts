// Import and export on the page at `/`. `npm run endurance -- page` does it with 100 000 rows.

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { accessibilityProblems } from '../../../test/support/browser.ts'
import { addPets, firstRows, listedIds, openEachTest, openSignedIn, refusal } from '../../../test/support/console.ts'
import { temporaryFile } from '../../../test/support/files.ts'
import type { Service } from '../../../test/support/service.ts'
import type { PetstoreClient } from '../../client/src/petstore.ts'
import { labelOf } from '../src/animal/status-labels.ts'
import { PAGE_SIZE } from '../src/list/list-position.ts'

const RESERVED = labelOf('pending')

let service: Service
let page: Page
let client: PetstoreClient
const { addNamed, animals, press, said } = openEachTest((opened) => {
  ;({ service, page, client } = opened)
})

/** As from a folder, onto the heading of the page. */
async function drop(text: string): Promise<void> {
  await page.getByRole('heading', { name: 'Animals', exact: true }).waitFor()
  const kept = await page.evaluate(`(() => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File([${JSON.stringify(text)}], 'pets.csv', { type: 'text/csv' }))
    const event = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true })
    return document.querySelector('h1').dispatchEvent(event)
  })()`)
  // Otherwise the browser would leave the page for the file.
  expect(kept).toBe(false)
}

const csv = (text: string, encoding: BufferEncoding = 'utf8') => ({
  name: 'pets.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(text, encoding),
})

/** The dialog, and how a file is chosen in it. */
async function openImport() {
  await openSignedIn(page, service.key)
  await page.getByRole('button', { name: 'Import' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import animals' })
  const choose = (file: string | ReturnType<typeof csv>) => dialog.getByLabel('CSV file').setInputFiles(file)
  const add = (count: number) => dialog.getByRole('button', { name: `Add ${count}`, exact: true }).click()
  return { dialog, choose, add }
}

test('rows with mistakes are shown alone, are fixed in place or skipped, and the added animals are a list', async () => {
  await addPets(service, 1, 'available', 'available')
  const { dialog, choose, add } = await openImport()
  const rows = Array.from({ length: 120 }, (_, n) => `Luna ${n};9223372036854775807;${n % 2 ? RESERVED : ''}`)
  const text = `\uFEFFName;Category;Status\r\n${rows.join('\r\n')}\r\nRex;seven;gone\r\n;7;\r\nMia\r\n"Tom;7;\r\n`
  await choose(csv(text))
  await dialog.getByText('pets.csv has 124 rows, 4 with mistakes. Fix them here, or add only the rest.').waitFor()
  const wrong = await dialog.locator('tbody tr').allInnerTexts()
  expect(wrong.map((text) => text.split(/\s*[\n\t]\s*/).filter((part) => part.endsWith('.')))).toEqual([
    ['Enter a whole number.', 'Choose Available, Reserved or Sold.'],
    ['Enter a name.'],
    ['This row has 1 column, but the heading has 3.'],
    [expect.stringMatching(/^This row has a misplaced quote/)],
  ])
  expect(await accessibilityProblems(page)).toEqual([])
  expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Category, line 122')
  const cell = (field: string, line: number) => dialog.getByLabel(`${field}, line ${line}`)
  await cell('Category', 122).fill('7')
  await cell('Status', 122).selectOption('Sold')
  await cell('Name', 123).fill('Ada')
  await dialog.getByRole('button', { name: 'Skip line 124' }).click()
  expect(await animals()).toHaveLength(1)
  await add(122)
  await dialog.getByText('122 added, 1 with a mistake, 1 skipped.').waitFor()
  const added = (await animals()).slice(1)
  expect(added).toHaveLength(122)
  expect(added.filter(({ status }) => status === 'pending')).toHaveLength(60)
  expect(added.find(({ name }) => name === 'Rex')).toMatchObject({ categoryId: 7n, status: 'sold' })

  await addPets(service, 1, 'available', 'available')
  await dialog.getByRole('link', { name: 'Show what was added' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await page.getByText('100 rows').waitFor()
  expect(page.url()).toContain('?ids=2-123&limit=100')
  expect((await listedIds(page)).slice(0, 2)).toEqual(['123', '122'])
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByText('22 rows').waitFor()
  expect((await listedIds(page)).at(-1)).toBe('2')
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.getByText('1 – 100 of 124').waitFor()
})

test('adds nothing twice from the same file, corrected or not, until you choose to add it again', async () => {
  await addPets(service, 1, 'available', 'available')
  const { dialog, choose, add } = await openImport()
  const path = temporaryFile('pets.csv')
  await Bun.write(path, 'name,categoryId\nTom,x\nMia,7\n')
  await choose(path)
  await add(1)
  await dialog.getByText('1 added, 1 with a mistake.').waitFor()
  expect(await dialog.getByLabel('CSV file').inputValue()).toBe('')
  // The corrected row is equal to the row behind it, which was added before.
  await dialog.getByLabel('Name, line 2').fill('Mia')
  await dialog.getByLabel('Category, line 2').fill('7')
  await add(1)
  await dialog.getByText('2 added.', { exact: true }).waitFor()
  await Bun.write(path, 'name,categoryId\nAda,9\nMia,7\nTom,8\nMia,7\n')
  await choose(path)
  await dialog.getByText('pets.csv has 4 rows.').waitFor()
  await add(4)
  await dialog.getByText('2 added, 2 were there already: nothing is added twice.').waitFor()
  expect((await animals()).map(({ name }) => name).toSorted()).toEqual(['Ada', 'Mia', 'Mia', 'Pet 1', 'Tom'])
  await dialog.getByRole('button', { name: 'Add 2 again' }).click()
  await dialog.getByText('4 added.', { exact: true }).waitFor()
  expect((await animals()).filter(({ name }) => name === 'Mia')).toHaveLength(4)
})

test('a file that cannot be imported is refused with the reason, as on the command line', async () => {
  const { dialog, choose } = await openImport()
  for (const [name, contents, sentence] of [
    ['pets.xlsx', 'PK\u0003\u0004', 'pets.xlsx is a spreadsheet workbook. Use CSV instead'],
    ['a\u202efdp.csv', 'name,categoryId\n\n', 'There are no records in a[U+202E]fdp.csv.'],
    ['pets.csv', 'name,"categoryId\nMia,7\n', 'Line 1 has a misplaced quote'],
  ] as const) {
    const path = temporaryFile(name)
    await Bun.write(path, contents)
    await choose(path)
    await dialog.getByRole('alert').getByText(sentence).waitFor()
  }
})

test('columns without known headings are assigned, and the accents of a file that is not UTF-8 are asked about', async () => {
  await addPets(service, 1, 'available', 'available')
  const { dialog, choose, add } = await openImport()
  await choose(csv('Nr;Rufname;Preis\r\n1;M\x8fller;9,50\r\n2;Rex;\r\n;;\r\n', 'latin1'))
  const said = () => dialog.locator('.dialog-body').innerText()
  await dialog.getByText('Choose the columns of pets.csv').waitFor()
  expect(await page.evaluate('document.activeElement.id')).toBe('import-column-name')
  expect(await accessibilityProblems(page)).toEqual([])
  await dialog.getByLabel('Name column').selectOption('Rufname')
  await dialog.getByLabel('Category of all rows').fill('9223372036854775807')
  await press('Tab')
  await dialog.getByText('pets.csv has 2 rows.').waitFor()
  expect(await said()).toContain('Ignored columns: Nr, Preis.')
  await dialog.getByLabel('It is read as').selectOption('macintosh')
  await dialog.getByText('Are the accents right? Mèller').waitFor()
  expect(await accessibilityProblems(page)).toEqual([])
  await add(2)
  await dialog.getByText('2 added.').waitFor()
  const added = (await animals()).slice(1).map(({ name, categoryId }) => [name, categoryId])
  expect(added.toSorted()).toEqual([
    ['Mèller', 9223372036854775807n],
    ['Rex', 9223372036854775807n],
  ])
})

test('an import that cannot go on stops, says exactly what was added, and goes on when it is told to', async () => {
  await addPets(service, 1, 'available', 'available')
  const { dialog, choose, add } = await openImport()
  const rows = Array.from({ length: 40 }, (_, n) => `Luna ${n},7`)
  await choose(csv(`name,categoryId\n${rows.join('\n')}\n`))
  let sent = 0
  const readOnly = refusal({ code: 'read_only_key', message: 'This key is read-only.' })
  // One is refused while others are on their way.
  await page.route('**/v1/pets', async (route) => {
    if (++sent === 8) return route.fulfill(readOnly)
    await Bun.sleep(100)
    await route.continue()
  })
  await add(40)
  await dialog.getByText('Rows added so far are kept').waitFor()
  const added = (await animals()).length - 1
  await dialog.getByText(`${added} added, ${40 - added} not yet.`, { exact: true }).waitFor()
  expect(added).toBeLessThan(13)
  await page.unroute('**/v1/pets')
  await add(40 - added)
  await dialog.getByText('40 added.', { exact: true }).waitFor()
  expect(await animals()).toHaveLength(41)
})

test('thousands of rows of a file that is dropped anywhere are added on whatever view, and not after signing out', async () => {
  await addPets(service, 1, 'available', 'available')
  await openSignedIn(page, service.key)
  const rows = Array.from({ length: 10_000 }, (_, n) => `Luna ${n},${n % 10 ? '' : 7}`)
  await drop(`name,categoryId\n${rows.join('\n')}\n`)
  const dialog = page.getByRole('dialog', { name: 'Import animals' })
  await dialog.getByText('10,000 rows, 9,000 with mistakes').waitFor()
  expect(await dialog.locator('tbody tr').count()).toBe(50)
  await dialog.getByRole('button', { name: 'Add 1,000' }).click()
  await press('Escape')
  await page.getByRole('link', { name: 'Orders' }).click()
  await page.getByRole('heading', { name: 'Orders' }).waitFor()
  const running = page.getByRole('region', { name: /^Importing pets\.csv: [1-9]\d* of 1,000$/ })
  await running.getByRole('button', { name: 'Cancel' }).click()
  const notice = page.getByText(/^pets\.csv: [1-9]\d* added, 9,000 with mistakes, \d+ not yet\.$/)
  await notice.waitFor()
  const cancelled = (await animals()).length
  await page.getByRole('button', { name: 'Open' }).click()
  await dialog.getByRole('button', { name: /^Add \d+$/ }).click()
  await press('Escape')
  await running.waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Petstore' }).waitFor()
  await page.waitForLoadState('networkidle')
  const signedOut = (await animals()).length
  expect(signedOut).toBeGreaterThanOrEqual(cancelled)
  expect(signedOut).toBeLessThan(1_001)
})

test('what is filtered is exported for Excel, with all its pages, and imported again without a question', async () => {
  await addPets(service, 250, 'sold', 'available')
  await addNamed({ name: '=1+1', status: 'sold' })
  await openSignedIn(page, service.key)
  await page.getByRole('radio', { name: 'Sold' }).check()
  await page.getByText(firstRows(126)).waitFor()
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('animals sold.csv')
  const text = readFileSync(await download.path(), 'utf8')
  const lines = text.trimEnd().split('\n')
  expect([lines.length, lines[0], lines[1], lines.at(-2), lines.at(-1)]).toEqual([
    127,
    '\ufeffid,name,categoryId,status',
    '1,Pet 1,7,sold',
    '249,Pet 249,7,sold',
    "251,'=1+1,7,sold",
  ])
  await said('126 rows were exported.')
  await page.getByRole('button', { name: 'Import' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import animals' })
  await dialog.getByLabel('CSV file').setInputFiles(await download.path())
  await dialog.getByRole('button', { name: 'Add 126', exact: true }).click()
  await dialog.getByText('126 added.').waitFor()
  const all = await Array.fromAsync(client.listPets({ status: 'sold' }))
  expect([all.length, all.filter(({ name }) => name === '=1+1').length]).toEqual([252, 2])
})

test('an export says how far it is on whatever view, one at a time; cancelled or signed out it saves nothing', async () => {
  await addPets(service, 350, 'sold', 'available')
  let downloads = 0
  page.on('download', () => downloads++)
  let resume = () => {}
  /** After two pages. */
  const hold = async () => {
    let pages = 0
    const held = new Promise<void>((resolve) => {
      resume = resolve
    })
    await page.unroute('**/v1/pets?*')
    await page.route('**/v1/pets?*', async (route) => {
      const url = route.request().url()
      if (url.includes('status=sold') || (!url.includes(`limit=${PAGE_SIZE}`) && ++pages > 2)) await held
      await route.continue().catch(() => undefined)
    })
  }
  await openSignedIn(page, service.key)
  await page.getByText(firstRows(350)).waitFor()
  const exporting = page.getByRole('region', { name: /^Exporting animals\.csv: \d+ of 350$/ })
  await hold()
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('link', { name: 'Orders' }).click()
  await exporting.waitFor()
  expect(await page.getByRole('button', { name: 'Exporting…' }).getAttribute('aria-disabled')).toBe('true')
  expect(await accessibilityProblems(page)).toEqual([])
  await exporting.getByRole('button', { name: 'Cancel' }).click()
  await said('The export was cancelled. Nothing was saved.')
  resume()
  await page.getByRole('link', { name: 'Animals' }).click()
  // Only then it is known how many there are.
  await page.getByText(firstRows(350)).waitFor()
  await hold()
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await exporting.waitFor()
  // The list is on its way, too.
  await page.getByRole('radio', { name: 'Sold' }).check()
  await page.getByRole('button', { name: 'Sign out' }).click()
  resume()
  await page.getByRole('heading', { name: 'Petstore' }).waitFor()
  await page.unroute('**/v1/pets?*')
  await openSignedIn(page, service.key)
  expect(await page.getByText('The export was cancelled').count()).toBe(0)
  expect(downloads).toBe(0)
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  expect(readFileSync(await (await downloading).path(), 'utf8').split('\n')).toHaveLength(352)
  expect(downloads).toBe(1)
})
