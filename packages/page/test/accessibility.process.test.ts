// Every view of the page at `/`, in both themes, in the system's colours, on a phone and in large text: nothing that axe-core objects to, nothing
// that overlaps, is cut or is wider than the screen. What axe cannot judge, the keyboard tests and people's eyes do.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { accessibilityProblems, openPage, startBrowser } from '../../../test/support/browser.ts'
import { beginSale, firstRows, openAdding, openSignedIn, signIn } from '../../../test/support/console.ts'
import { layoutProblems } from '../../../test/support/layout-problems.ts'
import { newPet } from '../../../test/support/pets.ts'
import { type Service, startService } from '../../../test/support/service.ts'
import { TEXT_LENGTH_MAX } from '../../contract/src/generated.ts'
import { hashKey } from '../../service/src/domain/keys.ts'
import { labelOf } from '../src/animal/status-labels.ts'

const RESERVED = labelOf('pending')
const LONG = 'Sir Barksalot-the-Third-of-the-Extraordinarily-Long-Names '.repeat(4).slice(0, TEXT_LENGTH_MAX)
/** Of 45 animals, each third is available, the next reserved and the next sold; these are the first available ones. */
const AVAILABLE = ['\u202EanuL', LONG, 'Lu\u200Bna', '👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️', 'نام\u200Cها']

let browser: Browser
let empty: Service
let full: Service
let readOnlyKey: string

beforeAll(async () => {
  browser = await startBrowser()
  empty = await startService()
  full = await startService()
  full.clock.at = Date.now()
  readOnlyKey = await full.addKey({ readOnly: true })
  const by = (await full.store.findKey(hashKey(full.key)))?.id as bigint
  for (let n = 0; n < 45; n++) {
    const name = n % 3 ? (n % 2 ? 'x'.repeat(TEXT_LENGTH_MAX) : `Pet ${n}`) : (AVAILABLE[n / 3] ?? `Pet ${n}`)
    const status = (['available', 'pending', 'sold'] as const)[n % 3] ?? 'sold'
    await full.store.createPet(newPet({ name, categoryId: n === 0 ? 7n : 2n ** 63n - 1n - BigInt(n), status }), by)
  }
  await full.store.placeOrder({ petId: 16n, reference: LONG, expiresAt: Date.now() + 86_400_000 }, by)
  await full.store.placeOrder({ petId: 19n, reference: 'W'.repeat(TEXT_LENGTH_MAX) }, by)
})
afterAll(async () => {
  await browser?.close()
  await empty?.stop()
  await full?.stop()
})

type Show = (page: Page) => Promise<unknown>
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click()
const signedIn =
  (show: Show, key = () => full.key): Show =>
  async (page) => {
    await openSignedIn(page, key())
    await show(page)
  }
/** The page of one animal or order, being edited. */
const edited = (record: string, show: Show) =>
  signedIn(async (page) => {
    await page.goto(`${full.origin}/?${record}`)
    await press(page, 'Edit')
    await show(page)
  })

