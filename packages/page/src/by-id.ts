// Animals and orders by their ids. To fetch one animal is deprecated: its events tell what it is.

import {
  type CallOptions,
  type Event,
  type Order,
  type Pet,
  PetstoreApiError,
  type PetstoreClient,
} from '../../client/src/petstore.ts'
import { eachOf } from './each-of.ts'
import type { RecordId } from './record/record-address.ts'

/** So many are sooner asked for one by one. */
const ALONE_MAX = 4
const PAGE = 100
/** Requests for single ones overlap; a page waits for the one before. */
const OVERLAP = 5

/** `undefined`: there is none, or none any more. */
export async function readPet(client: PetstoreClient, petId: bigint, options?: CallOptions): Promise<Pet | undefined> {
  let last: Event | undefined
  for (let cursor: string | undefined; ; ) {
    const { events, next } = await client.listEvents({ petId, sort: 'newest', cursor }, options)
    last ??= events[0]
    if (last?.type === 'pet.deleted' || events.length === 0) return undefined
    const pet = events.find(({ pet }) => pet)?.pet
    if (pet) return { ...pet, status: last?.petStatus ?? pet.status }
    cursor = next
  }
}

/** As `readPet`. */
export async function readById(client: PetstoreClient, { kind, id }: RecordId): Promise<Pet | Order | undefined> {
  return (kind === 'order' ? client.getOrder(id) : readPet(client, id)).catch(unlessNone)
}

/** An id that nothing has, or a text that cannot be searched for, finds nothing. */
export function unlessNone(error: unknown): undefined {
  if (!(error instanceof PetstoreApiError && [400, 404].includes(error.status))) throw error
}

interface Reading<Item> {
  /** The newest first, so many. */
  page: (at: {
    sort: 'newest'
    limit: number
    cursor: string | undefined
  }) => Promise<[readonly Item[], string | undefined]>
  one: (id: bigint) => Promise<Item | undefined>
  found: (item: Item) => void
}

/**
 * Those of the ids that there are, in few requests however many others there are: by pages from the newest down, for as long as that is
 * shorter than to ask for each.
 */
export async function readEach<Item extends { id: bigint }>(
  ids: readonly bigint[],
  { page, one, found }: Reading<Item>,
): Promise<void> {
  const open = new Set(ids)
  for (let cursor: string | undefined, at: bigint | undefined; isShorter(at, open); ) {
    const [items, next] = await page({ sort: 'newest', limit: PAGE, cursor })
    for (const item of items) if (open.delete(item.id)) found(item)
    at = next === undefined ? 0n : items.at(-1)?.id
    for (const id of open) if (at !== undefined && id >= at) open.delete(id)
    cursor = next
  }
  await eachOf([...open], async (id) => {
    const item = await one(id)
    if (item) found(item)
  })
}

/** `at`: the last of the page before; `undefined` before the first. */
function isShorter(at: bigint | undefined, open: ReadonlySet<bigint>): boolean {
  if (open.size <= ALONE_MAX || at === undefined) return open.size > ALONE_MAX
  const nearest = [...open].reduce((one, other) => (one > other ? one : other))
  return (Number(at - nearest) / PAGE) * OVERLAP < open.size
}
