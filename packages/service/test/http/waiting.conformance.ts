// Requests that wait for events, on real servers: who wakes them, who ends them, and what they cost. A store's own
// test file calls this with a way to get the address of an empty store.

import { beforeAll, describe, expect, test } from 'bun:test'
import { countIn, untilCount } from '../../../../test/support/metrics.ts'
import { petBody } from '../../../../test/support/pets.ts'
import { type Answer, type Service, type ServiceOptions, startService } from '../../../../test/support/service.ts'
import { WAIT_MAX_S } from '../../../contract/src/generated.ts'
import type { EventFilter } from '../../src/domain/events.ts'
import { RETRY_AFTER_S } from '../../src/http/response/error-answer.ts'
import { Metrics } from '../../src/observability/metrics.ts'
import { openStore } from '../../src/store/kinds.ts'

const nextOf = ({ headers }: Answer) => /^<\/v1([^>]*)>/.exec(headers.get('Link') ?? '')?.[1] ?? 'no link'
const petsOf = ({ text }: Answer): number[] => JSON.parse(text).map(({ petId }: { petId: number }) => petId)

export function waitingConformance(name: string, newAddress: () => Promise<string> | string): void {
  describe(`requests that wait for events on ${name}`, () => {
    let address: string
    let service: Service
    let other: Service

    const start = (options: ServiceOptions = {}) => startService({ address, now: Date.now, ...options })
    beforeAll(async () => {
      address = await newAddress()
      service = await start()
      other = await start()
    })

    const add = async (to: Service, fields = {}): Promise<number> =>
      JSON.parse((await to.post(petBody(fields))).text).id
    const end = async (of: Service, query = '') => nextOf(await of.get(`/store/events?from=now${query}`))
    /** Resolves when so many wait. */
    const wait = (metrics: Metrics, count: number) => untilCount(metrics, 'waiting', count)
    const waiting = async (of: Service, path: string, headers: Record<string, string> = {}) => {
      const answer = of.get(`${path}&wait=${WAIT_MAX_S}`, headers)
      await Bun.sleep(100)
      return answer
    }

    test('are answered with what follows, also when another server has done it', async () => {
      for (const by of [service, other]) {
        const places = await Promise.all([service, service, other].map(async (of) => ({ of, path: await end(of) })))
        const readers = places.map(({ of, path }) => waiting(of, path))
        await Bun.sleep(200)
        const startedAt = performance.now()
        const pet = await add(by)
        for (const reader of readers) expect(petsOf(await reader)).toEqual([pet])
        expect(performance.now() - startedAt).toBeLessThan(20_000)
      }
    })

    test('miss nothing, however often they ask again', async () => {
      const last = { id: 0 }
      const seen: number[] = []
      const reader = (async () => {
        for (let path = await end(service, '&limit=3'); last.id === 0 || seen.at(-1) !== last.id; ) {
          const answer = await service.get(`${path}&wait=5`)
          seen.push(...petsOf(answer))
          path = nextOf(answer)
        }
      })()
      await Bun.sleep(50)
      const added: number[] = []
      for (let n = 0; n < 60; n++) added.push(await add(n % 2 ? service : other))
      last.id = added.at(-1) as number
      await reader
      expect(seen).toEqual(added)
    })

    test('for one pet are answered by an event of it, and not by others', async () => {
      const pet = await add(service)
      let answered = false
      const reader = waiting(service, await end(service, `&petId=${pet}`)).then((answer) => {
        answered = true
        return answer
      })
      for (let n = 0; n < 5; n++) await add(n % 2 ? service : other)
      await Bun.sleep(200)
      expect(answered).toBe(false)
      await other.request('POST', '/store/orders', { body: `{"petId":${pet}}` })
      expect(JSON.parse((await reader).text)).toMatchObject([{ type: 'order.placed', petId: pet }])
    })

    test('at one place share one reading', async () => {
      const store = await openStore(address, { now: Date.now })
      const readings: EventFilter[] = []
      const listEvents: typeof store.listEvents = (filter) => {
        readings.push(filter)
        return store.listEvents(filter)
      }
      const metrics = new Metrics()
      const shared = await start({ store: { ...store, listEvents }, metrics })
      const path = await end(shared)
      const readers = Array.from({ length: 50 }, () => waiting(shared, path))
      await wait(metrics, 50)
      readings.length = 0
      const pet = await add(other)
      for (const answer of await Promise.all(readers)) expect(petsOf(answer)).toEqual([pet])
      expect(readings.length).toBeLessThan(5)
      await shared.stop()
      await store.close()
    })

    test('get 401 within a second when their key is revoked, and nothing of what follows', async () => {
      const key = await service.addKey({ name: 'revoked' })
      const path = await end(service)
      const readers = [1, 2].map(() => waiting(service, path, { Authorization: `Bearer ${key}` }))
      await Bun.sleep(200)
      const { id } = (await other.store.listKeys()).find(({ name }) => name === 'revoked') ?? { id: 0n }
      await other.store.revokeKey(id)
      const startedAt = performance.now()
      for (const reader of readers) expect(JSON.parse((await reader).text)).toMatchObject({ code: 'invalid_api_key' })
      expect(performance.now() - startedAt).toBeLessThan(20_000)
    })

    test('are bounded, and who has gone away is forgotten at once', async () => {
      const metrics = new Metrics()
      const small = await start({ maxWaiting: 2, metrics })
      const path = await end(small)
      const gone = new AbortController()
      const ask = (signal?: AbortSignal) =>
        fetch(`${small.url}${path}&wait=${WAIT_MAX_S}`, {
          headers: { Authorization: `Bearer ${small.key}` },
          signal: signal ?? null,
        })
      const readers = [ask(), ask(gone.signal).catch(() => 'gone')] as const
      await wait(metrics, 2)
      const refused = await small.get(`${path}&wait=${WAIT_MAX_S}`)
      expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, RETRY_AFTER_S])
      expect((await small.get(path)).status).toBe(200)
      expect((await small.request('HEAD', `${path}&wait=${WAIT_MAX_S}`)).status).toBe(200)
      gone.abort()
      expect(await readers[1]).toBe('gone')
      await wait(metrics, 1)
      const third = ask()
      await wait(metrics, 2)
      const pet = await add(small)
      for (const reader of [readers[0], third]) expect(await (await reader).json()).toMatchObject([{ petId: pet }])
    })

    test('are all answered when the server stops', async () => {
      const metrics = new Metrics()
      const stopping = await start({ metrics })
      const path = await end(stopping)
      const readers = Array.from({ length: 20 }, () => waiting(stopping, path))
      await wait(metrics, 20)
      const stopped = stopping.stop()
      for (const answer of await Promise.all(readers)) {
        expect([answer.status, answer.text, nextOf(answer)]).toEqual([200, '[]', path])
      }
      await stopped
    })

    test('are counted as waiting, and their wait neither as duration nor as in flight', async () => {
      const metrics = new Metrics()
      const measured = await start({ metrics })
      const path = await end(measured)
      const reader = measured.get(`${path}&wait=2`)
      await wait(metrics, 1)
      expect(countIn(await metrics.text(), 'answering')).toBe(0)
      await reader
      const after = await metrics.text()
      expect(countIn(after, 'waiting')).toBe(0)
      const seconds = /petstore_request_duration_seconds_sum\{operation="listEvents",status="200"\} (\S+)/.exec(
        after,
      )?.[1]
      expect(Number(seconds)).toBeLessThan(1.5)
      await add(measured)
      await measured.get(path)
      expect(await metrics.text()).toContain('petstore_events_sent_total 1\n')
    })
  })
}
