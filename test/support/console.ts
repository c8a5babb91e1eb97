// Shared by the tests of the page at `/`: a service and a browser page per test, signing in, and keyboard actions.

import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { type PetStatus, PetstoreClient } from '../../packages/client/src/petstore.ts'
import { ERROR_STATUS } from '../../packages/contract/src/generated.ts'
import { PAGE_SIZE } from '../../packages/page/src/list/list-position.ts'
import type { NewPet } from '../../packages/service/src/domain/pets.ts'
import type { PetstoreError } from '../../packages/service/src/domain/petstore-error.ts'
import { openPage, startBrowser, type Watched } from './browser.ts'
import { petFilter } from './lists.ts'
import { newPet, petsOf } from './pets.ts'
import { type Service, type ServiceOptions, startService } from './service.ts'
import { until } from './until.ts'

export interface Opened {
  service: Service
  page: Page
  /** A client at another till. */
  client: PetstoreClient
}

/**
 * Starts a service and opens its page in a new browser context before each test, and fails the test if the page
 * complains. Returns actions and locators for the page of the current test.
 */
export function openEachTest(use: (opened: Opened) => void, options?: ServiceOptions) {
  let browser: Browser
  let service: Service
  let watched: Watched
  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(() => browser?.close())
  beforeEach(async () => {
    service = await startService(options)
    watched = await openPage(browser, `${service.origin}/`)
    const client = new PetstoreClient({ baseUrl: service.url, apiKey: service.key })
    use({ service, page: watched.page, client })
  })
  afterEach(async () => {
    await watched.close()
    await service.stop()
    expect(watched.complaints).toEqual([])
  })
  return {
    alert: () => watched.page.getByRole('alert'),
    dialog: () => watched.page.getByRole('dialog'),
    button: (name: string) => watched.page.getByRole('button', { name, exact: true }),
    row: (name: string) => watched.page.getByRole('row').filter({ hasText: name }),
    /** Waits until a screen reader announces this text. */
    said: (text: string) => watched.page.getByRole('status').getByText(text).waitFor(),
    press: (key: string) => watched.page.keyboard.press(key),
    type: (text: string) => watched.page.keyboard.type(text),
    scan: (code: string) => watched.page.evaluate(`(${SCAN})(${JSON.stringify(code)})`),
    /** Moves to the button or link with this name by Tab, and presses Enter. */
    async go(name: string): Promise<void> {
      await tabTo(watched.page, name)
      await watched.page.keyboard.press('Enter')
    },
    /** Signs in, and waits until the page waits for events. */
    async openFollowing(): Promise<void> {
      const waiting = watched.page.waitForRequest((request) => request.url().includes('wait='))
      await openSignedIn(watched.page, service.key)
      await waiting
    },
    /** Holds requests to these addresses until the returned function is called. */
    async hold(addresses: Parameters<Page['route']>[0]): Promise<() => void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      await watched.page.route(addresses, async (route) => {
        await promise
        await route.continue().catch(() => undefined)
      })
      return resolve
    },
    /** Adds animals with these names or fields. */
    async addNamed(...animals: (string | Partial<NewPet>)[]): Promise<void> {
      const by = (await service.store.listKeys())[0]?.id as bigint
      for (const one of animals) {
        await service.store.createPet(newPet(typeof one === 'string' ? { name: one } : one), by)
      }
    },
    animals: async () => petsOf(await service.store.listPets(petFilter({ limit: 200 }))),
  }
}

/** Types a code as fast as a scanner, into the focused element. */
const SCAN = `(code) => {
  const press = (key) =>
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
  for (const key of code) {
    if (!press(key) || !document.activeElement.setRangeText) continue
    const field = document.activeElement
    field.setRangeText(key, field.selectionStart, field.selectionEnd, 'end')
    field.dispatchEvent(new InputEvent('input', { bubbles: true }))
  }
  if (press('Enter')) document.activeElement.form?.requestSubmit()
}`

