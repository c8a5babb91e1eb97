// Shared by the tests of the page at `/`: a service and a browser page for each test, signing in, and using the keyboard.

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
  /** Of another till. */
  client: PetstoreClient
}

/**
 * For each test, a service of its own and its page in a new browser context; the test fails when the page complains. Returns what
 * people do and see on the page of the test that runs, and all pets of its store.
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
    /** Waits until a screen reader says this. */
    said: (text: string) => watched.page.getByRole('status').getByText(text).waitFor(),
    press: (key: string) => watched.page.keyboard.press(key),
    type: (text: string) => watched.page.keyboard.type(text),
    /** Presses Tab up to the button or link with this name, and Enter. */
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
    /** Holds the requests to these addresses until the function that it returns is called. */
    async hold(addresses: Parameters<Page['route']>[0]): Promise<() => void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      await watched.page.route(addresses, async (route) => {
        await promise
        await route.continue().catch(() => undefined)
      })
      return resolve
    },
    /** Adds animals with these names, or with these fields. */
    async addNamed(...animals: (string | Partial<NewPet>)[]): Promise<void> {
      const by = (await service.store.listKeys())[0]?.id as bigint
      for (const one of animals) {
        await service.store.createPet(newPet(typeof one === 'string' ? { name: one } : one), by)
      }
    },
    animals: async () => petsOf(await service.store.listPets(petFilter({ limit: 200 }))),
  }
}

/** An error of the service for `route.fulfill`. The page does not retry by itself within an hour. */
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

/** As a person would: the key is pasted where the focus already is. */
export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByRole('heading', { name: 'Petstore' }).waitFor()
  await page.keyboard.insertText(key)
  await page.keyboard.press('Enter')
}

export async function openSignedIn(page: Page, key: string): Promise<void> {
  await signIn(page, key)
  await page.getByRole('heading', { name: 'Animals', exact: true }).waitFor()
}

const STEPS_MAX = 150

/** Waits until there is something with this name, and presses Tab until it has the focus. Throws when it never has. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const there = `[...document.querySelectorAll('a, button, input, select, summary')].some((element) => (${NAME_OF})(element) === ${JSON.stringify(name)})`
  // The page's policy forbids what Playwright's own waiting evaluates.
  await until(`something on the page has the name ${name}`, () => page.evaluate(there))
  for (let step = 0; step < STEPS_MAX; step++) {
    if ((await focusedName(page)) === name) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`the keyboard does not reach ${name}`)
}

/** What a screen reader would call an element: its label, or its text. */
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

/** Waits for the heading of the view. Where it does not come, the error says what the page shows instead. */
export async function untilHeading(page: Page, name: string): Promise<void> {
  const heading = page.getByRole('heading', { name, exact: true, level: 1 })
  await heading.waitFor().catch(async (cause) => {
    const shown = await page.locator('body').innerText()
    const focused = await focusedName(page)
    throw new Error(`${page.url()} has the focus on "${focused}", and shows:\n${shown.slice(0, 600)}`, { cause })
  })
}

export async function openAdding(page: Page): Promise<void> {
  await tabTo(page, 'Add an animal')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
}

/** Lets another till make a change between the two requests by which the page changes what has this path. */
export async function overtake(page: Page, path: string, change: () => Promise<unknown>): Promise<void> {
  await page.route(
    `**/v1${path}`,
    async (route) => {
      const response = await route.fetch()
      await change()
      await route.fulfill({ response })
    },
    { times: 1 },
  )
}

/** What the pager says of the first page, of so many animals. */
export const firstRows = (total?: number) => `1 – ${PAGE_SIZE}${total === undefined ? '' : ` of ${total}`}`

/** What it says of the page with this number, from 1. */
export function rowsOn(page: number, total: number): string {
  const before = (page - 1) * PAGE_SIZE
  return `${before + 1} – ${Math.min(before + PAGE_SIZE, total)} of ${total}`
}

/** How many animals have a second page and a third, of a few rows. */
export const THREE_PAGES = 2 * PAGE_SIZE + 5

/** The ids in the table, top to bottom. */
export async function listedIds(page: Page): Promise<string[]> {
  return page.locator('.rows tbody .cell-id .mono').allInnerTexts()
}
