// Concurrent requests for the same list share one run. answer-cache.test.ts tests that a run answers only earlier calls.

import { expect, test } from 'bun:test'
import type { Answer } from '../../src/http/response/response.ts'
import { SharedReads } from '../../src/http/shared-reads.ts'

const answer = (body: string): Answer => ({ status: 200, body })

test('equal calls share a run; another name has its own', async () => {
  const runs: string[] = []
  const shared = new SharedReads<Answer>()
  const ask = (name: string) =>
    shared.get(name, async () => {
      runs.push(name)
      return answer(name)
    })
  const [first, again, other] = await Promise.all([ask('/v1/pets'), ask('/v1/pets'), ask('/v1/pets?limit=5')])
  expect(runs).toEqual(['/v1/pets', '/v1/pets?limit=5'])
  expect(again).toBe(first as Answer)
  expect(other?.body).toBe('/v1/pets?limit=5')
})

test('a failed run rejects only the calls that share it', async () => {
  let runs = 0
  const late: Promise<Answer>[] = []
  const shared = new SharedReads<Answer>()
  const ask = (): Promise<Answer> =>
    shared.get('/v1/pets', async () => {
      if (++runs > 1) return answer('again')
      await new Promise(setImmediate)
      late.push(ask())
      throw new Error('the database is gone')
    })
  const failed = await Promise.allSettled([ask(), ask()])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  for (const other of [...late, ask()]) expect((await other).body).toBe('again')
})