/** Each leads from the page as it opens to a view. */
const VIEWS: Record<string, Show> = {
  // It asks other tabs for a key first, and shows nothing until then.
  'signing in': (page) => page.getByRole('heading', { name: 'Petstore' }).waitFor(),
  'a refused key': async (page) => {
    await signIn(page, 'nonsense')
    await page.getByRole('alert').waitFor()
  },
  'an empty store': signedIn(
    (page) => page.getByRole('button', { name: 'Load sample animals' }).waitFor(),
    () => empty.key,
  ),
  'the list, with something just added and something found': signedIn(async (page) => {
    await openAdding(page)
    await page.keyboard.insertText(LONG)
    await page.keyboard.press('Tab')
    await page.keyboard.type('9223372036854775807')
    await page.keyboard.press('Enter')
    await page.getByText('was added.').first().waitFor()
    await page.getByLabel('Search').fill('1')
    await page.locator('.found').waitFor()
  }),
  'adding, with problems': signedIn(async (page) => {
    await openAdding(page)
    await page.getByRole('dialog').getByLabel('Category', { exact: true }).fill('99999999999999999999')
    await page.keyboard.press('Enter')
    await page.getByText('Category must be').waitFor()
  }),
  'a read-only key, and a wrong link': signedIn(
    async (page) => {
      await page.goto(`${full.origin}/?status=reserved`)
      await page.getByText('Read-only', { exact: true }).waitFor()
      await page.getByText(firstRows()).waitFor()
    },
    () => readOnlyKey,
  ),
  'orders, with one to be sold': signedIn(async (page) => {
    await page.getByRole('link', { name: 'Orders' }).click()
    await page.getByRole('button', { name: 'Sell' }).first().click()
    await page.getByRole('dialog').getByText(`${RESERVED} for`).waitFor()
  }),
  'an animal, being reserved': signedIn(async (page) => {
    await page.getByRole('button', { name: 'Reserve' }).last().click()
    await page.getByLabel('For how long').selectOption('Until…')
  }),
  'an animal just reserved': signedIn(async (page) => {
    await page.getByRole('button', { name: 'Reserve' }).last().click()
    await page.getByLabel('For whom').fill(LONG)
    await page.keyboard.press('Enter')
    await page.locator('.notice-done').waitFor()
    await page.getByRole('button', { name: 'Release' }).last().waitFor()
  }),
  'an animal, being edited': edited('animal=16', async (page) => {
    await page.getByRole('dialog').getByLabel('Name').fill(' ')
    await page.keyboard.press('Enter')
    await page.getByText('Name must contain').waitFor()
  }),
  'an order, being edited': edited('order=1', (page) => page.getByLabel('Until').waitFor()),
  'the sales': signedIn(async (page) => {
    await page.getByRole('link', { name: 'Sales' }).click()
    await page.getByRole('radio', { name: RESERVED }).check()
    await page.getByRole('region', { name: 'Everything that happened' }).getByRole('listitem').first().waitFor()
  }),
  'importing, with problems': signedIn(async (page) => {
    await press(page, 'Import')
    const buffer = Buffer.from(`name,categoryId\n${LONG},7\nRex,seven\n`)
    await page.getByLabel('CSV file').setInputFiles({ name: 'pets.csv', mimeType: 'text/csv', buffer })
    await page.locator('.import-rows tbody tr').first().waitFor()
  }),
  'nothing found': signedIn(async (page) => {
    await page.getByLabel('Search').fill('nobody')
    await page.getByRole('button', { name: 'Add “nobody”' }).waitFor()
  }),
  'the service not responding': signedIn(async (page) => {
    await page.getByText(firstRows()).waitFor()
    await page.route('**/v1/**', (route) => route.abort())
    await press(page, 'Next')
    await page.getByRole('alert').waitFor()
  }),
}

/** The rules that another choice of colours can break. */
const COLOURS = ['color-contrast', 'link-in-text-block']

/** As people may change it while they look: each has to be right by itself. The first is the one in which a view is worked with. */
const LOOKS = [
  { colorScheme: 'dark', viewport: { width: 360, height: 800 } },
  { colorScheme: 'light', viewport: { width: 1440, height: 800 } },
] as const

/** The width of the screen and the size of the text, in pixels: text enlarged to 150 and 200 %. */
const SIZES = [
  [320, 24],
  [320, 32],
  [768, 32],
  [1280, 32],
] as const

