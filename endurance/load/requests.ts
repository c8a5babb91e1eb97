// The HTTP requests of the experiments, each with its correct statuses.

import { BODY_BYTES_MAX } from '../../packages/contract/src/limits.ts'
import type { Request } from './generator.ts'

interface More {
  body?: string
  headers?: Record<string, string>
  /** 200 by default. */
  statuses?: readonly number[]
}

/** `target` is the path after `/v1`, with the query. */
function request(key: string, method: string, target: string, { body = '', headers, statuses }: More = {}) {
  const length = body ? { 'Content-Length': `${Buffer.byteLength(body)}` } : {}
  const all = Object.entries({ Host: 'a', Authorization: `Bearer ${key}`, ...length, ...headers })
  const head = all.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return { text: `${method} /v1${target} HTTP/1.1\r\n${head}\r\n${body}`, statuses: statuses ?? [200] }
}

export const list = (key: string) => request(key, 'GET', '/pets')

const newKey = () => ({ 'Idempotency-Key': `"${crypto.randomUUID()}"` })
const pick = <Item>(items: readonly Item[]) => items[Math.floor(Math.random() * items.length)] as Item

/** The last ids of a store. */
export interface Last {
  pet: number
  order: number
}

const ORDERS_KEPT = 100
/** Long enough that no reservation has expired when its request is sent. */
const RESERVED_MS_MIN = 15_000

type Make = (last: Last, n: number) => [method: string, target: string, more?: More]

const post = (target: string, body: object | string, more: More = {}): ReturnType<Make> => {
  return ['POST', target, { body: typeof body === 'string' ? body : JSON.stringify(body), ...more }]
}
const anyOf = (last: number) => 1 + Math.floor(Math.random() * last)
const petOf = ({ pet }: Last) => anyOf(pet)
const orderOf = ({ order }: Last) => Math.max(1, order - anyOf(ORDERS_KEPT))
const mixedPet = (n: number) => ({ name: `pet ${n}`, categoryId: n, status: n % 9 ? 'available' : 'sold' })
/** Half of the orders expire. */
const ends = () => pick([{}, { expiresAt: new Date(Date.now() + RESERVED_MS_MIN * (1 + Math.random())).toISOString() }])

/** Percentages, correct statuses, and functions that make the requests. */
const MIX: readonly [share: number, statuses: readonly number[], make: Make][] = [
  [20, [200], () => ['GET', '/pets']],
  [10, [200], (_, n) => ['GET', `/pets?limit=${1 + (n % 100)}&status=sold`]],
  [5, [200], () => ['GET', '/pets?sort=newest&limit=50']],
  [5, [200], (last) => ['GET', `/pets?limit=10&search=pet+${petOf(last)}`]],
  [8, [200, 404], (last) => ['GET', `/pets/${petOf(last)}`]],
  [3, [200], () => ['GET', '/store/inventory']],
  [4, [200], () => ['GET', '/store/orders?sort=newest']],
  [2, [200], () => ['GET', '/store/events?limit=50']],
  [2, [200], () => ['GET', '/store/events?from=now&wait=1']],
  [8, [201], (_, n) => post('/pets', mixedPet(n))],
  [4, [201], (_, n) => post('/pets', mixedPet(n), { headers: newKey() })],
  [6, [201, 404, 409], (last) => post('/store/orders', { petId: petOf(last), ...ends() })],
  [2, [200, 404, 409], (last) => ['POST', `/store/orders/${orderOf(last)}/complete`]],
  [1, [200, 404, 409], (last) => ['POST', `/store/orders/${orderOf(last)}/return`]],
  [1, [204, 404, 409], (last) => ['DELETE', `/store/orders/${orderOf(last)}`]],
  [2, [200, 404], (last, n) => ['PATCH', `/pets/${petOf(last)}`, { body: `{"name":"pet corrected ${n}"}` }]],
  [
    1,
    [200, 404, 409],
    (last, n) => ['PATCH', `/store/orders/${orderOf(last)}`, { body: `{"reference":"corrected ${n}"}` }],
  ],
  [1, [204, 404, 409], (last) => ['DELETE', `/pets/${petOf(last)}`]],
  [3, [400], () => post('/pets', '{"name":""}')],
  [3, [400], () => ['GET', '/pets?limit=0']],
  [2, [401], () => ['GET', '/pets', { headers: { Authorization: 'Bearer no' } }]],
  [1, [404], () => ['GET', '/nothing']],
  [1, [413], () => post('/pets', 'x'.repeat(BODY_BYTES_MAX + 1))],
]

/** Returns `count` requests of all operations in random order. */
export function mixed(key: string, last: Last, count: number): Request[] {
  const all = MIX.flatMap((kind) => Array<(typeof MIX)[number]>(kind[0]).fill(kind))
  return Array.from({ length: count }, (_, n) => {
    const [, statuses, make] = pick(all)
    const [method, target, more] = make(last, last.pet + n)
    return request(key, method, target, { ...more, statuses })
  })
}
