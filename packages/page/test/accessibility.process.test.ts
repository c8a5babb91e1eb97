// Every view of the page at `/`, in both themes, in forced colours, on a phone and in large text: axe-core finds no problem,
// and no text overlaps, is cut or is wider than the screen.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { accessibilityProblems, openPage, startBrowser } from '../../../test/support/browser.ts'
import { firstRows, openAdding, openSignedIn, signIn } from '../../../test/support/console.ts'
import { layoutProblems } from '../../../test/support/layout-problems.ts'
import { newPet } from '../../../test/support/pets.ts'
import { type Service, startService } from '../../../test/support/service.ts'
import { PetstoreClient } from '../../client/src/petstore.ts'
import { TEXT_LENGTH_MAX } from '../../contract/src/generated.ts'
import { dayFrom, dayOf } from '../../files/src/local-time.ts'
import { hashKey } from '../../service/src/domain/keys.ts'
import { Names } from '../../service/src/domain/names.ts'
import { labelOf } from '../src/animal/status-labels.ts'
import { SHORTCUTS } from '../src/shortcuts.ts'

const RESERVED = labelOf('pending')
const LONG = 'Sir Barksalot-the-Third-of-the-Extraordinarily-Long-Names '.repeat(4).slice(0, TEXT_LENGTH_MAX)
/** The first available animals. The statuses of the 45 animals alternate. */
const AVAILABLE = [
  '\u202EanuL',
  LONG,
  'Lu\u200Bna',
  '👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️',
  'نام\u200Cها',
  '<img src=x onerror=alert(1)>',
  '  two  spaces  ',
]

let browser: Browser
let empty: Service
let full: Service
let readOnlyKey: string
let till: PetstoreClient

