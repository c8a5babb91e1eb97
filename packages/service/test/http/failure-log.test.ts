// The log of failures: the first of each kind in full with its request id, the others as a count.

import { expect, test } from 'bun:test'
import { startService } from '../../../../test/support/service.ts'
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

test('logs the first failure of an unreachable store in full, and counts the others', async () => {
  const whole = await startService()
  let reason = 'no connection'
  const fail = () => Promise.reject(new PetstoreError('unavailable', 'Gone.', { cause: new Error(reason) }))
  const service = await startService({ store: { ...whole.store, listPets: fail } })
  const first = await service.get('/pets')
  for (let n = 0; n < 500; n++) expect((await service.get('/pets')).status).toBe(503)
  reason = 'another reason'
  for (let n = 0; n < 10; n++) expect((await service.get('/pets')).status).toBe(503)
  await service.server.stop(1_000)
  const lines = parsed(service.logged)
  const full = lines.filter(({ msg }) => msg === 'failed')
  expect(full.map(({ err }) => err?.message)).toEqual(['no connection', 'another reason'])
  expect(full[0]).toMatchObject({ code: 'unavailable', requestId: first.headers.get('X-Request-Id') })
  expect(full[0]?.err?.stack).toContain('failure-log.test.ts')
  const again = lines.filter(({ msg }) => msg === 'failed again')
  const failuresOf = (why: string) =>
    again.filter(({ reason }) => reason === why).reduce((sum, { failures = 0 }) => sum + failures, 0)
  expect([failuresOf('no connection'), failuresOf('another reason')]).toEqual([500, 9])
  expect(again.length).toBeLessThan(10)
})

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
