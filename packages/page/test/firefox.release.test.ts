// The main tasks at `/` in Firefox, if it is installed: by keyboard as at a till, and then a file and paper.

import { expect, test } from 'bun:test'
import { addPets, firstRows } from '../../../test/support/console.ts'
import { temporaryFile } from '../../../test/support/files.ts'
import { firefox, KEYS, openFirefox } from '../../../test/support/firefox.ts'
import { startService } from '../../../test/support/service.ts'
import { SHORTCUTS } from '../src/shortcuts.ts'

test.skipIf(!firefox)(`everyday work in Firefox${firefox ? '' : ': skipped, it is not installed'}`, async () => {
  const service = await startService()
  service.clock.at = Date.now()
  await addPets(service, 30, 'available', 'available')
  const page = await openFirefox(firefox as string)
  const shows = (text: string) => page.until(`document.body?.innerText.includes(${JSON.stringify(text)})`)
  const heading = (text: string) => page.until(`document.querySelector('h1')?.innerText === '${text}'`)
  try {
    await page.goto(`${service.origin}/`)
    await page.until(`document.activeElement.tagName === 'INPUT'`)
    await page.type(service.key + KEYS.enter)
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

    const file = temporaryFile('pets.csv')
    await Bun.write(file, 'name,categoryId\nMia,7\nTom,x\n')
    await page.goto(`${service.origin}/`)
    await shows(firstRows(30))
    await page.press('Import')
    await page.setFiles('#import-file', [file])
    await page.until(`document.querySelectorAll('.import-rows tbody tr').length === 1`)
  } finally {
    await page.close()
    await service.stop()
  }
  expect(page.complaints).toEqual([])
})
