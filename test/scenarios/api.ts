// What the scenarios of every subject share: the service they ask, how a row is written, and what an error looks like.

import { expect } from 'bun:test'
import type { Answer, Asked, Service } from '../support/service.ts'

/** What the scenarios of a subject get. The service and its key are there only once tests run: a test asks for them. */
export interface Api {
  readonly service: Service
  /** The header of a key that may only read. */
  readonly readOnly: Record<string, string>
  /** A test for each row. */
  readonly rows: (of: Row[]) => void
}

export interface Row extends Asked {
  says: string
  ask: string
  status: number
  code?: string
  /** What the message must hold. */
  message?: string[]
}

export const JSON_TYPE = { 'Content-Type': 'application/json' }
export const PET = '{"name":"Rex","categoryId":7}'
export const DAY_MS = 86_400_000
/** One request of each operation, and the bodies of those that need one. */
export const OPERATIONS = [
  'GET /pets',
  'POST /pets',
  'GET /pets/1',
  'GET /store/orders',
  'POST /store/orders',
  'GET /store/orders/1',
  'DELETE /store/orders/1',
  'POST /store/orders/1/complete',
  'POST /store/orders/1/return',
  'GET /store/inventory',
] as const
export const BODY: Record<string, string> = { 'POST /pets': PET, 'POST /store/orders': '{"petId":1}' }

/** `code`, `message` and `status`, and nothing else. */
export function expectError(
  { status, text, headers }: Answer,
  expected: number,
  code: string,
  message: string[],
): void {
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