test.each(Object.entries(VIEWS))(
  '%s is accessible and fits: dark on a phone, light on a wide screen, in the colours of the system, in large text',
  async (view, show) => {
    const { origin } = view === 'an empty store' ? empty : full
    const { page, complaints, close } = await openPage(browser, `${origin}/`, LOOKS[0])
    await show(page)
    for (const { colorScheme, viewport } of LOOKS) {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      expect({ colorScheme, problems: await accessibilityProblems(page) }).toEqual({ colorScheme, problems: [] })
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width)
    }
    await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' })
    expect(await accessibilityProblems(page, COLOURS)).toEqual([])
    await page.emulateMedia({ forcedColors: null })
    for (const [width, fontSize] of SIZES) {
      await page.setViewportSize({ width, height: 800 })
      await page.evaluate(`document.documentElement.style.fontSize = '${fontSize}px'`)
      expect({ width, fontSize, problems: await layoutProblems(page) }).toEqual({ width, fontSize, problems: [] })
    }
    expect(complaints).toEqual([])
    await close()
  },
)

test('the list on each screen: few pixels before the rows, none of them empty; names on two lines, and what is chosen told by colour', async () => {
  const { page, complaints, close } = await openPage(browser, `${full.origin}/`, {
    viewport: { width: 390, height: 740 },
  })
  await openSignedIn(page, full.key)
  await page.locator('.rows').waitFor()
  const all = <Value>(selector: string, value: string) =>
    page.evaluate<Value[]>(`[...document.querySelectorAll('${selector}')].map((one) => ${value})`)
  const [top = 0] = await all<number>('.rows tbody tr', 'one.getBoundingClientRect().top')
  const rows = () => all<number>('.rows tbody tr', 'one.offsetHeight')
  expect(top).toBeLessThan(270)
  // Two lines: the name and the rest, with a target for a finger.
  expect((await rows())[0]).toBeLessThan(85)
  const [link] = await all<number>('.cell-detail a', 'Math.min(one.offsetWidth, one.offsetHeight)')
  expect(link).toBeGreaterThanOrEqual(24)
  const lines = await all<number>('.cell-name .name', 'one.clientHeight / parseFloat(getComputedStyle(one).lineHeight)')
  expect(lines[3]).toBeWithin(1.8, 2.2)
  // What is read and tabbed through in one order stands in that order.
  const tops = await all<number>('.brand, .views, search, .key ~ nav', 'one.getBoundingClientRect().top')
  expect(Math.max(...tops.slice(0, 2))).toBeLessThan(Math.min(...tops.slice(2)))

  await page.setViewportSize({ width: 1280, height: 800 })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, forcedColors: 'active' })
    for (const [one, other, property] of [
      ['.views [aria-current]', '.views a:not([aria-current])', 'backgroundColor'],
      ['.radio-group input:checked + span', '.radio-group input:not(:checked) + span', 'backgroundColor'],
      ['.pager [aria-disabled="true"]', '.pager [aria-disabled="false"]', 'color'],
    ] as const) {
      const [mine, theirs] = await Promise.all(
        [one, other].map((part) => all(part, `getComputedStyle(one).${property}`)),
      )
      expect(mine?.[0]).not.toBe(theirs?.[0] as string)
    }
  }
  await page.emulateMedia({ forcedColors: null })

  // Characters that hide or turn text have a sign; emoji and joined letters stay as they are.
  const names = (await page.locator('.rows .cell-name .name').allTextContents()).filter((_, n) => n % 3 === 0)
  expect(names.slice(0, 5)).toEqual(['U+202EanuL', LONG, 'LuU+200Bna', ...AVAILABLE.slice(3)])
  await beginSale(page, '[U+202E]anuL')
  await page.getByRole('dialog', { name: 'Sell [U+202E]anuL' }).waitFor()
  await page.keyboard.press('Escape')

  // A wide screen has more rows, each of one line.
  await page.setViewportSize({ width: 2560, height: 1300 })
  await page.reload()
  await page.getByText('1 – 26').waitFor()
  expect((await page.locator('.rows').boundingBox())?.width).toBeWithin(1_400, 1_600)
  // Of these, two say for whom they are reserved.
  const heights = await rows()
  expect(new Set([15, 18, 21].map((row) => heights[row])).size).toBe(1)
  expect(complaints).toEqual([])
  await close()
})
