// Reads animals and orders by id.

import {
  type CallOptions,
  type Order,
  type Pet,
  PetstoreApiError,
  type PetstoreClient,
} from '../../../client/src/petstore.ts'
import { PAGE_MAX } from '../../../contract/src/generated.ts'
import type { RecordId } from '../address.ts'
import { concurrently } from '../parts/concurrently.ts'
import { readPet } from '../record/history.ts'

/** Up to this many are requested one by one. */
const ALONE_MAX = 4

export async function readById(client: PetstoreClient, { kind, id }: RecordId): Promise<Pet | Order | undefined> {
  return (kind === 'order' ? client.getOrder(id) : readPet(client, id)).catch(unlessNone)
}

export function noneIs({ kind, id }: RecordId): string {
  return `No ${kind} has the ${kind === 'order' ? 'number' : 'id'} ${id}.`
}

/** For `catch`: turns an unknown id or an invalid search into `undefined`. */
export function unlessNone(error: unknown): undefined {
  if (!(error instanceof PetstoreApiError && [400, 404].includes(error.status))) throw error
}

/** Reads pages of the newest animals while they contain some of the ids, and the remaining ids one by one. */
export async function readPets(client: PetstoreClient, ids: readonly bigint[], options: CallOptions): Promise<Pet[]> {
  const open = new Set(ids)
  const found: Pet[] = []
  let cursor: string | undefined
  for (let left = Number.POSITIVE_INFINITY; open.size > ALONE_MAX && open.size < left; ) {
    left = open.size
    const { pets, next } = await client.listPage({ sort: 'newest', limit: PAGE_MAX, cursor }, options)
    found.push(...pets.filter(({ id }) => open.delete(id)))
    if (next === undefined) return found
    cursor = next
  }
  await concurrently([...open], async (id) => {
    const pet = await readPet(client, id, options)
    if (pet) found.push(pet)
  })
  return found
}
