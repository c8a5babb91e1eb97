// Import and export on the page at `/`. `npm run endurance:page` does it with 100 000 rows.

import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { accessibilityProblems } from '../../../test/support/browser.ts'
import { addPets, openEachTest, openSignedIn } from '../../../test/support/console.ts'
import { temporaryFile } from '../../../test/support/files.ts'
import type { Service } from '../../../test/support/service.ts'

let service: Service
let page: Page
const { animals, press } = openEachTest((opened) => {
  ;({ service, page } = opened)
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

const file = (text: string) => ({ name: 'pets.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })

test('a CSV of a spreadsheet is shown before anything is added, and the same file again adds nothing twice', async () => {
  await addPets(service, 1, 'available', 'available')
  await openSignedIn(page, service.key)
  await page.getByRole('button', { name: 'Import' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import animals' })
  const rows = Array.from({ length: 120 }, (_, n) => `Luna ${n};9223372036854775807;${n % 2 ? 'Reserved' : ''}`)
  const text = `\uFEFFName;Category;Status\r\n${rows.join('\r\n')}\r\nRex;seven;\r\n;7;\r\n`
  await dialog.getByLabel('A CSV file').setInputFiles(file(text))
  await dialog.getByText('and 115 more').waitFor()
  await dialog.getByText('2 cannot be added:').waitFor()
  await dialog.getByText('Line 122 has no category').waitFor()
  const first = await dialog.getByRole('listitem').allInnerTexts()
  expect(first.slice(0, 2).map((text) => text.split(/\s+/))).toEqual([
    ['Luna', '0', 'Category', '9223372036854775807', 'Available'],
    ['Luna', '1', 'Category', '9223372036854775807', 'Reserved'],
  ])
  expect(await animals()).toHaveLength(1)
  expect(await accessibilityProblems(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Add 120' }).click()
  await dialog.getByText('120 added.').waitFor()
  await dialog.getByLabel('A CSV file').setInputFiles(file('nonsense'))
  await dialog.getByText('The first line must name the columns').waitFor()
  await dialog.getByLabel('A CSV file').setInputFiles(file(text))
  await dialog.getByRole('button', { name: 'Add 120' }).click()
  await dialog.getByText('0 added, 120 were there already.').waitFor()
  expect(await animals()).toHaveLength(121)
  expect((await animals()).filter(({ status }) => status === 'pending')).toHaveLength(60)
})

test('a file that was exported for Excel is read as such where the box says so', async () => {
  await addPets(service, 1, 'available', 'available')
  await openSignedIn(page, service.key)
  await page.getByRole('button', { name: 'Import' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import animals' })
  await dialog.getByLabel('A CSV file').setInputFiles(file("\uFEFFname,categoryId\n'=Luna,7\n"))
  await dialog.getByRole('button', { name: 'Add 1' }).click()
  await dialog.getByText('1 added.').waitFor()
  await dialog.getByLabel('It was exported for Excel').check()
  await dialog.getByText('=Luna', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Add 1' }).click()
  await dialog.getByText('1 added.').waitFor()
  expect((await animals()).map(({ name }) => name).slice(-2)).toEqual(["'=Luna", '=Luna'])
})

test('an import that cannot go on stops, says exactly what was added, and goes on when it is asked to', async () => {
  await addPets(service, 1, 'available', 'available')
  await openSignedIn(page, service.key)
  await page.getByRole('button', { name: 'Import' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import animals' })
  const rows = Array.from({ length: 40 }, (_, n) => `Luna ${n},7`)
  await dialog.getByLabel('A CSV file').setInputFiles(file(`name,categoryId\n${rows.join('\n')}\n`))
  let asked = 0
  const body = JSON.stringify({ code: 'read_only_key', message: 'This key is read-only.', status: 403 })
  // One is refused while others are on their way.
  await page.route('**/v1/pets', async (route) => {
    if (++asked === 8) return route.fulfill({ status: 403, body })
    await Bun.sleep(100)
    await route.continue()
  })
  await dialog.getByRole('button', { name: 'Add 40' }).click()
  await dialog.getByText('What was added stays').waitFor()
  const added = (await animals()).length - 1
  await dialog.getByText(`${added} added.`, { exact: true }).waitFor()
  expect(added).toBeLessThan(13)
  await page.unroute('**/v1/pets')
  await dialog.getByRole('button', { name: 'Again' }).click()
  await dialog.getByText(`${40 - added} added, ${added} were there already.`).waitFor()
  expect(await animals()).toHaveLength(41)

  const path = temporaryFile('pets.csv')
  await Bun.write(path, 'name,categoryId\nMia,7\n')
  await dialog.getByLabel('A CSV file').setInputFiles(path)
  await dialog.getByRole('button', { name: 'Add 1' }).waitFor()
  await Bun.write(path, 'name,categoryId\nTom,7\nMia,7\n')
  await dialog.getByRole('button', { name: 'Add 1' }).click()
  await dialog.getByText('The file has changed').waitFor()
  expect(await animals()).toHaveLength(41)
})

test('thousands of rows are read from a file that is dropped anywhere, and are added while the page can be used', async () => {
  await addPets(service, 1, 'available', 'available')
  await openSignedIn(page, service.key)
  const rows = Array.from({ length: 2_000 }, (_, n) => `Luna ${n},${n % 10 ? '' : 7}`)
  await drop(`name,categoryId\n${rows.join('\n')}\n`)
  const dialog = page.getByRole('dialog', { name: 'Import animals' })
  await dialog.getByText('1,800 cannot be added:').waitFor()
  await dialog.getByRole('button', { name: 'Add 200' }).click()
  await dialog.getByText(/^[1-9][0-9]* added\.$/).waitFor()
  await press('Escape')
  await page.getByRole('link', { name: 'Orders' }).click()
  await page.getByRole('heading', { name: 'Orders' }).waitFor()
  await page.getByRole('link', { name: 'Animals' }).click()
  await page.getByText('of 201').waitFor()
})

test('what is filtered is exported, with all its pages', async () => {
  await addPets(service, 250, 'sold', 'available')
  await openSignedIn(page, service.key)
  await page.getByRole('radio', { name: 'Sold' }).check()
  await page.getByText('1 – 20 of 125').waitFor()
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('animals sold.csv')
  const lines = (await Bun.file(await download.path()).text()).trim().split('\n')
  expect([lines.length, lines[0], lines[1], lines.at(-1)]).toEqual([
    126,
    'id,name,categoryId,status',
    '1,Pet 1,7,sold',
    '249,Pet 249,7,sold',
  ])
  await page.getByRole('status').getByText('125 rows were exported.').waitFor()
  await press('Escape')
})
