// Reads animals and orders by id.

import { type Order, type Pet, PetstoreApiError, type PetstoreClient } from '../../../client/src/petstore.ts'
import { PAGE_MAX } from '../../../contract/src/generated.ts'
import type { RecordId } from '../address.ts'
import { concurrently } from '../parts/concurrently.ts'
import { readPet } from '../record/history.ts'

/** Up to this many are requested one by one. */
const ALONE_MAX = 4

export async function readById(client: PetstoreClient, { kind, id }: RecordId): Promise<Pet | Order | undefined> {
  return (kind === 'order' ? client.getOrder(id) : readPet(client, id)).catch(unlessNone)
}

/** For `catch`: turns an unknown id or an invalid search into `undefined`. */
export function unlessNone(error: unknown): undefined {
  if (!(error instanceof PetstoreApiError && [400, 404].includes(error.status))) throw error
}

interface Reading<Item> {
  page: (at: {
    sort: 'newest'
    limit: number
    cursor: string | undefined
  }) => Promise<[readonly Item[], string | undefined]>
  idOf: (item: Item) => bigint
  one: (id: bigint) => Promise<Item | undefined>
  /** Called for each id, with `undefined` if it does not exist. */
  found: (id: bigint, item: Item | undefined) => void
}

/** Reads pages of the newest items while they contain some of the ids, and the remaining ids one by one. */
export async function readEach<Item>(ids: Iterable<bigint>, { page, idOf, one, found }: Reading<Item>): Promise<void> {
  const open = new Set(ids)
  let cursor: string | undefined
  for (let left = Number.POSITIVE_INFINITY; open.size > ALONE_MAX && open.size < left; ) {
    left = open.size
    const [items, next] = await page({ sort: 'newest', limit: PAGE_MAX, cursor })
    for (const item of items) if (open.delete(idOf(item))) found(idOf(item), item)
    cursor = next
    if (next !== undefined) continue
    for (const id of open) found(id, undefined)
    return
  }
  await concurrently([...open], async (id) => found(id, await one(id)))
}
