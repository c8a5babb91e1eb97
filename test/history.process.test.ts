// A short run of the experiment with recorded histories: every answer of two servers on one file is explained, and where the servers are
// broken on purpose, it is said. Which edits break them is looked at for each planted fault, so that none goes stale.

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { check } from '../endurance/history/checker.ts'
import { writePage } from '../endurance/history/page.ts'
import { edited, PLANTED, plant } from '../endurance/history/planted.ts'
import { recordPiece } from '../endurance/history/record.ts'
import { CLOCK } from '../endurance/history/sites.ts'

const PLAN = { seed: 1, operations: 300, breaks: [] }

test('one order of all operations explains every answer of two servers; an answer that comes too late is stale', async () => {
  const { operations, versions, faults, checked, broken } = await recordPiece('sqlite', { ...PLAN, breaks: [CLOCK] })
  expect(broken).toEqual({ [CLOCK]: expect.any(Number) })
  expect(faults).toEqual([])
  expect(checked).toBeGreaterThan(200)
  expect(versions.events.length).toBeGreaterThan(20)

  const end = Math.max(...operations.map(({ startedAt }) => startedAt))
  const late = operations.map((one) => {
    const isFirst = one === operations.find(({ ask, status }) => ask.kind === 'inventory' && status === 200)
    return isFirst ? { ...one, startedAt: end + 1, endedAt: end + 2 } : one
  })
  expect(check(late, versions.events).faults).toMatchObject([{ reason: expect.stringContaining('it is stale') }])

  const untold = check(operations, versions.events.slice(0, versions.events.length / 2))
  expect(untold.faults.length).toBeGreaterThan(0)

  const moved = versions.events.findLast(({ type }) => /^order\.(completed|cancelled|expired|returned)$/.test(type))
  const early = versions.events.map((event) =>
    event.orderId === moved?.orderId && event.type === 'order.placed' ? { ...event, at: '9999-12-31' } : event,
  )
  const reasons = check(operations, early).faults.map(({ reason }) => reason)
  expect(reasons).toContainEqual(expect.stringMatching(/ is at 20.*, and the one that it follows at 9999/))
}, 60_000)

test('servers that do not see their own commits are found, and a page shows the history around it', async () => {
  const planted = PLANTED.find(({ name }) => name === 'own commits unseen') as (typeof PLANTED)[number]
  const piece = await recordPiece('sqlite', { ...PLAN, source: plant(planted) })
  expect(piece.faults[0]?.reason).toContain('it is stale')
  const page = readFileSync(writePage('sqlite', piece), 'utf8')
  expect(page).toContain('seed 1')
  expect(page).toContain('<tr class="fault">')
}, 60_000)

test('what each planted fault changes is in the source tree once', () => {
  for (const { edits } of PLANTED) for (const [file, from, to] of edits) expect(edited(file, from, to)).toContain(to)
  expect(PLANTED.length).toBeGreaterThanOrEqual(20)
})
