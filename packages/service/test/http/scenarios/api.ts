// Shared by all scenarios: a service on an empty store, table rows, and the check of an error.

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
  /** Returns the address of a new, empty store. */
  readonly newAddress: () => Promise<string> | string
  /** Is called with each response and its `operationId status`. */
  readonly observe: (name: string, answer: Answer) => void
}

/** The service is available only inside tests and hooks. */
export interface Api {
  readonly service: Service
  /** The header of a read-only key. */
  readonly readOnly: Record<string, string>
  /** Starts another service, by default on an empty store. It is stopped after the subject's last test. */
  readonly start: (options?: ServiceOptions) => Promise<Service>
  /** Defines a test for each row. */
  readonly rows: (of: Row[]) => void
}

export interface Row extends Asked {
  description: string
  ask: string
  status: number
  code?: string
  /** Parts of the message. */
  message?: string[]
}

export const JSON_TYPE = { 'Content-Type': 'application/json' }
export const PET = petBody()
export const DAY_MS = 86_400_000
/** One request for each operation. */
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

/** Sets the test's clock, which SQLite uses, to the real time, which PostgreSQL uses. */
export function turnToNow({ service }: Api): void {
  service.clock.at = Date.now()
}

/** Adds a pet, and resolves with its id. */
export async function addPet({ service }: Api): Promise<number> {
  return JSON.parse((await service.post(PET, JSON_TYPE)).text).id
}

/** Defines the scenarios of one subject, with a separate service on an empty store. */
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
    // The first service last, because others can use its store.
    afterAll(async () => {
      for (const each of started.reverse()) await each.stop()
      // A closed store has no write-ahead log, so its file can be copied alone.
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

/** Expects exactly `code`, `message` and `status`. */
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
