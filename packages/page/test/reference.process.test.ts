// The API reference at `/docs` in a browser: the contract as the library shows it, and trying an operation.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import document from '../../../openapi.yaml'
import { openPage, startBrowser, type Watched } from '../../../test/support/browser.ts'
import { openSignedIn } from '../../../test/support/console.ts'
import { petBody } from '../../../test/support/pets.ts'
import { type Service, startService } from '../../../test/support/service.ts'

let browser: Browser
let service: Service
let watched: Watched

beforeAll(async () => {
  browser = await startBrowser()
  // With another public address, as in production: requests must still go to the page's own origin.
  service = await startService({ baseUrls: { production: 'https://pets.example/v1', staging: undefined } })
  await service.post(petBody({ categoryId: 9223372036854775807n }))
  await service.post(petBody({ name: 'Mia', categoryId: -9223372036854775808n }))
  watched = await openPage(browser, `${service.origin}/openapi.json`, { viewport: { width: 1440, height: 900 } })
  const till = await watched.page.context().newPage()
  await till.goto(`${service.origin}/`)
  await openSignedIn(till, service.key)
  // Both tests use one page, because the library takes seconds to show it.
  await watched.page.goto(`${service.origin}/docs`)
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

test('shows each operation with its stability, fields in the contract’s order, curl and our client first, and errors in its search', async () => {
  const { page, complaints, warnings } = watched
  await page.getByText('typed, with exact integers').waitFor()
  // The library renders an operation when it comes into view.
  for (const path of Object.values(document.paths)) {
    for (const { summary } of Object.values(path)) {
      await page.getByRole('link', { name: summary }).first().click()
      await page.getByRole('main').getByRole('heading', { name: summary }).waitFor()
    }
  }
  await page.getByText('removal on 2030-12-05').first().waitFor()
  const text = await page.getByRole('main').innerText()
  const count = (label: string) => text.split('\n').filter((line) => line.trim() === label).length
  const labels = ['stable', 'beta', 'experimental', 'Deprecated', 'removal on 2030-12-05']
  expect(labels.map((label) => [label, count(label)])).toEqual([
    ['stable', 3],
    ['beta', 5],
    ['experimental', 6],
    ['Deprecated', 1],
    ['removal on 2030-12-05', 1],
  ])
  const cut = "[...document.querySelectorAll('.selected-client')].some((box) => box.scrollWidth > box.clientWidth)"
  expect(await page.evaluate(cut)).toBe(false)
  expect(await page.getByRole('button', { name: 'apiKey' }).count()).toBe(0)
  const fields = ['\npetId\n', '\nreference\n', '\nexpiresAt\n'].map((field) => text.indexOf(field))
  expect(fields).toEqual(fields.toSorted((a, b) => a - b))

  const samples = page.getByTestId('client-picker').filter({ visible: true }).first()
  await samples.click()
  await page.getByRole('option', { name: 'petstore-client' }).waitFor()
  const options = await page.getByRole('option').allInnerTexts()
  expect([await samples.innerText(), ...options.slice(0, 2)]).toEqual(['curl', 'curl', 'petstore-client'])
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('search').locator('input').fill('rate limit')
  for (const name of ['List pets', 'Place an order']) {
    await page.getByRole('dialog').getByRole('option', { name }).waitFor()
  }
  await page.keyboard.press('Escape')
  expect([complaints, warnings]).toEqual([[], []])
})

test('tries an operation with the key of an open tab, keeps no key, and rounds no integer', async () => {
  const { page, complaints } = watched
  await page.getByRole('button', { name: /^Test Request.*get \/pets\)/ }).click()
  const answered = page.waitForResponse((response) => response.url().startsWith(`${service.url}/pets`))
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Send get request/ })
    .click()
  expect((await answered).status()).toBe(200)
  await page.getByRole('dialog').getByText('9223372036854775807').waitFor()
  await page.getByRole('dialog').getByText('-9223372036854775808').waitFor()
  await page.keyboard.press('Escape')
  expect(await page.getByRole('link', { name: 'openapi.json' }).getAttribute('href')).toBe('openapi.json')
  expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain(service.key)
  await page.getByRole('link', { name: 'The animals' }).click()
  await page.waitForURL(`${service.origin}/`)
  await page.getByRole('heading', { name: 'Animals', exact: true }).waitFor()
  expect(complaints).toEqual([])
})
