// How tabs of one browser share the signed-in key.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { until } from '../../../../test/support/until.ts'
import { identify, keyIn, refusalIn } from '../../src/session/signed-in.ts'
import { findKey, joinTabs, STORED_KEY } from '../../src/session/tab-keys.ts'

const SIGNED_IN = { key: 'pets_live_x', name: 'till 3', readOnly: false }
const stored = new Map<string, string>()
const page = { href: '' }

beforeAll(() => {
  const storage = { getItem: (name: string) => stored.get(name) ?? null }
  Object.assign(globalThis, { location: page, sessionStorage: storage, localStorage: storage })
})
afterAll(() => {
  for (const name of ['location', 'sessionStorage', 'localStorage']) Reflect.deleteProperty(globalThis, name)
})

test('a new tab gets the key from an open tab on the same path, and no other', async () => {
  page.href = 'http://localhost/shop/?animal=1'
  const tab = joinTabs(
    () => SIGNED_IN,
    () => undefined,
  )
  page.href = 'http://localhost/other/'
  expect(await findKey()).toBeUndefined()
  page.href = 'http://localhost/shop/docs'
  expect(await findKey()).toEqual(SIGNED_IN)
  tab.close()
})

test('a sign-out reaches a tab that is still opening', async () => {
  page.href = 'http://localhost/opening/'
  stored.set(STORED_KEY, JSON.stringify(SIGNED_IN))
  expect(await findKey()).toEqual(SIGNED_IN)
  joinTabs(
    () => SIGNED_IN,
    () => undefined,
  ).signOut()
  await until('the new tab has signed out', () => {
    let isSignedOut = false
    joinTabs(
      () => SIGNED_IN,
      () => (isSignedOut = true),
    ).close()
    return isSignedOut
  })
})

test.each(['pets_live_x', ' Bearer pets_live_x', '"Authorization: bearer pets_live_x"'])(
  'reads the key that was pasted as %s',
  (text) => expect(keyIn(text)).toBe('pets_live_x'),
)

test('only a 401 of the service says that a key was rejected, and HTML at /key is not a key', async () => {
  const refused = { code: 'invalid_api_key', message: 'The key is unknown.', status: 401 }
  expect(await refusalIn(Response.json(refused, { status: 401 }))).toBe('The key is unknown.')
  expect(await refusalIn(new Response('<html>', { status: 401 }))).toBeUndefined()
  Object.assign(globalThis, { window: { fetch: async () => new Response('<html>') } })
  expect((await rejectionOf(identify('pets_live_x'))).message).toStartWith('The response does not follow the contract.')
  Reflect.deleteProperty(globalThis, 'window')
})
