// Short recorded histories: the checker accepts the responses of two servers on one store, with and without failures.

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { root, run } from '../../test/support/process.ts'
import { check } from '../history/checker.ts'
import { recordPiece } from '../history/record.ts'
import { CLOCK } from '../history/servers.ts'
import { inWords } from '../history/words.ts'

test('accepts the responses of two servers, and finds a stale response and missing events', async () => {
  const plan = { seed: 1, operations: 500, breaks: [CLOCK] }
  const { operations, world, faults, checked, broken } = await recordPiece('postgres', plan)
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

// simulate.process.test.ts kills servers on a SQLite file.
test('a killed server and a failover lose nothing, and no change takes effect twice or in part', async () => {
  const plan = { seed: 1, operations: 1_500, breaks: ['a server killed', 'a failover'] }
  const { faults, broken, checked } = await recordPiece('postgres', plan)
  expect(faults.map(inWords)).toEqual([])
  expect(broken.length).toBeGreaterThan(0)
  expect(checked).toBeGreaterThan(0)
})

test('prints the report of an experiment and exits with 0', async () => {
  const options = '--store postgres --pieces 1 --operations 100'.split(' ')
  const command = [process.execPath, join(root, 'endurance/main.ts'), 'history']
  const { status, stdout } = await run([...options, '--breaks', 'a server frozen'], { command })
  const words = `npm run endurance -- history ${options.join(' ')} --breaks 'a server frozen'`
  expect(stdout).toStartWith(`## Recorded histories\n\n\`${words}\`, `)
  expect(stdout).toContain('\n- Faults: none.\n')
  expect(status).toBe(0)
})
