// A short run of the experiment with recorded histories: every answer of two servers on one file is explained, and where the service is
// broken on purpose, it is said. Which edits break it is looked at for each planted fault, so that none goes stale.

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../test/support/process.ts'
import { check } from '../history/checker.ts'
import { findPlanted } from '../history/found.ts'
import { edited, PLANTED } from '../history/planted.ts'
import { recordPiece } from '../history/record.ts'
import { CLOCK } from '../history/servers.ts'
import { inWords } from '../history/words.ts'

test('one order of all operations explains every answer of two servers; an answer that comes too late is stale', async () => {
  const plan = { seed: 1, operations: 500, breaks: [CLOCK] }
  const { operations, world, faults, checked, broken } = await recordPiece('sqlite', plan)
  expect(new Set(broken.map(({ name }) => name))).toEqual(new Set([CLOCK]))
  expect(faults).toEqual([])
  expect(checked).toBeGreaterThan(400)
  expect(world.events.length).toBeGreaterThan(20)

  const end = Math.max(...operations.map(({ startedAt }) => startedAt))
  const { revoked } = world.circumstances.keys
  const first = operations.find(
    ({ ask, key, status, method }) =>
      ask.kind === 'inventory' && status === 200 && method === 'GET' && !(key in revoked),
  )
  const late = operations.map((one) => (one === first ? { ...one, startedAt: end + 1, endedAt: end + 2 } : one))
  const [stale] = check(late, world.events, world.circumstances).faults
  expect(stale?.reason).toBe('it shows the store before a commit that was already visible')

  const untold = check(operations, world.events.slice(0, world.events.length / 2), world.circumstances)
  expect(untold.faults.length).toBeGreaterThan(0)
})

test.each([
  ['sqlite', ['a server killed', 'both servers killed']],
  ['postgres', ['a server killed', 'a failover']],
] as const)('%s, %p: nothing is lost, done twice or done by half', async (store, breaks) => {
  const { faults, broken, checked } = await recordPiece(store, { seed: 1, operations: 1_500, breaks })
  expect(faults.map(inWords)).toEqual([])
  expect(broken.length).toBeGreaterThan(0)
  expect(checked).toBeGreaterThan(0)
})

// One that does something wrong, and one that shows something wrong. `npm run endurance -- history --planted all` has the others.
test.each(['a deletion that is done later', 'own commits unseen'])('finds what is planted: %s', async (name) => {
  const planted = PLANTED.find((one) => one.name === name) as (typeof PLANTED)[number]
  const found = await findPlanted(planted, 'sqlite', 1)
  expect(found?.words).toContain(' → ')
})

test('what each planted fault changes in the source tree is there once', () => {
  for (const { edits = [] } of PLANTED)
    for (const edit of edits) expect(edited(readFileSync(join(root, edit[0]), 'utf8'), edit)).toContain(edit[2])
  expect(PLANTED.length).toBeGreaterThanOrEqual(150)
  expect(new Set(PLANTED.map(({ name }) => name)).size).toBe(PLANTED.length)
})
