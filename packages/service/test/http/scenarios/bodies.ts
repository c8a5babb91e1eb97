// Slow and endless bodies.

import { beforeAll, expect, test } from 'bun:test'
import type { Service } from '../../../../../test/support/service.ts'
import { BODY_BYTES_MAX } from '../../../../contract/src/limits.ts'
import { BODY, describeApi, expectError, JSON_TYPE, type OnStore } from './api.ts'

export function bodies(on: OnStore): void {
  describeApi('a body', on, (api) => {
    let impatient: Service
    beforeAll(async () => {
      impatient = await api.start({ bodyTimeoutMs: 100 })
    })

    test.each(Object.keys(BODY))('that does not arrive in time gets 408 request_timeout: %s', async (ask) => {
      const [method = '', path = ''] = ask.split(' ')
      const body = new ReadableStream({ start: (controller) => controller.enqueue('{') })
      const answer = await impatient.request(method, path, { headers: JSON_TYPE, body })
      expectError(answer, 408, 'request_timeout', ['0.1 seconds'])
      expect(answer.headers.get('Connection')).toBe('close')
    })

    test('without an end gets 413 body_too_large as soon as it exceeds 1 MB', async () => {
      const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1024 * 1024 + 1)) })
      expectError(await api.service.post(body, JSON_TYPE), 413, 'body_too_large', [`${BODY_BYTES_MAX} bytes`])
    })
  })
}
