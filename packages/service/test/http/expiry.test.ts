// When the sweeper asks the store to expire orders: in batches, one at a time, again after a failure, and not after the stop.
// packages/service/test/store/sequences/ tests the store's side, packages/service/test/http/scenarios/order-expiry.ts both together.

import { describe, expect, test } from 'bun:test'
import { document } from '../../../contract/src/contract.ts'
import type { ExpiredOrder } from '../../src/domain/orders.ts'
import { EVERY_MS, logExpired, startExpiry } from '../../src/http/expiry.ts'
import { createLog } from '../../src/observability/log.ts'

/** Each call expires as many as listed, then none; resolves `done` after the last listed one has been asked for. */
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

describe('overdue reservations are expired', () => {
  test('in batches, one at a time', async () => {
    const { expireOrders, asked, done } = orders([50, 50, 20])
    const expiry = startExpiry({ expireOrders }, log().to, 1)
    await done
    await expiry.stop()
    expect(asked.runningMost).toBe(1)
  })

  test('until none is left, without waiting for the next look', async () => {
    const { expireOrders, asked, done } = orders([50, 50])
    const expiry = startExpiry({ expireOrders }, log().to, 60_000)
    await Promise.race([done, Bun.sleep(5_000)])
    await expiry.stop()
    expect(asked.times).toBe(3)
  })

  test('again early enough for the time that the contract gives', () => {
    const { description } = document.paths['/store/orders']?.post ?? {}
    expect(description).toContain('ends within a second of that time')
    expect(EVERY_MS).toBeLessThan(1_000)
  })

  test('each with a line in the log, and no other change of an order', () => {
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

  test('again after a failure; repeated failures are logged once', async () => {
    const gone = new Error('gone')
    const { expireOrders, done } = orders([gone, gone, gone, 1, 0, gone])
    const { lines, to } = log()
    const expiry = startExpiry({ expireOrders }, to, 1)
    await done
    await expiry.stop()
    const late = 'warn orders not expired yet'
    expect(lines.map(({ level, msg }) => `${level} ${msg}`)).toEqual([late, late])
  })

  test('not after stop(), which waits for the running transaction', async () => {
    const { expireOrders, asked } = orders(Array.from({ length: 1000 }, () => 50))
    const expiry = startExpiry({ expireOrders }, log().to, 1)
    await Bun.sleep(20)
    await expiry.stop()
    expect(asked.running).toBe(0)
    const count = asked.times
    await Bun.sleep(20)
    expect(asked.times).toBe(count)
  })
})
