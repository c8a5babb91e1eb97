// Cursors and `next` links. A cursor contains the last id of the previous page and three check bytes, so that a cursor that was mistyped,
// made up or taken from another list is refused.

import { pathOf } from '../../contract/contract.ts'
import { PetstoreError } from '../../domain/errors.ts'
import type { OrderFilter } from '../../domain/orders.ts'
import type { PetFilter } from '../../domain/pets.ts'
import type { LinkTo } from '../links.ts'

const ID_BYTES = 8
const CHECK_BYTES = 3

/** Reused by every call. */
const bytes = Buffer.alloc(ID_BYTES + CHECK_BYTES)
const idBytes = bytes.subarray(0, ID_BYTES)

/** The seeds of the check bytes, so that a cursor of one list is invalid for another. */
const SEED: Record<List, number> = { pets: 0, orders: 1 }

/** The lists, and what a link to a page of each repeats. */
interface Queries {
  pets: Omit<PetFilter, 'after'>
  orders: Omit<OrderFilter, 'after'>
}
export type List = keyof Queries

/** 15 characters of base64url. */
export function encodeCursor(after: bigint, list: List = 'pets'): string {
  bytes.writeBigInt64BE(after)
  bytes.writeUIntBE(Bun.hash.crc32(idBytes, SEED[list]) & 0xffffff, ID_BYTES, CHECK_BYTES)
  return bytes.toString('base64url')
}

/** Throws `invalid_parameter` unless this service created the cursor for this list. */
export function decodeCursor(cursor: string | undefined, list: List = 'pets'): bigint | undefined {
  if (cursor === undefined) return undefined
  // Text that does not decode to exactly these bytes does not encode to itself again.
  bytes.write(cursor, 'base64url')
  const after = bytes.readBigInt64BE()
  if (encodeCursor(after, list) === cursor) return after
  throw new PetstoreError('invalid_parameter', "cursor must be copied unchanged from the previous page's Link header.")
}

const PATH: Record<List, string> = { pets: pathOf('listPets'), orders: pathOf('listOrders') }

/**
 * The `Link` to the page that begins after the id `after` (RFC 8288; the target is relative). `query`: the parameters of this page;
 * their values need no escapes.
 */
export function nextLink<Of extends List>(linkTo: LinkTo, query: Queries[Of], after: bigint, list: Of): string {
  let target = linkTo(`${PATH[list]}?`)
  for (const name in query) if (query[name] !== undefined) target += `${name}=${query[name]}&`
  return `<${target}cursor=${encodeCursor(after, list)}>; rel="next"`
}
