// Requests that wait for events, on real servers: their limits, metrics and end. The simulator (endurance/simulate/) tests what they are
// answered and when, even after their key was revoked.

import { expect, test } from 'bun:test'
import { countIn, untilCount } from '../../../../test/support/metrics.ts'
import { petBody } from '../../../../test/support/pets.ts'
import { type Answer, type Service, type ServiceOptions, startService } from '../../../../test/support/service.ts'
import { WAIT_MAX_S } from '../../../contract/src/generated.ts'
import { RETRY_AFTER_S } from '../../src/http/response/response.ts'
import { Metrics } from '../../src/observability/metrics.ts'

const nextOf = ({ headers }: Answer) => /^<\/v1([^>]*)>/.exec(headers.get('Link') ?? '')?.[1] ?? 'no link'

async function start(options: ServiceOptions = {}) {
  const metrics = new Metrics()
  const service = await startService({ now: Date.now, metrics, ...options })
  return {
    service,
    metrics,
    path: nextOf(await service.get('/store/events?from=now')),
    untilWaiting: (count: number) => untilCount(metrics, 'waiting', count),
  }
}

const waitAt = (service: Service, path: string, signal: AbortSignal | null = null) =>
  fetch(`${service.url}${path}&wait=${WAIT_MAX_S}`, { headers: { Authorization: `Bearer ${service.key}` }, signal })

test('rejects more readers than the limit, and forgets readers that disconnect', async () => {
  const { service, path, untilWaiting } = await start({ limits: { readersMax: 2 } })
  const gone = new AbortController()
  const readers = [waitAt(service, path), waitAt(service, path, gone.signal).catch(() => 'gone')] as const
  await untilWaiting(2)
  const refused = await waitAt(service, path)
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, RETRY_AFTER_S])
  expect((await service.get(path)).status).toBe(200)
  expect((await service.request('HEAD', `${path}&wait=${WAIT_MAX_S}`)).status).toBe(200)
  gone.abort()
  expect(await readers[1]).toBe('gone')
  await untilWaiting(1)
  const third = waitAt(service, path)
  await untilWaiting(2)
  await service.post(petBody())
  for (const reader of [readers[0], third]) expect(await (await reader).json()).toMatchObject([{ petId: 1 }])
})

test('counts readers as waiting, and their wait neither as duration nor as in flight', async () => {
  const { service, metrics, path, untilWaiting } = await start()
  const reader = service.get(`${path}&wait=2`)
  await untilWaiting(1)
  expect(countIn(await metrics.text(), 'answering')).toBe(0)
  await reader
  const after = await metrics.text()
  expect(countIn(after, 'waiting')).toBe(0)
  const duration = /petstore_request_duration_seconds_sum\{operation="listEvents",status="200"\} (\S+)/
  expect(Number(duration.exec(after)?.[1])).toBeLessThan(1.5)
  await service.post(petBody())
  await service.get(path)
  expect(await metrics.text()).toContain('petstore_events_sent_total 1\n')
})
