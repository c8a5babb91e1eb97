// The log of failures: the first of each kind in full with its request id, the others as a count.

import { expect, test } from 'bun:test'
import { PetstoreError } from '../../src/domain/petstore-error.ts'
import { FailureLog } from '../../src/http/reports.ts'
import { createLog } from '../../src/observability/log.ts'

interface Line {
  msg: string
  code: string
  failures?: number
  requestId?: string
  reason?: string
  err?: { message: string; stack: string }
}

const parsed = (lines: string[]): Line[] => lines.map((line) => JSON.parse(line))

function failureLog() {
  const lines: string[] = []
  return { failures: new FailureLog(createLog('info', { destination: { write: (line) => lines.push(line) } })), lines }
}
const internal = (cause: unknown) => new PetstoreError('internal', 'The service failed.', { cause })

test('logs different faults in full, even with the same message', () => {
  const { failures, lines } = failureLog()
  const here = new Error('undefined is not an object')
  const there = (() => new Error('undefined is not an object'))()
  for (const cause of [here, there, new TypeError('x'), 'a text', here]) failures.add(internal(cause), () => ({}))
  expect(parsed(lines).map(({ msg }) => msg)).toEqual(['failed', 'failed', 'failed', 'failed'])
  failures.report()
  expect(parsed(lines).slice(4)).toMatchObject([{ msg: 'failed again', code: 'internal', failures: 1 }])
})

test('logs a failure in full again after a pause', () => {
  const { failures, lines } = failureLog()
  const gone = internal(new Error('gone'))
  for (let n = 0; n < 3; n++) failures.add(gone, () => ({}))
  failures.report()
  failures.report()
  failures.report()
  failures.add(gone, () => ({ requestId: 'r' }))
  const told = parsed(lines).map(({ msg, failures: n }) => `${msg} ${n}`)
  expect(told).toEqual(['failed undefined', 'failed again 2', 'failed undefined'])
  expect(parsed(lines)[2]?.requestId).toBe('r')
})

test('many different failures do not fill the log', () => {
  const { failures, lines } = failureLog()
  for (let n = 0; n < 5_000; n++) failures.add(internal(new Error(`failure ${n}`)), () => ({}))
  failures.report()
  expect(lines.length).toBeLessThan(200)
  const told = parsed(lines).reduce((sum, { failures: n = 1 }) => sum + n, 0)
  expect(told).toBe(5_000)
})
