// When the sweeper expires orders. packages/service/test/store/sequences/ tests the store's part, and the simulator
// (endurance/simulate/) stops and failures.

import { expect, test } from 'bun:test'
import { document } from '../../../contract/src/contract.ts'
import { LIMITS } from '../../src/domain/limits.ts'
import type { ExpiredOrder } from '../../src/domain/orders.ts'
import { logExpired, startExpiry } from '../../src/http/expiry.ts'
import { createLog } from '../../src/observability/log.ts'

/** The n-th call expires the n-th number of orders, or fails. `done` resolves at the call after the last. */
function orders(answers: (number | Error)[]) {
  const { promise: done, resolve } = Promise.withResolvers<void>()
  const asked = { times: 0, running: 0, runningMost: 0 }
  const expireOrders = async (): Promise<ExpiredOrder[]> => {
    asked.times++
    asked.runningMost = Math.max(asked.runningMost, ++asked.running)
    await Bun.sleep(5)
    asked.running--
    const answer = answers[asked.times - 1] ?? 0
    if (asked.times > answers.length) resolve()
    if (answer instanceof Error) throw answer
    return Array.from({ length: answer }, (_, n) => ({ id: BigInt(n + 1), petId: BigInt(n + 1001) }))
  }
  return { expireOrders, asked, done }
}

function log() {
  const lines: { level: string; msg: string; orderId?: string }[] = []
  return { lines, to: createLog('info', { destination: { write: (line: string) => lines.push(JSON.parse(line)) } }) }
}

test('the sweeper expires batches one at a time', async () => {
  const { expireOrders, asked, done } = orders([50, 50, 20])
  const expiry = startExpiry({ expireOrders }, log().to, 1)
  await done
  await expiry.stop()
  expect(asked.runningMost).toBe(1)
})

test('the sweeper runs often enough for the delay that the contract states', () => {
  const { description } = document.paths['/store/orders']?.post ?? {}
  expect(description).toContain('ends within a second of that time')
  expect(LIMITS.expiryEveryMs).toBeLessThan(1_000)
})

test('the sweeper logs each expired order, but no other transition', () => {
  const { lines, to } = log()
  const petId = 1001n
  logExpired(to, [
    { id: 1n, petId, status: 'expired' },
    { id: 2n, petId, status: 'pending' },
    { id: 3n, petId, status: 'expired' },
  ])
  expect(lines.map(({ orderId }) => orderId)).toEqual(['1', '3'])
  expect(lines[0]).toMatchObject({ msg: 'expireOrders', orderId: '1', petId: '1001', status: 'expired' })
})

test('the sweeper continues after a failure, and logs repeated failures once', async () => {
  const gone = new Error('gone')
  const { expireOrders, done } = orders([gone, gone, gone, 1, 0, gone])
  const { lines, to } = log()
  const expiry = startExpiry({ expireOrders }, to, 1)
  await done
  await expiry.stop()
  const late = 'warn orders not expired yet'
  expect(lines.map(({ level, msg }) => `${level} ${msg}`)).toEqual([late, late])
})
