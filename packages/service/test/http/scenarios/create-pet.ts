// What createPet does on a prepared service: bodies that arrive slowly or without an end, and what is logged.

import { expect, test } from 'bun:test'
import { BODY_BYTES_MAX } from '../../../../contract/src/limits.ts'
import { describeApi, expectError, JSON_TYPE, type OnStore, PET } from './api.ts'

export function createPet(on: OnStore): void {
  describeApi('createPet', on, (api) => {
    test('a body that does not arrive in time: 408 request_timeout', async () => {
      const impatient = await api.start({ bodyTimeoutMs: 100 })
      const body = new ReadableStream({ start: (controller) => controller.enqueue('{') })
      const answer = await impatient.post(body, JSON_TYPE)
      expectError(answer, 408, 'request_timeout', ['0.1 seconds'])
      expect(answer.headers.get('Connection')).toBe('close')
    })

    test('a body without an end: 413 body_too_large as soon as it is larger than 1 MB', async () => {
      const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1024 * 1024 + 1)) })
      expectError(await api.service.post(body, JSON_TYPE), 413, 'body_too_large', [`${BODY_BYTES_MAX} bytes`])
    })

    test('a body of 5 MB: 413 body_too_large', async () => {
      expectError(await api.service.post(PET + ' '.repeat(5_000_000), JSON_TYPE), 413, 'body_too_large', [])
    })

    test('logs the new pet with key and request id, and returns neither', async () => {
      const { headers, text } = await api.service.post(PET, JSON_TYPE)
      const line = JSON.parse(api.service.logged.at(-1) ?? '')
      expect(line).toMatchObject({ level: 'info', msg: 'createPet', keyId: '1', petId: /"id":(\d+)/.exec(text)?.[1] })
      expect(line.requestId).toBe(headers.get('X-Request-Id'))
      expect(api.service.logged.join('')).not.toContain(api.service.key.slice(10))
    })
  })
}
