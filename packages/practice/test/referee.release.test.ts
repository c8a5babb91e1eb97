// The lessons of our client and of plain fetch: a short run of scripts/referee.ts, which writes docs/practice-clients.md.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type Driver, judge, play, SITUATIONS } from '../../../test/support/referee.ts'
import { type PracticePetstore, startPetstore } from '../../testing/testing.ts'
import { LESSONS } from '../src/lessons/all.ts'

type Connect = (to: { baseUrl: string; apiKey: string }) => Driver

const fast = Object.keys(SITUATIONS).filter((name) => !SITUATIONS[name]?.isSlow)

let store: PracticePetstore
beforeAll(async () => {
  store = await startPetstore({ practice: true, demo: true })
})
afterAll(() => store.stop())

async function learnt(client: string) {
  const { default: connect }: { default: Connect } = await import(`../../client/test/generators/clients/${client}.mjs`)
  const judged = await judge(store, fast, (name, apiKey) => play(name, connect({ baseUrl: store.url, apiKey })))
  // Whether pauses grow can only be judged on a quiet machine.
  return (outcome: string) => Object.keys(judged).filter((id) => judged[id] === outcome && id !== 'waits.longer')
}

// As slow as the client's pauses.
test('our client misses no lesson', async () => {
  const of = await learnt('petstore-client')
  expect(of('missed')).toEqual([])
  const UNKNOWN =
    'creates.keyless deprecated.left deprecated.removed etags.refused events.anew events.wait waits.patience'
  expect(of('unknown').sort()).toEqual(UNKNOWN.split(' '))
})

test('a plain fetch misses the lessons that need extra code', async () => {
  const of = await learnt('fetch')
  const missed = ['retries.temporary', 'creates.key', 'pages.all', 'values.exact', 'etags.reads', 'etags.changes']
  expect(of('missed')).toEqual(expect.arrayContaining(missed))
  expect(of('kept')).toEqual(expect.arrayContaining(['retries.refused', 'unknown.field', 'key.header']))
})

test('docs/practice-clients.md has each lesson', async () => {
  const page = await Bun.file(join(import.meta.dir, '../../../docs/practice-clients.md')).text()
  const [table = '', without = ''] = page.slice(page.indexOf('| Lesson')).split('No client was')
  const idsOf = (text: string) => [...text.matchAll(/`([\w.-]+)`/g)].map(([, id]) => id)
  const ids = Object.keys(LESSONS)
  expect(idsOf(table)).toEqual(ids.filter((id) => !idsOf(without).includes(id)))
  expect([...idsOf(table), ...idsOf(without)].sort()).toEqual(ids.sort())
})
