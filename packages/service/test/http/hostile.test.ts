// Hostile input gets one response with the right status, and never a 5xx.

import { expect, test } from 'bun:test'
import { hostile } from '../../../../endurance/hostile.ts'
import { exchange } from '../../../../test/support/exchange.ts'
import { startService } from '../../../../test/support/service.ts'
import { CATALOGUE } from './hostile.catalogue.ts'
import { SMUGGLING } from './hostile.smuggling.ts'

const service = await startService()

const send = (bytes: string, restMs?: number) => exchange(service.port, bytes.replaceAll('{key}', service.key), restMs)

for (const { description, bytes, status, code } of CATALOGUE) {
  test(`hostile input ${description}: ${status} ${code ?? ''}`, async () => {
    // Without a body, wait until the connection has closed.
    const answer = await send(bytes, code === undefined && status !== 200 ? 2_000 : undefined)
    expect([answer.status, answer.answers]).toEqual([status, 1])
    expect(answer.text).not.toContain(service.key)
    if (code !== undefined) {
      expect(JSON.parse(answer.body)).toEqual({ code, message: expect.any(String), status })
      expect(answer.body).not.toMatch(/SQL|sqlite|\/work|\.ts\b|node_modules|at \w+ \(/)
    } else if (status !== 200) {
      expect([answer.body, answer.closed]).toEqual(['', true])
    }
  })
}

for (const [description, bytes] of SMUGGLING) {
  test(`does not read a request inside a request: ${description}`, async () => {
    await send(bytes, 30)
    expect((await service.get('/pets?limit=100')).text).not.toContain('smuggled')
  })
}

test('the service is healthy afterwards, and its log has no failures', async () => {
  expect((await fetch(`${service.origin}/readyz`)).status).toBe(200)
  expect(service.logged.map((line) => JSON.parse(line)).filter(({ level }) => level === 'error')).toEqual([])
})

// `npm run endurance -- hostile` sends more.
const { REQUESTS = '3000' } = process.env

test(`${REQUESTS} requests generated from the contract: each gets a correct response`, async () => {
  const statuses = await hostile(service, Number(REQUESTS))
  expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '201', '400', '401', '404', '415']))
})
