// What an error's answer has beside its body, where a promise or a scenario does not say it.

import { expect, test } from 'bun:test'
import { PetstoreError } from '../../src/domain/petstore-error.ts'
import type { Context } from '../../src/http/context.ts'
import { errorAnswer } from '../../src/http/response/error-answer.ts'

test.each(['unavailable', 'storage_full'] as const)('%s: 503, to be sent again after a second', (code) => {
  const { status, headers } = errorAnswer(new PetstoreError(code, ''), { request: new Request('http://x') } as Context)
  expect([status, headers]).toEqual([503, { 'Retry-After': '1' }])
})
