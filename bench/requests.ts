// The kinds of work: the requests of each, as wrk sends them in turn, and the status that answers them.

import { answerOf } from './answers.ts'
import type { Asked } from './load.ts'
import { STATUSES } from './seed.ts'
import { repeatable } from './statistics.ts'

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
  const random = repeatable(pets)
  return Array.from({ length: RANDOM_REQUESTS }, () => {
    return { method: 'GET', target: `/v1/pets?cursor=${cursor(random() % (pets - 20))}` }
  })
}

export function creates(): Asked[] {
  return Array.from({ length: 100 }, (_, index) => ({
    method: 'POST',
    target: '/v1/pets',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: `Bella ${index}`, categoryId: index % 7, status: STATUSES[index % STATUSES.length] }),
  }))
}

function randomPets(_asking: Asking, pets: number): Asked[] {
  const random = repeatable(pets + 1)
  return Array.from({ length: RANDOM_REQUESTS }, () => ({ method: 'GET', target: `/v1/pets/${1 + (random() % pets)}` }))
}

async function listWithItsTag({ running, key }: Asking): Promise<Asked[]> {
  const { headers } = await answerOf(running.port, LIST, key)
  return [{ ...LIST, headers: { 'If-None-Match': headers.etag as string } }]
}
