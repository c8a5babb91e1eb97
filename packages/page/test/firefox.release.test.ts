// The main tasks at `/` in Firefox, if it is installed: by keyboard as at a till, and then a file and paper.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { addPets, firstRows } from '../../../test/support/console.ts'
import { temporaryFile } from '../../../test/support/files.ts'
import { type FirefoxPage, firefox, KEYS, openFirefox } from '../../../test/support/firefox.ts'
import { startService } from '../../../test/support/service.ts'
import { SHORTCUTS } from '../src/shortcuts.ts'

describe.skipIf(!firefox)(`everyday work in Firefox${firefox ? '' : ': skipped, it is not installed'}`, () => {
  let service: Awaited<ReturnType<typeof startService>>
  let page: FirefoxPage
  const shows = (text: string) => page.until(`document.body?.innerText.includes(${JSON.stringify(text)})`)
  const heading = (text: string) => page.until(`document.querySelector('h1')?.innerText === '${text}'`)

  beforeAll(async () => {
    service = await startService()
    service.clock.at = Date.now()
    await addPets(service, 30, 'available', 'available')
    page = await openFirefox(firefox as string)
    await page.goto(`${service.origin}/`)
    await page.until(`document.activeElement.tagName === 'INPUT'`)
    await page.type(service.key + KEYS.enter)
    await shows(firstRows(30))
  })
  afterAll(async () => {
    await page?.close()
    await service?.stop()
  })

  test('finds and sells an animal by keyboard, and prints the receipt', async () => {
    await page.goto(`${service.origin}/`)
    await shows(firstRows(30))
    await page.type(`17${KEYS.enter}`)
    await heading('Pet 17')
    await page.type(`${SHORTCUTS.search.key}pet 8${KEYS.enter}`)
    await heading('Pet 8')
    await page.press('Sell Pet 8')
    await page.press('Sell')
    await shows('Pet 8 is sold')
    await page.goto(`${service.origin}/?view=sales`)
    await shows('Pet 8 · Order 1 · Sold — test')
    await page.goto(`${service.origin}/?order=1`)
    await page.until(`document.querySelector('.paper-receipt')`)
    expect((await page.print(8, 20)).length).toBeGreaterThan(1_000)
    expect(page.complaints).toEqual([])
  })

  test('checks a file before the import', async () => {
    const file = temporaryFile('pets.csv')
    await Bun.write(file, 'name,categoryId\nMia,7\nTom,x\n')
    await page.goto(`${service.origin}/`)
    await shows(firstRows(30))
    await page.press('Import')
    await page.setFiles('#import-file', [file])
    await page.until(`document.querySelectorAll('.import-rows tbody tr').length === 1`)
    expect(page.complaints).toEqual([])
  })
})
