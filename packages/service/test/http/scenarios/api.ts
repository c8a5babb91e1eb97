// What the scenarios of every subject share: a service on an empty store, how a row is written, and what an error looks
// like.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { petBody } from '../../../../../test/support/pets.ts'
import {
  type Answer,
  type Asked,
  type Service,
  type ServiceOptions,
  startService,
} from '../../../../../test/support/service.ts'

/** The kind of store that the scenarios run on. */
export interface OnStore {
  /** The address of an empty store, another one each time. */
  readonly newAddress: () => Promise<string> | string
  /** Gets each answer, with its `operationId status`. */
  readonly observe: (name: string, answer: Answer) => void
}

/** What the scenarios of a subject get. The service is there only once tests run. */
export interface Api {
  readonly service: Service
  /** The header of a key that may only read. */
  readonly readOnly: Record<string, string>
  /** Starts another service, on an empty store unless one is given. It is stopped after the subject's last test. */
  readonly start: (options?: ServiceOptions) => Promise<Service>
  /** A test for each row. */
  readonly rows: (of: Row[]) => void
}

export interface Row extends Asked {
  description: string
  ask: string
  status: number
  code?: string
  /** What the message must contain. */
  message?: string[]
}

export const JSON_TYPE = { 'Content-Type': 'application/json' }
export const PET = petBody()
export const DAY_MS = 86_400_000
/** One request of each operation, and the bodies of those that need one. */
export const OPERATIONS = [
  'GET /pets, POST /pets, GET /pets/1, PATCH /pets/1, DELETE /pets/1, GET /store/orders, POST /store/orders',
  'GET /store/orders/1, DELETE /store/orders/1, PATCH /store/orders/1, POST /store/orders/1/complete',
  'POST /store/orders/1/return, GET /store/inventory, GET /store/events',
].flatMap((operations) => operations.split(', '))
export const BODY: Record<string, string> = {
  'POST /pets': PET,
  'PATCH /pets/1': '{"name":"Rex"}',
  'POST /store/orders': '{"petId":1}',
  'PATCH /store/orders/1': '{"reference":"till"}',
}

/** The scenarios of one subject, with a service of their own on an empty store. */
export function describeApi(subject: string, { newAddress, observe }: OnStore, define: (api: Api) => void): void {
  describe(subject, () => {
    const started: Service[] = []
    const addresses: string[] = []
    let service: Service
    let readOnly: Record<string, string>

    const start = async (options: ServiceOptions = {}): Promise<Service> => {
      const address = options.store || options.address ? {} : { address: await newAddress() }
      const another = await startService({ ...address, observe, ...options })
      started.push(another)
      addresses.push(address.address ?? '')
      return another
    }
    beforeAll(async () => {
      service = await start()
      readOnly = bearer(await service.addKey({ readOnly: true }))
    })
    // The first one last: others may use its store.
    afterAll(async () => {
      for (const each of started.reverse()) await each.stop()
      // The file of a closed store has all changes, after any request: it may be copied alone.
      expect(addresses.filter((address) => existsSync(`${address}-wal`))).toEqual([])
    })

    define({
      get service() {
        return service
      },
      get readOnly() {
        return readOnly
      },
      start,
      rows(of) {
        for (const { description, ask, status, code, message = [], ...asked } of of) {
          test(`${description}: ${status}${code ? ` ${code}` : ''}`, async () => {
            const [method = '', path = ''] = ask.split(' ')
            const answer = await service.request(method, path, asked)
            expect(answer.status).toBe(status)
            if (code !== undefined) expectError(answer, status, code, message)
          })
        }
      },
    })
  })
}

/** `code`, `message` and `status`, and nothing else. */
export function expectError({ status, text, headers }: Answer, expected: number, code: string, message: string[]) {
  expect(status).toBe(expected)
  const error = JSON.parse(text)
  expect(error).toEqual({ code, message: expect.any(String), status: expected })
  for (const part of message) expect(error.message).toContain(part)
  expect(headers.get('Content-Type')).toBe('application/json')
  expect(headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/)
}

export function bearer(key: string): Record<string, string> {
  return { Authorization: `Bearer ${key}` }
}
