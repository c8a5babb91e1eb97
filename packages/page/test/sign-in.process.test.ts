// Signing in and out at `/` in a browser.

import { expect, test } from 'bun:test'
import type { Page, Route } from 'playwright-core'
import {
  addPets,
  firstRows,
  focusedName,
  openAdding,
  openEachTest,
  openSignedIn,
  refusal,
  signIn,
  signOut,
} from '../../../test/support/console.ts'
import { type Service, TODAY } from '../../../test/support/service.ts'
import { until } from '../../../test/support/until.ts'
import type { PetstoreClient } from '../../client/src/petstore.ts'
import { foreignKey, hashKey, refusedKey } from '../../service/src/domain/keys.ts'
import { NOT_RESPONDING } from '../src/failures.ts'

let service: Service
let page: Page
/** Another till. */
let client: PetstoreClient
const { alert, addNamed, button, dialog, openFollowing, press, type } = openEachTest((opened) => {
  ;({ service, page, client } = opened)
})
const stored = (storage: string, tab = page) => tab.evaluate(`JSON.stringify(${storage})`)

test('a key stays in the browser’s tabs, which share one waiting request, until one of them signs out, or on the device', async () => {
  await addNamed('Rex')
  const minute = new Date(service.clock.at + 60_000).toISOString()
  await client.placeOrder({ petId: 1n, reference: 'Anna', expiresAt: minute })
  const key = await service.addKey({ name: 'till 3', readOnly: true })
  const asked: string[] = []
  page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`))
  const waiting = page.waitForRequest((request) => request.url().includes('wait='))
  await openSignedIn(page, key)
  const bar = page.getByRole('banner')
  await bar.getByText('Signed in with the key').waitFor()
  await bar.getByText('till 3', { exact: true }).click()
  await bar.getByText(`…${key.slice(-4)}`).waitFor()
  await press('Escape')
  await bar.getByText('Read-only', { exact: true }).waitFor()
  expect(asked.find((request) => !/^GET .(names|console.)/.test(request))).toBe('GET /key')
  expect(asked.filter((request) => !request.startsWith('GET '))).toEqual([])
  expect([page.url(), await stored('localStorage'), await page.evaluate('document.cookie')]).toEqual([
    `${service.origin}/`,
    '{}',
    '',
  ])
  await waiting

  const other = await page.context().newPage()
  const askedThere: string[] = []
  other.on('request', (request) => askedThere.push(request.url()))
  await other.goto(`${service.origin}/`)
  for (const one of [page, other]) await one.getByText('For Anna').waitFor()
  service.clock.at = Date.parse(minute)
  for (const one of [page, other]) await one.getByText('For Anna').waitFor({ state: 'detached' })
  expect(askedThere.filter((url) => url.includes('wait='))).toEqual([])
  await page.close()
  await other.reload()
  await other.getByRole('heading', { name: 'Animals', exact: true }).waitFor()
  const third = await other.context().newPage()
  await third.goto(`${service.origin}/`)
  await signOut(third)
  await other.getByLabel('API key').waitFor()
  expect(await stored('{ ...localStorage, ...sessionStorage }', other)).toBe('{}')
  await other.reload()
  await other.getByLabel('API key').waitFor()
  // A key that is remembered on the device needs no open tab.
  await third.close()
  await other.getByRole('checkbox').check()
  await other.getByLabel('API key').focus()
  await openSignedIn(other, key)
  const { origin } = service
  const last = await other.context().newPage()
  await other.close()
  await last.goto(`${origin}/`)
  await last.getByText('Read-only', { exact: true }).waitFor()
})

test('a sign-out ends a running import and export, and a late rejection of the old key changes nothing', async () => {
  await addPets(service, 150, 'available', 'available')
  await openSignedIn(page, service.key)
  const held: Record<string, Route> = {}
  await page.route('**/v1/pets**', (route) => {
    const isExport = route.request().url().includes('limit=100')
    if (route.request().method() === 'GET' && !isExport) return route.fallback()
    held[isExport ? 'export' : 'import'] = route
  })
  await button('Import').click()
  const buffer = Buffer.from(`name,categoryId\n${'Luna,7\n'.repeat(60)}`)
  await dialog().getByLabel('CSV file').setInputFiles({ name: 'pets.csv', mimeType: 'text/csv', buffer })
  await button('Add 60').click()
  await until('the import is held', () => held.import)
  await press('Escape')
  let saved = 0
  page.on('download', () => saved++)
  await button('Export').click()
  await until('the export is held', () => held.export)
  await signOut(page)
  await openSignedIn(page, await service.addKey({ name: 'next' }))
  await page.unrouteAll()
  await held.import?.fulfill(refusal(refusedKey('revoked'))).catch(() => undefined)
  await held.export?.continue().catch(() => undefined)
  // Any request that survived would be visible while the next key reads another list.
  await page.getByRole('radio', { name: 'Sold 0' }).check()
  await page.getByText('No sold animals.').waitFor()
  await page.getByRole('radio', { name: 'All 150' }).check()
  await page.getByText(firstRows(150)).waitFor()
  expect(saved).toBe(0)
})

test('the form explains why a key does not work, and keeps it, also while the service does not respond', async () => {
  const expired = await service.addKey({ expiresAt: TODAY - 1 })
  const field = page.getByLabel('API key')
  for (const [key, words] of [
    ['pets_live_ключ', 'This is not an API key.'],
    ['', 'Enter an API key.'],
    ['pets_live_0000000000000000000000', foreignKey(undefined, 'production').message],
    [expired, refusedKey('expired').message],
  ] as const) {
    await page.reload()
    await signIn(page, key)
    await page.getByText(words).waitFor()
    expect([await field.inputValue(), await field.getAttribute('aria-invalid')]).toEqual([key, 'true'])
    expect(await focusedName(page)).toBe('API key')
  }
  await page.reload()
  await page.route('**/key', (route) => route.abort())
  await signIn(page, service.key)
  await alert().getByText(NOT_RESPONDING).waitFor()
  expect(await field.inputValue()).toBe(service.key)
  await page.unrouteAll()
  await press('Enter')
  await page.getByRole('heading', { name: 'Animals', exact: true }).waitFor()
})

test('a revoked key leads to the form with the reason; drafts stay for the next key, and a sign-out removes them', async () => {
  await addNamed('Rex')
  await openFollowing()
  await openAdding(page)
  await type('Luna')
  await press('Escape')
  await button('Reserve Rex').click()
  await type('Anna')
  await page.getByLabel('For how long').selectOption('1 week')
  await service.store.revokeKey((await service.store.findKey(hashKey(service.key)))?.id as bigint)
  await alert().getByText(refusedKey('revoked').message).waitFor()
  await openSignedIn(page, await service.addKey())
  await openAdding(page)
  expect(await page.getByLabel('Name').inputValue()).toBe('Luna')
  await press('Escape')
  await button('Reserve Rex').click()
  await dialog().getByText('Draft restored.').waitFor()
  expect(await page.getByLabel('For whom').inputValue()).toBe('Anna')
  expect(await page.getByLabel('For how long').inputValue()).toBe('week')
  await press('Escape')
  await button('Reserve Rex').click()
  expect(await page.getByLabel('For whom').inputValue()).toBe('')
  await type('Ben')
  const tab = await page.context().newPage()
  await tab.goto(`${service.origin}/`)
  await signOut(tab)
  await page.getByLabel('API key').waitFor()
  expect(await page.evaluate('sessionStorage.length')).toBe(0)
})
