// The kinds of work, with the requests that wrk sends in turn and the expected status.

import type { PetStatus } from '../packages/service/src/domain/pets.ts'

/** One request. `{nnnn}` is replaced with a new number of six digits each time. */
export interface BenchRequest {
  method: 'GET' | 'POST'
  target: string
  headers?: Record<string, string>
  body?: string
}

/** Data of the server: its pets, its cursors after an id and after an event, and the entity tag of its list. */
export interface Asking {
  pets: number
  cursor: (after: number, status?: PetStatus) => string
  place: (event: number) => string
  etag: string
}

export interface Work {
  status: number
  requests(asking: Asking): BenchRequest[]
  /** SQL that prepares the store. */
  prepare: string | undefined
}

const STATUSES: readonly PetStatus[] = ['available', 'pending', 'sold']
/** More pages than any cache holds. */
const RANDOM_REQUESTS = 200_000
/** The ordered pets: their ids have six digits. */
const ORDERED = 'id BETWEEN 100000 AND 999999'
const AVAILABLE = `UPDATE pets SET status = 'available' WHERE ${ORDERED} AND status <> 'available'`
const PENDING = `UPDATE pets SET status = 'pending' WHERE ${ORDERED} AND status <> 'pending';
  INSERT INTO orders (id, pet_id, status, placed_at, changed_at)
  SELECT id, id, 'pending', 1, 1 FROM pets WHERE ${ORDERED}`

export const LIST = get('')

export const WORK = {
  list: work(200, () => [LIST]),
  'not-modified': work(304, ({ etag }) => [{ ...LIST, headers: { 'If-None-Match': etag } }]),
  // All 100 pages are full in a store of 1000 pets or more.
  filtered: work(200, ({ pets, cursor }) => repeat(100, (n) => page(cursor, Math.floor((n * pets) / 200), n))),
  pages: work(200, ({ pets, cursor }) => scattered(pets - 20, (after) => page(cursor, after))),
  // Leaves out the last pets, because few of them are sold.
  'status-pages': work(200, ({ pets, cursor }) => scattered(pets - 1000, (after, n) => page(cursor, after, n))),
  pet: work(200, ({ pets }) => scattered(pets, (before) => get(`/${before + 1}`))),
  create: work(201, () => repeat(100, (n) => post('/v1/pets', newPet(n)))),
  place: work(201, () => [post('/v1/store/orders', '{"petId":{nnnn}}')], AVAILABLE),
  complete: work(200, () => [post('/v1/store/orders/{nnnn}/complete')], PENDING),
  events: work(200, ({ pets, place }) => scattered(pets - 100, (after) => events(`limit=100&cursor=${place(after)}`))),
}

export type WorkName = keyof typeof WORK

/** Returns the cursor in the link to the next page. */
export function cursorOf(link = ''): string {
  return /[?&]cursor=([^&>]+)/.exec(link)?.[1] ?? ''
}

function work(status: number, requests: Work['requests'], prepare?: string): Work {
  return { status, requests, prepare }
}

export function events(query: string): BenchRequest {
  return { method: 'GET', target: `/v1/store/events?${query}` }
}

function get(rest: string): BenchRequest {
  return { method: 'GET', target: `/v1/pets${rest}` }
}

/** With `n`, the page has a status filter that rotates. */
function page(cursor: Asking['cursor'], after: number, n?: number): BenchRequest {
  if (n === undefined) return get(`?cursor=${cursor(after)}`)
  const status = STATUSES[n % 3] as PetStatus
  return get(`?status=${status}&cursor=${cursor(after, status)}`)
}

function post(target: string, body = ''): BenchRequest {
  return { method: 'POST', target, headers: { 'Content-Type': 'application/json' }, body }
}

function newPet(n: number): string {
  return JSON.stringify({ name: `Bella ${n}`, categoryId: n % 7, status: STATUSES[n % 3] })
}

function repeat(count: number, request: (n: number) => BenchRequest): BenchRequest[] {
  return Array.from({ length: count }, (_, n) => request(n))
}

/** Requests for scattered numbers below `limit`, the same in every run: Knuth's multiplicative hash of 1, 2, 3 … */
function scattered(limit: number, request: (place: number, n: number) => BenchRequest): BenchRequest[] {
  return repeat(RANDOM_REQUESTS, (n) => request((Math.imul(n + 1, 2654435761) >>> 0) % limit, n))
}
