// The kinds of work: the requests of each, as wrk sends them in turn, and the status that answers them.

import { answerOf } from './answers.ts'
import type { Asked } from './load.ts'
import { STATUSES } from './seed.ts'

/** More than any cache of pages holds. */
const RANDOM_REQUESTS = 200_000
const PAGES_IN_ROTATION = 100

/** What a server's requests depend on. */
export interface Asking {
  key: string
  running: { port: number }
  /** The cursor of the page that follows this id. */
  cursor: (after: number) => string
}

export interface Work {
  /** `pets`: how many the server holds. */
  requests(asking: Asking, pets: number): Asked[] | Promise<Asked[]>
  status: number
  /** SQL that a seeded store is prepared with. */
  prepare?: string
}

export const LIST: Asked = { method: 'GET', target: '/v1/pets' }

export const WORK = {
  list: { status: 200, requests: () => [LIST] },
  filtered: { status: 200, requests: filteredPages },
  'not-modified': { status: 304, requests: listWithItsTag },
  pages: { status: 200, requests: randomPages },
  pet: { status: 200, requests: randomPets },
  create: { status: 201, requests: creates },
} satisfies Record<string, Work>

/** Every pet is available; those that orders are completed for have one. */
const AVAILABLE = "UPDATE pets SET status = 'available' WHERE status <> 'available';"
const ORDERED = `${AVAILABLE} UPDATE pets SET status = 'pending';
  INSERT INTO orders (id, pet_id, status, placed_at, changed_at) SELECT id, id, 'pending', 1, 1 FROM pets`

/** Each request is for another pet or order of six digits: for stores of 10^6 pets. */
export const ORDER_WORK = {
  place: {
    status: 201,
    prepare: AVAILABLE,
    requests: () => [post('/v1/store/orders', '{"petId":{nnnn}}')],
  },
  complete: { status: 200, prepare: ORDERED, requests: () => [post('/v1/store/orders/{nnnn}/complete')] },
} satisfies Record<string, Work>

function post(target: string, body = ''): Asked {
  return { method: 'POST', target, headers: { 'Content-Type': 'application/json' }, body }
}

/** Different pages of lists with a status, in rotation. Each is full in a store of 1000 pets or more. */
export function filteredPages({ cursor }: Asking, pets: number): Asked[] {
  return Array.from({ length: PAGES_IN_ROTATION }, (_, page) => {
    const status = STATUSES[page % STATUSES.length]
    const after = Math.floor((page * pets) / (2 * PAGES_IN_ROTATION))
    return { method: 'GET', target: `/v1/pets?status=${status}&cursor=${cursor(after)}` }
  })
}

/** Pages of 20 at random places. */
export function randomPages({ cursor }: Asking, pets: number): Asked[] {
  return scattered(pets - 20).map((after) => ({ method: 'GET', target: `/v1/pets?cursor=${cursor(after)}` }))
}

export function creates(): Asked[] {
  return Array.from({ length: 100 }, (_, index) => {
    const pet = { name: `Bella ${index}`, categoryId: index % 7, status: STATUSES[index % STATUSES.length] }
    return post('/v1/pets', JSON.stringify(pet))
  })
}

function randomPets(_asking: Asking, pets: number): Asked[] {
  return scattered(pets).map((index) => ({ method: 'GET', target: `/v1/pets/${1 + index}` }))
}

async function listWithItsTag({ running, key }: Asking): Promise<Asked[]> {
  const { headers } = await answerOf(running.port, LIST, key)
  return [{ ...LIST, headers: { 'If-None-Match': headers.etag as string } }]
}

/** Numbers below `limit`, far from each other and the same in every run: Knuth's multiplicative hash of 1, 2, 3 … */
function scattered(limit: number): number[] {
  return Array.from({ length: RANDOM_REQUESTS }, (_, index) => (Math.imul(index + 1, 2654435761) >>> 0) % limit)
}
