// Failures of the store are logged with their cause, which no response contains.

import { expect, test } from 'bun:test'
import { PetstoreError } from '../../../src/domain/petstore-error.ts'
import type { Store } from '../../../src/domain/store.ts'
import { RETRY_AFTER_S } from '../../../src/http/response/response.ts'
import { BODY, describeApi, expectError, type OnStore, OPERATIONS } from './api.ts'

export function storeFailures(on: OnStore): void {
  describeApi('failures of the store', on, (api) => {
    let count = 0
    /** A new message each time, because the log only counts a repeated failure. */
    const cause = () => new Error(`secret words ${++count}`)
    const failures = [
      [500, 'internal', cause],
      [503, 'unavailable', () => new PetstoreError('unavailable', 'Gone.', { cause: cause() })],
      [503, 'storage_full', () => new PetstoreError('storage_full', 'Full.', { cause: cause() })],
    ] as const
    // A fake, because no real store fails in each of these ways on demand.
    for (const [status, code, failure] of failures) {
      test(`${code} becomes ${status} on every operation, and is logged with its request id`, async () => {
        const failing = await api.start({ store: failingStore(api.service.store, failure) })
        for (const ask of OPERATIONS) {
          const [method = '', path = ''] = ask.split(' ')
          const answer = await failing.request(method, path, { body: BODY[ask] })
          expectError(answer, status, code, [])
          expect(answer.text).not.toContain('secret')
          expect(answer.headers.get('Retry-After')).toBe(status === 503 ? RETRY_AFTER_S : null)
          const line = JSON.parse(failing.logged.at(-1) ?? '')
          expect(line).toMatchObject({ level: 'error', code, requestId: answer.headers.get('X-Request-Id') })
          expect(line.err.message).toContain('secret words')
        }
      })
    }
  })
}

/** All methods that operations call fail. API keys are still found. */
function failingStore(store: Store, failure: () => Error): Store {
  const fail = () => Promise.reject(failure())
  const failing = Object.keys(store).filter((name) =>
    /^(?:list|create|get|update|delete|place|complete|cancel|return|find)(?!.*Key)/.test(name),
  )
  return { ...store, ...Object.fromEntries(failing.map((name) => [name, fail])) }
}
