// How the page at `/` looks in the system's colours, on small and wide screens, and with long names and characters that hide.
// One service and one browser for all.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { accessibilityProblems, openPage, startBrowser } from '../../../test/support/browser.ts'
import { beginSale, openSignedIn } from '../../../test/support/console.ts'
import { layoutProblems } from '../../../test/support/layout-problems.ts'
import { newPet } from '../../../test/support/pets.ts'
import { type Service, startService } from '../../../test/support/service.ts'
import { TEXT_LENGTH_MAX } from '../../contract/src/generated.ts'
import { hashKey } from '../../service/src/domain/keys.ts'

const LONG = 'Barksalot '.repeat(25)
const HIDING = ['Lu\u200Bna', '\u202EanuL', 'Lu\u00ADna\u3164', '👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️', 'نام\u200Cها']

let browser: Browser
let service: Service

beforeAll(async () => {
  browser = await startBrowser()
  service = await startService()
  service.clock.at = Date.now()
  const by = (await service.store.findKey(hashKey(service.key)))?.id as bigint
  for (const name of HIDING) await service.store.createPet(newPet({ name }), by)
  for (let n = 6; n <= 45; n++) await service.store.createPet(newPet({ name: `Pet ${n}`, categoryId: 2n ** 62n }), by)
  await service.store.createPet(newPet({ name: LONG }), by)
  const expiresAt = Date.now() + 86_400_000
  await service.store.placeOrder({ petId: 6n, reference: 'Anna', expiresAt }, by)
  await service.store.placeOrder({ petId: 8n, reference: 'W'.repeat(TEXT_LENGTH_MAX), expiresAt }, by)
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

async function open(options: BrowserContextOptions): Promise<{ page: Page; close: () => Promise<void> }> {
  const { page, complaints, close } = await openPage(browser, `${service.origin}/`, options)
  await openSignedIn(page, service.key)
  await page.locator('.rows').waitFor()
  return {
    page,
    close: async () => {
      expect(complaints).toEqual([])
      await close()
    },
  }
}

test.each(['light', 'dark'] as const)(
  'in the colours of the system (%s), the tab, the filter and what is disabled can be told',
  async (colorScheme) => {
    const { page, close } = await open({ forcedColors: 'active', colorScheme })
    const style = (selector: string, name: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).getPropertyValue('${name}')`)
    expect(await style('.views [aria-current]', 'background-color')).not.toBe(
      await style('.views a:not([aria-current])', 'background-color'),
    )
    expect(await style('.radio-group input:checked + span', 'background-color')).not.toBe(
      await style('.radio-group input:not(:checked) + span', 'background-color'),
    )
    expect(await style('.pager [aria-disabled="true"]', 'color')).not.toBe(
      await style('.pager [aria-disabled="false"]', 'color'),
    )
    expect(await accessibilityProblems(page)).toEqual([])
    await close()
  },
)

test('a long name takes two lines', async () => {
  const { page, close } = await open({ viewport: { width: 390, height: 740 } })
  await page.getByRole('button', { name: 'Last page' }).click()
  await page.getByText('Barksalot').first().waitFor()
  const lines = await page.evaluate(`(() => {
    const name = [...document.querySelectorAll('.rows .name:not(.hint)')].at(-1)
    return name.clientHeight / parseFloat(getComputedStyle(name).lineHeight)
  })()`)
  expect(lines).toBeWithin(1.8, 2.2)
  expect(await layoutProblems(page)).toEqual([])
  await close()
})

test.each([
  [320, 640, 1],
  [390, 740, 4],
])('a screen of %d by %d pixels shows whole animals without scrolling: %d', async (width, height, least) => {
  const { page, close } = await open({ viewport: { width, height } })
  const bottoms: number[] = await page.evaluate(
    "[...document.querySelectorAll('.rows tbody tr')].map((row) => row.getBoundingClientRect().bottom)",
  )
  expect(bottoms.filter((bottom) => bottom <= height).length).toBeGreaterThanOrEqual(least)
  // What is read and tabbed through in one order stands in that order.
  const tops: number[] = await page.evaluate(
    "[...document.querySelectorAll('.brand, .views, .key, .key ~ nav')].map((part) => part.getBoundingClientRect().top)",
  )
  expect(tops).toHaveLength(4)
  expect(Math.max(...tops.slice(0, 2))).toBeLessThan(Math.min(...tops.slice(2)))
  await close()
})

test('a wide screen is used: it begins with more rows, each of one line; whom an animal is for has a column of its own', async () => {
  const { page, close } = await open({ viewport: { width: 2560, height: 1300 } })
  expect((await page.locator('.rows').boundingBox())?.width).toBeWithin(1_400, 1_600)
  expect(await page.locator('.rows tbody tr').count()).toBe(46)
  expect(page.url()).toBe(`${service.origin}/`)
  await page.getByText('For Anna').first().waitFor()
  const heights: number[] = await page.evaluate(
    "[...document.querySelectorAll('.rows tbody tr:not(:last-child)')].map((row) => row.offsetHeight)",
  )
  expect(Math.max(...heights) - Math.min(...heights)).toBeLessThan(2)
  await page.setViewportSize({ width: 768, height: 900 })
  const narrow: number[] = await page.evaluate(
    "[...document.querySelectorAll('.rows tbody tr')].slice(5).map((row) => row.offsetHeight)",
  )
  expect(Math.max(...narrow) - Math.min(...narrow)).toBeLessThan(2)
  await close()
})

test('characters that hide or turn text have a sign; emoji and joined letters stay as they are', async () => {
  const { page, close } = await open({})
  const names = await page.locator('.rows .name:not(.hint)').allTextContents()
  expect(names.slice(0, 5)).toEqual(['LuU+200Bna', 'U+202EanuL', 'LuU+00ADnaU+3164', ...HIDING.slice(3)])
  await beginSale(page, '[U+202E]anuL')
  await page.getByRole('dialog', { name: 'Sell [U+202E]anuL' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText('[U+202E]anuL is sold.').waitFor()
  await close()
})
