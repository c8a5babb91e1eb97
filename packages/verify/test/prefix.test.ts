// A server behind a gateway that adds a path, with and without knowing this path.

import { expect, test } from 'bun:test'
import { brokenOf, examine, keysOf } from '../../../test/support/examine.ts'
import { PREFIX, startPrefixProxy } from '../../../test/support/prefix-proxy.ts'
import { startService } from '../../../test/support/service.ts'
import { PROMISES } from '../src/promises/all.ts'

/** The promises about links, and the promises whose checks follow links. */
const chosen = PROMISES.filter(({ id }) =>
  /\.(?:next|prev|link|headers|filters|cursor|newest|inventory|counts|search)\b/.test(id),
)

async function examined(production: string | undefined) {
  const service = await startService({ now: Date.now, baseUrls: { production, staging: undefined } })
  const { origin } = startPrefixProxy(() => service.origin)
  return examine(`${origin}${PREFIX}/v1`, { keys: await keysOf(service), write: true, chosen })
}

test('links below the base path are followed', async () => {
  const results = await examined(`https://shop.example${PREFIX}/v1`)
  expect(brokenOf(results)).toEqual([])
  expect(results.filter(({ outcome }) => outcome !== 'held')).toEqual([])
})

test('links that lead outside of the base path are not checked', async () => {
  const results = await examined(undefined)
  expect(brokenOf(results)).toEqual([])
  const unchecked = results.filter((result) => 'reason' in result && result.reason.includes('leads outside of'))
  const ids = ['pets.list.next', 'orders.list.next', 'events.list.next', 'orders.place.headers']
  expect(unchecked.map(({ id }) => id)).toEqual(expect.arrayContaining(ids))
})
