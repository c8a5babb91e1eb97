// API keys that are missing, invalid, expired or revoked.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { untilCount } from '../../../../../test/support/metrics.ts'
import { petBody } from '../../../../../test/support/pets.ts'
import { type Service, TODAY } from '../../../../../test/support/service.ts'
import { inTwoParts } from '../../../../../test/support/slow-body.ts'
import { passTime } from '../../../../../test/support/timers.ts'
import { type ApiKey, foreignKey, generateKey, refusedKey } from '../../../src/domain/keys.ts'
import { Metrics } from '../../../src/observability/metrics.ts'
import { bearer, DAY_MS, describeApi, expectError, type OnStore, PET, type Row, turnToNow } from './api.ts'

const MISTYPED = foreignKey(undefined, 'production').message
const FOREIGN = foreignKey('staging', 'production').message

export function keys(on: OnStore): void {
  describeApi('keys', on, (api) => {
    beforeAll(() => api.service.post(PET))

    const live = generateKey('production')
    const mistyped = live.endsWith('0') ? '1' : '0'
    const refused = (description: string, header: string, code: string, message: string): Row => {
      const headers = { Authorization: header }
      return { description, ask: 'GET /pets', headers, status: 401, code, message: [message] }
    }
    api.rows([
      refused('no key', '', 'missing_api_key', 'Authorization: Bearer'),
      refused('another scheme', 'Basic Zm9vOmJhcg==', 'missing_api_key', 'Basic is not supported. Send an API key'),
      refused('an unknown scheme', 'Token abc', 'missing_api_key', 'is not a Bearer token. Send'),
      refused('a scheme alone', 'Bearer', 'missing_api_key', 'no API key after "Bearer". Send'),
      refused('a key alone', live, 'missing_api_key', 'without "Bearer" before it. Send'),
      refused('an unknown key', `Bearer ${live}`, 'invalid_api_key', refusedKey('unknown').message),
      refused('a mistyped key', `Bearer ${live.slice(0, -1)}${mistyped}`, 'invalid_api_key', MISTYPED),
      refused('a staging key', `Bearer ${generateKey('staging')}`, 'invalid_api_key', FOREIGN),
    ])

    test('the message about a key in the wrong place tells the place, and not the key', async () => {
      const messageFor = async (path: string, headers: Record<string, string>) => {
        const answer = await api.service.get(path, { Authorization: '', ...headers })
        return JSON.parse(answer.text).message
      }
      const { key } = api.service
      const send = 'Send an API key as "Authorization: Bearer <API_KEY>".'
      expect(await messageFor('/pets', { 'x-api-key': key })).toBe(`The header X-API-Key is ignored. ${send}`)
      expect(await messageFor(`/pets?api_key=${key}`, {})).toBe(`API keys in the query are ignored. ${send}`)
      expect(await messageFor('/pets?limit=1', {})).toBe(send)
    })

    test('rejects an expired key', async () => {
      const headers = bearer(await api.service.addKey({ expiresAt: TODAY + DAY_MS }))
      expect((await api.service.get('/pets', headers)).status).toBe(200)
      api.service.clock.at = TODAY + DAY_MS
      expectError(await api.service.get('/pets', headers), 401, 'invalid_api_key', [refusedKey('expired').message])
      api.service.clock.at = TODAY
    })

    test('rejects a revoked key at the next request', async () => {
      const headers = bearer(await api.service.addKey())
      expect((await api.service.get('/pets', headers)).status).toBe(200)
      await api.service.store.revokeKey((await api.service.store.listKeys()).at(-1)?.id as bigint)
      expectError(await api.service.get('/pets', headers), 401, 'invalid_api_key', [refusedKey('revoked').message])
    })

    describe('that end while a body arrives', () => {
      const metrics = new Metrics()
      let slow: Service
      beforeAll(async () => {
        turnToNow(api)
        slow = await api.start({ store: api.service.store, now: () => api.service.clock.at, metrics })
      })
      afterAll(() => {
        api.service.clock.at = TODAY
      })
      for (const [state, end] of [
        ['revoked', (id: bigint) => api.service.store.revokeKey(id)],
        ['expired', (id: bigint) => api.service.store.endKey(id, api.service.clock.at)],
      ] as const) {
        test(`${state}: 401, even for a broken body, and nothing is added`, async () => {
          const headers = bearer(await api.service.addKey())
          expect((await api.service.post(PET, headers)).status).toBe(201)
          const { id } = (await api.service.store.listKeys()).at(-1) as ApiKey
          const { promise: ended, resolve } = Promise.withResolvers<void>()
          const texts = [petBody({ name: 'too late' }), '{"name": "too late', '{"name": "too late"}']
          const asked = texts.map((text) => slow.post(inTwoParts(text, ended), headers))
          await untilCount(metrics, 'answering', texts.length)
          await end(id)
          passTime(1_000)
          resolve()
          for (const answer of await Promise.all(asked))
            expectError(answer, 401, 'invalid_api_key', [refusedKey(state).message])
          expect((await api.service.get('/pets?limit=100')).text).not.toContain('too late')
        })
      }
    })
  })
}
