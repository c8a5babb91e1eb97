// Every promise of the catalogue as a test, as `petstore verify` checks it on any server.

import { beforeAll, expect, test } from 'bun:test'
import { checkAgainstContract } from '../../../../../test/support/contract-check.ts'
import { Examination } from '../../../../verify/src/examination.ts'
import { PROMISES } from '../../../../verify/src/promises/all.ts'
import { describeApi, type OnStore } from './api.ts'

/** A healthy service does not show these. rate-limit.ts and store-failures.ts test them. */
const UNSEEN: readonly string[] = ['errors.retry-after', 'errors.rate-limit']

export function promises(on: OnStore): void {
  describeApi('promises', on, (api) => {
    let examination: Examination
    beforeAll(async () => {
      const service = await api.start({ now: Date.now })
      const readOnly = await service.addKey({ readOnly: true })
      const keys = { full: service.key, 'read-only': readOnly, other: await service.addKey() }
      const target = { baseUrl: new URL(service.url), keys, write: true, timeoutMs: 10_000, totalMs: 600_000 }
      examination = new Examination(target, PROMISES)
      await examination.begin()
    })

    for (const { id } of PROMISES) {
      test(id, async () => {
        const result = await examination.resultOf(id)
        expect(result).toMatchObject({ id, outcome: UNSEEN.includes(id) ? 'not_checked' : 'held' })
      })
    }

    test('every response conforms to the contract', () => {
      for (const { request, status, headers, text } of examination.seen) {
        const answer = { status, headers: new Headers(headers.map(([name, value]) => [name, value])), text }
        const name = checkAgainstContract(request.method, request.path, answer)
        if (name) on.observe(name, answer)
      }
    })
  })
}
