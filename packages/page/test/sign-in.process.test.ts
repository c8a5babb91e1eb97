// Signing in on the page at `/`, and what becomes of the key, in a real browser, by keyboard alone.

import { describe, expect, test } from 'bun:test'
import type { Page, Request, Route } from 'playwright-core'
import {
  addPets,
  firstRows,
  focusedName,
  openAdding,
  openEachTest,
  openSignedIn,
  refusal,
  signIn,
} from '../../../test/support/console.ts'
import { type Service, startService, TODAY } from '../../../test/support/service.ts'
import { foreignKey, hashKey, refusedKey } from '../../service/src/domain/keys.ts'
import { NOT_RESPONDING } from '../src/failures.ts'

let service: Service
let page: Page
const { alert, go, press, type } = openEachTest((opened) => {
  ;({ service, page } = opened)
})

describe('signing in', () => {
  test('keeps the key for this tab, and out of the address', async () => {
    await openSignedIn(page, service.key)
    expect(page.url()).toBe(`${service.origin}/`)
    expect(await page.title()).toBe('Animals · Petstore')
    expect(await page.evaluate('JSON.stringify(localStorage)')).toBe('{}')
    expect(await page.evaluate('document.cookie')).toBe('')
    await page.reload()
    await page.getByRole('heading', { name: 'Animals', exact: true }).waitFor()
  })

  test('another tab gets the key from one that is open, and signs out with it; one on another path gets nothing', async () => {
    await openSignedIn(page, service.key)
    const other = await page.context().newPage()
    await other.goto(`${service.origin}/`)
    await other.getByRole('heading', { name: 'Animals', exact: true }).waitFor()
    const elsewhere = await page.context().newPage()
    await elsewhere.goto(`${service.origin}/healthz`)
    const heard = elsewhere.evaluate(`new Promise((resolve) => {
      const channel = new BroadcastChannel('petstore /other/')
      channel.onmessage = ({ data }) => resolve(data)
      channel.postMessage('which key?')
      setTimeout(resolve, 500, 'nothing')
    })`)
    expect(await heard).toBe('nothing')
    await page.close()
    await other.reload()
    await other.getByRole('heading', { name: 'Animals', exact: true }).waitFor()
    const third = await other.context().newPage()
    await third.goto(`${service.origin}/`)
    await third.getByRole('button', { name: 'Sign out' }).click()
    await other.getByLabel('API key').waitFor()
    expect(await other.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).toBe('{}')
    await other.reload()
    await other.getByLabel('API key').waitFor()
  })

  test.each(['Bearer KEY', '"Authorization: bearer KEY"'])(
    'understands a key that was pasted as %s',
    async (pasted) => {
      await openSignedIn(page, pasted.replace('KEY', service.key))
      await page
        .getByRole('banner')
        .getByText(`…${service.key.slice(-4)}`)
        .waitFor()
    },
  )

  test('shows the name and the last characters of the key, and sends only reads', async () => {
    const key = await service.addKey({ name: 'till 3', readOnly: true })
    const asked: string[] = []
    page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`))
    await openSignedIn(page, key)
    const bar = page.getByRole('banner')
    await bar.getByText(`Signed in with the key till 3 …${key.slice(-4)}`).waitFor()
    await bar.getByText('Read-only', { exact: true }).waitFor()
    expect(asked.find((request) => !/^GET .(names|console.)/.test(request))).toBe('GET /key')
    expect(asked.filter((request) => !request.startsWith('GET '))).toEqual([])
    await page.reload()
    await bar.getByText('till 3', { exact: true }).waitFor()
  })

  test('a key is remembered on this device if the person asks for that, until signing out', async () => {
    await page.getByLabel('API key').waitFor()
    await page.getByLabel('Remember on this device').check()
    await page.getByLabel('API key').focus()
    await openSignedIn(page, service.key)
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).toBe('{}')
    const other = await page.context().newPage()
    await other.goto(`${service.origin}/`)
    await other.getByRole('button', { name: 'Sign out' }).click()
    await other.getByLabel('API key').waitFor()
    expect(await other.evaluate('JSON.stringify(localStorage)')).toBe('{}')
    await page.getByLabel('API key').waitFor()
  })

  test('signing out forgets the key and what was typed', async () => {
    await openSignedIn(page, service.key)
    await openAdding(page)
    await type('Half an ani')
    await press('Escape')
    await go('Sign out')
    await page.getByLabel('API key').waitFor()
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).toBe('{}')
  })

  test('signing out ends what was begun: an import, an export, and an earlier key that is refused meanwhile', async () => {
    await addPets(service, 150, 'available', 'available')
    await openSignedIn(page, service.key)
    const held: Route[] = []
    /** Holds each such request after the first few, and resolves when one is held. */
    const hold = (first: number, isOne: (request: Request) => boolean) =>
      new Promise<void>((resolve) =>
        page.route('**/v1/pets**', async (route) => {
          if (!isOne(route.request()) || first-- > 0) return route.fallback()
          held.push(route)
          resolve()
        }),
      )
    const adding = hold(60, (request) => request.method() === 'POST')
    await page.getByRole('button', { name: 'Import' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import animals' })
    const text = `name,categoryId\n${Array.from({ length: 600 }, (_, n) => `Luna ${n},7\n`).join('')}`
    await dialog
      .getByLabel('A CSV file')
      .setInputFiles({ name: 'pets.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
    await dialog.getByRole('button', { name: 'Add 600' }).click()
    await adding
    await press('Escape')
    const exporting = hold(1, (request) => request.url().includes('limit=100'))
    let saved = 0
    page.on('download', () => saved++)
    await page.getByRole('button', { name: 'Export' }).click()
    await exporting
    await page.getByRole('button', { name: 'Sign out' }).click()
    await openSignedIn(page, await service.addKey({ name: 'next' }))
    await page.unrouteAll()
    const [first, ...others] = held
    await first?.fulfill(refusal(refusedKey('revoked'))).catch(() => undefined)
    for (const route of others) await route.continue().catch(() => undefined)
    // Whatever goes on would do so while the next key reads several lists.
    for (const status of ['Available 210', 'Sold 0', 'All 210']) {
      await page.getByRole('radio', { name: status }).check()
      await page.getByText(status === 'Sold 0' ? 'No sold animals.' : firstRows(210)).waitFor()
    }
    expect((await service.get('/store/inventory')).text).toContain('210')
    expect(saved).toBe(0)
  })

  test('says what is wrong with a key, at the field, and leaves it there', async () => {
    const expired = await service.addKey({ expiresAt: TODAY - 1 })
    for (const [key, words] of [
      ['not a key', 'This is not an API key.'],
      ['pets_live_ключ', 'This is not an API key.'],
      ['', 'Enter an API key.'],
      ['pets_live_0000000000000000000000', foreignKey(undefined, 'production').message],
      [expired, refusedKey('expired').message],
    ] as const) {
      await page.reload()
      await signIn(page, key)
      await alert().getByText(words).or(page.getByText(words)).waitFor()
      expect(await page.getByLabel('API key').inputValue()).toBe(key)
      expect(await page.getByLabel('API key').getAttribute('aria-invalid')).toBe('true')
      expect(await focusedName(page)).toBe('API key')
    }
  })

  test('keeps the typed key while the service does not respond', async () => {
    await service.server.stop(1_000)
    await signIn(page, service.key)
    await alert().getByText(NOT_RESPONDING).waitFor()
    expect(await page.getByLabel('API key').inputValue()).toBe(service.key)
    const again = await startService({ store: service.store, port: service.port })
    await press('Enter')
    await page.getByRole('heading', { name: 'Animals', exact: true }).waitFor()
    await again.server.stop(1_000)
  })

  test('signing out reaches a tab that is just opening, too', async () => {
    await openSignedIn(page, service.key)
    // Right after a tab was given the key.
    await page.evaluate(`new BroadcastChannel('petstore /').onmessage = ({ data }) => data === 'which key?' && setTimeout(() =>
      [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Sign out').click())`)
    const tab = await page.context().newPage()
    await tab.goto(`${service.origin}/`)
    await tab.getByRole('heading', { name: 'Petstore' }).waitFor()
    expect(await tab.evaluate('sessionStorage.length')).toBe(0)
  })

  test('a key that is revoked while it is in use leads to signing in, with the reason; the draft stays for the next key', async () => {
    await openSignedIn(page, service.key)
    await openAdding(page)
    await type('Rex')
    await press('Tab')
    await type('7')
    const id = (await service.store.findKey(hashKey(service.key)))?.id as bigint
    await service.store.revokeKey(id)
    await press('Enter')
    await alert().getByText(refusedKey('revoked').message).waitFor()
    await openSignedIn(page, await service.addKey())
    await openAdding(page)
    expect(await page.getByLabel('Name').inputValue()).toBe('Rex')
    await press('Enter')
    await page.getByText('Rex was added.').first().waitFor()
  })
})
