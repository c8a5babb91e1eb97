// The requests of each kind of work, as the raw HTTP that wrk sends in turn. Cursors follow the service's own rules;
// contenders with other cursors say how theirs are made.

import { encodeCursor } from '../src/http/paging.ts'
import { STATUSES } from './seed.ts'
import { repeatable } from './statistics.ts'

/** Enough that no cache of pages holds them, in the order of no index. */
const RANDOM_REQUESTS = 200_000
const PAGES_IN_ROTATION = 100

export interface Asking {
  /** The Authorization header's token. */
  key: string
  /** Path before `/pets`. */
  base: string
  cursor: (after: number) => string
}

/** One request of a list of requests. */
export interface Asked {
  method: 'GET' | 'POST'
  target: string
  headers?: Record<string, string>
  body?: string
}

export const ourCursor = (after: number) => encodeCursor(BigInt(after))

export function list({ base }: Asking): Asked[] {
  return [{ method: 'GET', target: `${base}/pets` }]
}

/** Different pages of lists with a status, asked in rotation; each full, in a store of at least 1000 animals. */
export function statusPages({ base, cursor }: Asking, animals: number): Asked[] {
  return Array.from({ length: PAGES_IN_ROTATION }, (_, page) => {
    const status = STATUSES[page % STATUSES.length]
    const after = Math.floor((page * animals) / (2 * PAGES_IN_ROTATION))
    return { method: 'GET', target: `${base}/pets?status=${status}&cursor=${cursor(after)}` }
  })
}

/** Pages of 20 at random places. */
export function randomPages({ base, cursor }: Asking, animals: number): Asked[] {
  const random = repeatable(animals)
  return Array.from({ length: RANDOM_REQUESTS }, () => {
    return { method: 'GET', target: `${base}/pets?cursor=${cursor(random() % (animals - 20))}` }
  })
}

export function randomAnimals({ base }: Asking, animals: number): Asked[] {
  const random = repeatable(animals + 1)
  return Array.from({ length: RANDOM_REQUESTS }, () => ({
    method: 'GET',
    target: `${base}/pets/${1 + (random() % animals)}`,
  }))
}

export function creates({ base }: Asking): Asked[] {
  return Array.from({ length: 100 }, (_, index) => ({
    method: 'POST',
    target: `${base}/pets`,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: `Bella ${index}`, categoryId: index % 7, status: STATUSES[index % STATUSES.length] }),
  }))
}

/** As it goes over the wire. */
export function rawRequest({ method, target, headers = {}, body }: Asked, key: string): string {
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
  const all = { Host: '127.0.0.1', Authorization: `Bearer ${key}`, ...headers, ...length }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`
}
