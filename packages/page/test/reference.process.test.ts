// The API reference at `/docs`, in a real browser: what it shows of the contract, and trying an operation out.

import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { openPage, startBrowser, type Watched } from '../../../test/support/browser.ts'
import { openSignedIn } from '../../../test/support/console.ts'
import { petBody } from '../../../test/support/pets.ts'
import { type Service, startService } from '../../../test/support/service.ts'

let browser: Browser
let service: Service
let watched: Watched
let page: Page

/** The headings of the operations. */
const names = Array.from(
  readFileSync('openapi.yaml', 'utf8').matchAll(/^ {6}summary: (.+)$/gm),
  ([, name = '']) => name,
)

beforeAll(async () => {
  browser = await startBrowser()
  // Behind another address, as in production: what is tried out must go to where the page came from all the same.
  service = await startService({ baseUrls: { production: 'https://pets.example/v1', staging: undefined } })
  watched = await openPage(browser, `${service.origin}/docs`, { viewport: { width: 1440, height: 900 } })
  page = watched.page
  for (const name of names) await page.getByRole('heading', { name }).first().waitFor()
})
// No errors, and no requests to other origins.
afterEach(() => expect(watched.complaints).toEqual([]))
afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

test('shows every operation with its stability, and when the deprecated one is removed', async () => {
  const text = (await page.getByRole('main').innerText()).split('\n')
  const count = (label: string) => text.filter((line) => line.trim() === label).length
  expect({ stable: count('stable'), beta: count('beta'), experimental: count('experimental') }).toEqual({
    stable: 3,
    beta: 5,
    experimental: 6,
  })
  expect(count('Deprecated')).toBe(1)
  expect(count('removal on 2030-12-05')).toBe(1)
})

test('names our client, shows fields in the order of the contract, no regular expressions, no rounded bounds and no menu of one scheme', async () => {
  await page.getByText('typed, with exact integers').waitFor()
  const cut = "[...document.querySelectorAll('.selected-client')].some((box) => box.scrollWidth > box.clientWidth)"
  expect(await page.evaluate(cut)).toBe(false)
  const text = await page.getByRole('main').innerText()
  expect(text).not.toContain('^')
  expect(text).not.toContain('922337203685477')
  expect(await page.getByRole('button', { name: 'apiKey' }).count()).toBe(0)
  expect(text.indexOf('\nreference\n')).toBeGreaterThan(text.indexOf('\npetId\n'))
  expect(text.indexOf('\nexpiresAt\n')).toBeGreaterThan(text.indexOf('\nreference\n'))
})

test('shows curl first, then our client, finds operations by their errors, and warns of nothing', async () => {
  const samples = page.getByTestId('client-picker').filter({ visible: true }).first()
  await samples.click()
  await page.getByRole('option', { name: 'petstore-client' }).waitFor()
  const labels = await page.getByRole('option').allInnerTexts()
  expect([await samples.innerText(), ...labels.slice(0, 2)]).toEqual(['curl', 'curl', 'petstore-client'])
  await page.keyboard.press('Escape')
  for (const words of ['401', 'rate limit']) {
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('search').locator('input').fill(words)
    for (const name of ['List pets', 'Place an order']) {
      await page.getByRole('dialog').getByRole('option', { name }).waitFor()
    }
    await page.keyboard.press('Escape')
  }
  expect(watched.warnings).toEqual([])
})

test('tries an operation out with a key that it does not keep, and shows 64-bit numbers unrounded', async () => {
  await service.post(petBody({ categoryId: 9223372036854775807n }))
  await service.post(petBody({ name: 'Mia', categoryId: -9223372036854775808n }))
  await page.getByRole('button', { name: /^Test Request.*get \/pets\)/ }).click()
  const client = page.getByRole('dialog')
  await client.getByRole('button', { name: /^Send get request/ }).waitFor()
  await client.locator('[contenteditable]').filter({ visible: true }).first().waitFor()
  await client.getByLabel('Bearer Token').first().click()
  await page.keyboard.type(service.key)
  const answered = page.waitForResponse((response) => response.url().startsWith(`${service.url}/pets`))
  await client.getByRole('button', { name: /^Send get request/ }).click()
  expect((await answered).status()).toBe(200)
  await client.getByText('9223372036854775807').waitFor()
  await client.getByText('-9223372036854775808').waitFor()
  expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain(service.key)
  await page.keyboard.press('Escape')
  await client.waitFor({ state: 'hidden' })
})

test('has the key of the page that opened it, or the one remembered on this device, and leads back', async () => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const opener = await context.newPage()
  await opener.goto(`${service.origin}/`)
  await openSignedIn(opener, service.key)
  const opening = context.waitForEvent('page')
  await opener.evaluate("window.open('docs', '_blank', 'noopener')")
  const tab = await opening
  await sends(tab)
  await tab.keyboard.press('Escape')
  expect(await tab.getByRole('link', { name: 'openapi.json' }).getAttribute('href')).toBe('openapi.json')
  expect(await tab.evaluate('JSON.stringify(sessionStorage)')).not.toContain(service.key)
  await tab.getByRole('link', { name: 'The animals' }).click()
  await tab.waitForURL(`${service.origin}/`)
  await tab.getByRole('heading', { name: 'Animals', exact: true }).waitFor()

  await opener.getByRole('button', { name: 'Sign out' }).click()
  await tab.getByLabel('API key').waitFor()
  await opener.getByRole('checkbox').check()
  await opener.getByLabel('API key').focus()
  await openSignedIn(opener, service.key)
  // Nobody is left to ask for it.
  await opener.close()
  await tab.goto(`${service.origin}/docs`)
  await tab.getByRole('heading', { name: 'List pets' }).first().waitFor()
  await sends(tab)
  expect(await tab.evaluate('JSON.stringify(sessionStorage)')).not.toContain(service.key)
  await context.close()
})

/** Tries an operation out, without typing a key. */
async function sends(tab: Page): Promise<void> {
  await tab.getByRole('button', { name: /^Test Request.*get \/pets\)/ }).click()
  const answered = tab.waitForResponse((response) => response.url().startsWith(`${service.url}/pets`))
  await tab
    .getByRole('dialog')
    .getByRole('button', { name: /^Send get request/ })
    .click()
  expect((await answered).status()).toBe(200)
}