/** An error of the service for `route.fulfill`. The page does not retry it automatically within an hour. */
export function refusal({ code, message }: Pick<PetstoreError, 'code' | 'message'>) {
  const status = ERROR_STATUS[code]
  const headers = { 'Content-Type': 'application/json', 'Retry-After': '3600' }
  return { status, headers, body: JSON.stringify({ code, message, status }) }
}

/** Adds `Pet 1` to `Pet <count>`: odd ones have the first status, even ones the second. */
export async function addPets({ store }: Service, count: number, odd: PetStatus, even: PetStatus): Promise<void> {
  const by = (await store.listKeys())[0]?.id as bigint
  const add = (n: number) => store.createPet(newPet({ name: `Pet ${n}`, status: n % 2 ? odd : even }), by)
  await Promise.all(Array.from({ length: count }, (_, n) => add(n + 1)))
}

/** Pastes the key into the focused input, and presses Enter. */
export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByRole('heading', { name: 'Petstore' }).waitFor()
  await page.keyboard.insertText(key)
  await page.keyboard.press('Enter')
}

/** By the menu under the name of the till. */
export async function signOut(page: Page): Promise<void> {
  await page.locator('.bar summary').press('Enter')
  await page.getByRole('button', { name: 'Sign out' }).press('Enter')
}

export async function openSignedIn(page: Page, key: string): Promise<void> {
  await signIn(page, key)
  await page.getByRole('heading', { name: 'Animals', exact: true }).waitFor()
}

const STEPS_MAX = 150

/** Waits for an element with this name, and presses Tab until it has the focus. Rejects if it never gets it. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const exists = `[...document.querySelectorAll('a, button, input, select, summary')].some((element) => (${NAME_OF})(element) === ${JSON.stringify(name)})`
  // The page's content security policy blocks Playwright's waiting functions.
  await until(`something on the page has the name ${name}`, () => page.evaluate(exists))
  for (let step = 0; step < STEPS_MAX; step++) {
    if ((await focusedName(page)) === name) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`the keyboard does not reach ${name}`)
}

/** The accessible name of an element: its label or its text. */
const NAME_OF = `(element) =>
  (element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent).trim()`

/** The name of the focused element. */
export async function focusedName(page: Page): Promise<string> {
  return page.evaluate(`(${NAME_OF})(document.activeElement)`)
}

/** Opens the dialog that sells the animal with this name, from its row or its own page. */
export function beginSale(page: Page, name: string): Promise<void> {
  return page.getByRole('button', { name: `Sell ${name}` }).click()
}

/** Waits for the heading of a view. If it does not appear, the error has the text of the page. */
export async function untilHeading(page: Page, name: string): Promise<void> {
  const heading = page.getByRole('heading', { name, exact: true, level: 1 })
  await heading.waitFor().catch(async (cause) => {
    const shown = await page.locator('body').innerText()
    const focused = await focusedName(page)
    throw new Error(`${page.url()} has the focus on "${focused}" and shows:\n${shown.slice(0, 600)}`, { cause })
  })
}

export async function openAdding(page: Page): Promise<void> {
  await tabTo(page, 'Add an animal')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
}

/** The text of the pager on the first page. */
export const firstRows = (total?: number) => `1 – ${PAGE_SIZE}${total === undefined ? '' : ` of ${total}`}`

/** The text of the pager on this page, counted from 1. */
export function rowsOn(page: number, total: number): string {
  const before = (page - 1) * PAGE_SIZE
  return `${before + 1} – ${Math.min(before + PAGE_SIZE, total)} of ${total}`
}

/** A number of animals that fills two pages and a part of a third. */
export const THREE_PAGES = 2 * PAGE_SIZE + 5

/** The ids in the table, top to bottom. */
export async function listedIds(page: Page): Promise<string[]> {
  return page.locator('.rows tbody .cell-id .mono').allInnerTexts()
}