beforeAll(async () => {
  browser = await startBrowser()
  empty = await startService()
  const categories = { 7: 'Dogs', [String(2n ** 63n - 4n)]: 'כלבים\u202e' }
  const named = Object.entries(categories).map(([id, name]) => ({ id: BigInt(id), name }))
  full = await startService({ names: new Names('Petstore', named) })
  full.clock.at = Date.now()
  readOnlyKey = await full.addKey({ readOnly: true })
  till = new PetstoreClient({ baseUrl: full.url, apiKey: full.key })
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
/** On a phone, these buttons are in a menu. */
async function choose(page: Page, name: string): Promise<void> {
  const more = page.locator('.title-actions summary')
  await page.getByRole('button', { name: 'Add' }).first().waitFor()
  if (await more.isVisible()) await more.click()
  await press(page, name)
}
const signedIn =
  (show: Show, key = () => full.key): Show =>
  async (page) => {
    await openSignedIn(page, key())
    await show(page)
  }
/** The page of an animal or an order, with a dialog. */
const record = (address: string, show: Show) =>
  signedIn(async (page) => {
    await page.goto(`${full.origin}/?${address}`)
    await page.getByRole('region', { name: 'History' }).waitFor()
    await show(page)
  })
const importing = (text: string, until: string) =>
  signedIn(async (page) => {
    await choose(page, 'Import')
    const buffer = Buffer.from(text, 'latin1')
    await page.getByLabel('CSV file').setInputFiles({ name: 'pets.csv', mimeType: 'text/csv', buffer })
    await page.locator(until).first().waitFor()
  })

/** Each function opens a view. */
const VIEWS: Record<string, Show> = {
  'a rejected key': async (page) => {
    await signIn(page, 'nonsense')
    await page.getByRole('alert').waitFor()
  },
  'an empty store': signedIn(
    (page) => page.getByRole('button', { name: 'Load sample animals' }).waitFor(),
    () => empty.key,
  ),
  'the list, with an added and a found animal': signedIn(async (page) => {
    await openAdding(page)
    await page.keyboard.insertText(LONG)
    await page.keyboard.press('Tab')
    await page.keyboard.insertText('9223372036854775807')
    await page.keyboard.press('Enter')
    await page.getByText('was added.').first().waitFor()
    await page.getByLabel('Search').fill('1')
    await page.locator('.found').waitFor()
  }),
  'the list, with selected rows and changes by another till': signedIn(async (page) => {
    await page.goto(`${full.origin}/?sort=newest`)
    await page.getByText(firstRows()).waitFor()
    await choose(page, 'Select')
    await page.getByRole('checkbox', { name: 'Select Pet' }).first().check()
    await till.createPet({ name: 'Luna', categoryId: 7n })
    await page.getByRole('button', { name: 'Refresh' }).waitFor()
  }),
  'a read-only key, and a wrong link': signedIn(
    async (page) => {
      await page.goto(`${full.origin}/?status=reserved`)
      await page.getByText('Read-only', { exact: true }).waitFor()
      await page.getByText(firstRows()).waitFor()
    },
    () => readOnlyKey,
  ),
  'a search without results': signedIn(async (page) => {
    await page.getByLabel('Search').fill('unknown')
    await page.getByRole('button', { name: 'Add “unknown”' }).waitFor()
  }),
  'a service that does not respond': signedIn(async (page) => {
    await page.getByText(firstRows()).waitFor()
    await page.route('**/v1/**', (route) => route.abort())
    await press(page, 'Next')
    await page.getByRole('alert').waitFor()
  }),
  'the keyboard shortcuts': signedIn(async (page) => {
    await page.keyboard.press(SHORTCUTS.explain.key)
    await page.getByRole('dialog').waitFor()
  }),
  'adding, with problems': signedIn(async (page) => {
    await openAdding(page)
    await page.getByRole('dialog').getByLabel('Category', { exact: true }).fill('99999999999999999999')
    await page.keyboard.press('Enter')
    await page.getByText('Category must be').waitFor()
  }),
  'the orders, with a sale': signedIn(async (page) => {
    await page.getByRole('link', { name: 'Orders' }).click()
    await page.getByRole('button', { name: 'Sell' }).first().click()
    await page.getByRole('dialog').getByText(`${RESERVED} for`).waitFor()
  }),
  'reserving an animal': signedIn(async (page) => {
    await page.getByRole('button', { name: 'Reserve' }).last().click()
    await page.getByLabel('For how long').selectOption('Until…')
  }),
  'a sale of several animals, with a problem': signedIn(async (page) => {
    await page.getByRole('button', { name: 'Sell' }).first().click()
    await press(page, 'Another animal')
    await page.getByLabel('Another animal').fill('unknown')
    await page.keyboard.press('Enter')
    await page.getByText('No name has a word').waitFor()
  }),
  'the categories': signedIn(async (page) => {
    await press(page, 'Categories')
    await page.getByRole('dialog').getByText('Your operator').waitFor()
  }),
  'an animal': record('animal=16', (page) => page.getByRole('button', { name: 'Edit' }).waitFor()),
  'printing a label': record('animal=16', async (page) => {
    await press(page, 'Print label')
    await page.getByRole('dialog').waitFor()
  }),
  'an order': record('order=1', (page) => page.getByRole('button', { name: 'Print a receipt' }).waitFor()),
  'editing an animal, with problems and changes by another till': record('animal=25', async (page) => {
    await press(page, 'Edit')
    await page.getByRole('dialog').getByLabel('Name').fill(' ')
    await page.keyboard.press('Enter')
    await page.getByText('Name must contain').waitFor()
    await till.updatePet(25n, { name: LONG, categoryId: 8n })
    await page.getByRole('button', { name: 'Use theirs' }).waitFor()
  }),
  'editing an order': record('order=1', async (page) => {
    await press(page, 'Edit')
    await page.getByLabel('Until').waitFor()
  }),
  'the sales': signedIn(async (page) => {
    await page.getByRole('link', { name: 'Sales' }).click()
    await page.getByRole('radio', { name: RESERVED }).check()
    await page.getByRole('region', { name: 'Everything that happened' }).getByRole('listitem').first().waitFor()
  }),
  'the sales of several days': signedIn(async (page) => {
    const [day, to] = [dayFrom(dayOf(Date.now()), -6), dayOf(Date.now())]
    await page.goto(`${full.origin}/?view=sales&day=${day}&to=${to}`)
    await page.locator('.chart').waitFor()
  }),
  'importing, with questions': importing('Nr;Name;Preis\n1;M\x8fller;9\n', '.import-columns[open]'),
  'importing, with mistakes': importing(`name,categoryId\n${LONG},7\nRex,seven\n`, '.import-rows tbody tr'),
  'exporting, on another view': signedIn(async (page) => {
    await page.getByText(firstRows()).waitFor()
    await page.route('**/v1/pets?*', () => undefined)
    await choose(page, 'Export')
    await page.getByRole('link', { name: 'Orders' }).click()
    await page.getByRole('region', { name: /^Exporting/ }).waitFor()
  }),
}

/** The rules that other colours can break. */
const COLOURS = ['color-contrast', 'link-in-text-block']

/** The first is the one in which a view is opened. */
const LOOKS = [
  { colorScheme: 'dark', viewport: { width: 360, height: 800 } },
  { colorScheme: 'light', viewport: { width: 1440, height: 800 } },
] as const

/** The width of the screen and the size of the text, in pixels: 150 and 200 %. */
const SIZES = [
  [320, 24],
  [320, 32],
  [768, 32],
  [1280, 32],
] as const

test.each(Object.entries(VIEWS))(
  '%s is accessible and fits: dark on a phone, light on a wide screen, in forced colours and in large text',
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

test('the list fits each screen, shows chosen values in forced colours, and shows names as they are', async () => {
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
  // Two lines, with a large target for touch.
  expect((await rows())[0]).toBeLessThan(85)
  const [link] = await all<number>('.cell-detail a', 'Math.min(one.offsetWidth, one.offsetHeight)')
  expect(link).toBeGreaterThanOrEqual(24)
  const lines = await all<number>('.cell-name .name', 'one.clientHeight / parseFloat(getComputedStyle(one).lineHeight)')
  expect(lines[3]).toBeWithin(1.8, 2.2)
  // The visible order is the order of the Tab key.
  const tops = await all<number>('.brand, .views, search, .bar summary', 'one.getBoundingClientRect().top')
  expect(Math.max(...tops.slice(0, 2))).toBeLessThan(Math.min(...tops.slice(2)))

  // A menu covers what is below it.
  await page.locator('.bar summary').click()
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  expect(await accessibilityProblems(page)).toEqual([])
  await page.keyboard.press('Escape')

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

  // Invisible and reordering characters have a sign, and markup is text.
  const names = (await page.locator('.rows .cell-name a .name').allTextContents()).filter((_, n) => n % 3 === 0)
  expect([names[0], names[5]]).toEqual(['U+202EanuL', AVAILABLE[5] as string])
  expect(await all('.rows tbody tr:nth-child(13) a .name', 'getComputedStyle(one).direction')).toEqual(['rtl'])
  await page.getByRole('button', { name: 'Sell [U+202E]anuL' }).waitFor()

  // A wide screen has more rows, each with one line.
  await page.setViewportSize({ width: 2560, height: 1300 })
  await page.reload()
  await page.getByText('1 – 26').waitFor()
  expect((await page.locator('.rows').boundingBox())?.width).toBeWithin(1_400, 1_600)
  // Two of these rows have a customer.
  const heights = await rows()
  expect(new Set([15, 18, 21].map((row) => heights[row])).size).toBe(1)
  expect(complaints).toEqual([])
  await close()
})
