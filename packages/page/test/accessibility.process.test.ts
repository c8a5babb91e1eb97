// Every view of the page at `/`, in both themes, in the system's colours, on a phone and in large text: nothing that axe-core objects to, nothing
// that overlaps, is cut or is wider than the screen. What axe cannot judge, the keyboard tests and people's eyes do.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { accessibilityProblems, openPage, startBrowser } from '../../../test/support/browser.ts'
import { firstRows, openAdding, openSignedIn, signIn } from '../../../test/support/console.ts'
import { layoutProblems } from '../../../test/support/layout-problems.ts'
import { newPet } from '../../../test/support/pets.ts'
import { type Service, startService } from '../../../test/support/service.ts'
import { TEXT_LENGTH_MAX } from '../../contract/src/generated.ts'
import { hashKey } from '../../service/src/domain/keys.ts'
import { labelOf } from '../src/animal/status-labels.ts'

const RESERVED = labelOf('pending')

const LONG = 'Sir Barksalot-the-Third-of-the-Extraordinarily-Long-Names '.repeat(4).slice(0, TEXT_LENGTH_MAX)

let browser: Browser
let empty: Service
let full: Service
let readOnlyKey: string

beforeAll(async () => {
  browser = await startBrowser()
  empty = await startService()
  full = await startService()
  readOnlyKey = await full.addKey({ readOnly: true })
  const by = (await full.store.findKey(hashKey(full.key)))?.id as bigint
  for (let n = 0; n < 45; n++) {
    const name = n % 3 ? `Pet ${n}` : n % 2 ? LONG : 'x'.repeat(TEXT_LENGTH_MAX)
    const status = (['available', 'pending', 'sold'] as const)[n % 3] ?? 'sold'
    await full.store.createPet(newPet({ name, categoryId: 2n ** 63n - 1n - BigInt(n), status }), by)
  }
  full.clock.at = Date.now()
  await full.store.placeOrder({ petId: 4n, reference: LONG, expiresAt: Date.now() + 86_400_000 }, by)
  await full.store.placeOrder({ petId: 1n, reference: 'W'.repeat(TEXT_LENGTH_MAX) }, by)
})
afterAll(async () => {
  await browser?.close()
  await empty?.stop()
  await full?.stop()
})

const alert = (page: Page) => page.getByRole('alert').first().waitFor()

/** Each leads from the page as it opens to a view. */
const VIEWS: Record<string, { on?: 'empty'; show: (page: Page) => Promise<void> }> = {
  'signing in': {
    // It asks other tabs for a key first, and shows nothing until then.
    show: (page) => page.getByRole('heading', { name: 'Petstore' }).waitFor(),
  },
  'a refused key': {
    show: async (page) => {
      await signIn(page, 'nonsense')
      await alert(page)
    },
  },
  'an empty store': {
    on: 'empty',
    show: async (page) => {
      await openSignedIn(page, empty.key)
      await page.getByRole('button', { name: 'Load sample animals' }).waitFor()
    },
  },
  'the list, with something just added and something found': {
    show: async (page) => {
      await openSignedIn(page, full.key)
      await openAdding(page)
      await page.keyboard.insertText(LONG)
      await page.keyboard.press('Tab')
      await page.keyboard.type('9223372036854775807')
      await page.keyboard.press('Enter')
      await page.getByText('was added.').first().waitFor()
      await page.getByLabel('Search').fill('1')
      await page.locator('.found').waitFor()
    },
  },
  'adding, with problems': {
    show: async (page) => {
      await openSignedIn(page, full.key)
      await openAdding(page)
      await page.getByLabel('Category', { exact: true }).fill('99999999999999999999')
      await page.keyboard.press('Enter')
      await page.getByText('Category must be').waitFor()
    },
  },
  'a read-only key': {
    show: async (page) => {
      await openSignedIn(page, readOnlyKey)
      await page.getByText('Read-only', { exact: true }).waitFor()
      await page.getByText(firstRows()).waitFor()
    },
  },
  'orders, with one to be sold': {
    show: async (page) => {
      await openSignedIn(page, full.key)
      await page.getByRole('link', { name: 'Orders' }).click()
      await page.getByRole('button', { name: 'Sell' }).first().click()
      await page.getByRole('dialog').getByText(`${RESERVED} for`).waitFor()
    },
  },
  'an animal, being reserved': {
    show: async (page) => {
      await openSignedIn(page, full.key)
      await page.getByRole('button', { name: 'Reserve' }).last().click()
      await page.getByLabel('For how long').selectOption('Until…')
    },
  },
  'an animal just reserved': {
    show: async (page) => {
      await openSignedIn(page, full.key)
      await page.getByRole('button', { name: 'Reserve' }).last().click()
      await page.getByLabel('For whom').fill(LONG)
      await page.keyboard.press('Enter')
      await page.locator('.notice-done').waitFor()
      await page.getByRole('button', { name: 'Release' }).last().waitFor()
    },
  },
  'an animal, being edited': {
    show: async (page) => {
      await openSignedIn(page, full.key)
      await page.goto(`${full.origin}/?animal=4`)
      await page.getByRole('region', { name: 'History' }).waitFor()
      await page.getByRole('button', { name: 'Edit' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill(' ')
      await page.keyboard.press('Enter')
      await page.getByText('Name must contain').waitFor()
    },
  },
  'an order, being edited': {
    show: async (page) => {
      await openSignedIn(page, full.key)
      await page.goto(`${full.origin}/?order=1`)
      await page.getByRole('button', { name: 'Edit' }).click()
      await page.getByLabel('Until').waitFor()
    },
  },
  'the activity': {
    show: async (page) => {
      await openSignedIn(page, full.key)
      await page.getByRole('link', { name: 'Activity' }).click()
      await page.getByRole('radio', { name: RESERVED }).check()
      await page.getByRole('region', { name: RESERVED }).getByRole('listitem').first().waitFor()
    },
  },
  'importing, with problems': {
    show: async (page) => {
      await openSignedIn(page, full.key)
      await page.getByRole('button', { name: 'Import' }).click()
      const buffer = Buffer.from(`name,categoryId\n${LONG},7\nRex,seven\n`)
      await page.getByLabel('CSV file').setInputFiles({ name: 'pets.csv', mimeType: 'text/csv', buffer })
      await page.locator('.import-rows tbody tr').first().waitFor()
    },
  },
  'nothing found': {
    show: async (page) => {
      await openSignedIn(page, full.key)
      await page.getByLabel('Search').fill('nobody')
      await page.getByRole('button', { name: 'Add “nobody”' }).waitFor()
    },
  },
  'the service not responding': {
    show: async (page) => {
      await openSignedIn(page, full.key)
      await page.getByText(firstRows()).waitFor()
      await page.route('**/v1/**', (route) => route.abort())
      await page.getByRole('button', { name: 'Next' }).click()
      await alert(page)
    },
  },
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
  async (_, { on, show }) => {
    const { origin } = on === 'empty' ? empty : full
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
