// The tally of deprecated calls counts each call once, even if saving fails.

import { expect, test } from 'bun:test'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import type { DeprecatedCalls } from '../../src/domain/keys.ts'
import { DeprecatedCallTally } from '../../src/http/response/deprecation.ts'

test('saves calls once after a failure, together with newer calls', async () => {
  const tally = new DeprecatedCallTally()
  const saved: DeprecatedCalls[] = []
  const write = async (calls: readonly DeprecatedCalls[]) => {
    saved.push(...calls)
  }
  tally.count(1n, 'getPet', 5)
  tally.count(1n, 'getPet', 9)
  const failing = () => {
    tally.count(1n, 'getPet', 7)
    tally.count(2n, 'getPet', 8)
    return Promise.reject(new Error('full'))
  }
  expect((await rejectionOf(tally.save(failing))).message).toBe('full')
  await tally.save(write)
  const tallied = saved.map(({ keyId, operationId, calls, lastAt }) => [keyId, operationId, calls, lastAt].join(' '))
  expect(tallied).toEqual(['1 getPet 3 9', '2 getPet 1 8'])
  await tally.save(() => Promise.reject(new Error('nothing is left to save')))
})
