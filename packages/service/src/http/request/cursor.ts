// Cursors, and the links to the pages around a page. A cursor contains the position where a page begins or ends and three check bytes, so that one
// that was mistyped, made up, or taken from a list with other filters or in another order is refused.

import { pathOf } from '../../../../contract/src/contract.ts'
import type { Page, PagePosition } from '../../domain/lists.ts'
import type { OrderFilter } from '../../domain/orders.ts'
import type { PetFilter } from '../../domain/pets.ts'
import { PetstoreError } from '../../domain/petstore-error.ts'
import type { LinkTo } from '../links.ts'

const ID_BYTES = 8
const CHECK_BYTES = 3

/** Reused by every call. */
const bytes = Buffer.alloc(ID_BYTES + CHECK_BYTES)
const idBytes = bytes.subarray(0, ID_BYTES)

/** The lists, and what the links of each repeat. */
interface Queries {
  pets: Omit<PetFilter, keyof PagePosition>
  orders: Omit<OrderFilter, keyof PagePosition>
}
type ListName = keyof Queries

const PATH: Record<ListName, string> = { pets: pathOf('listPets'), orders: pathOf('listOrders') }

/** Throws `invalid_parameter` unless this service created the cursor for this list, with these filters and in this order. */
export function positionOf<Of extends ListName>(
  cursor: string | undefined,
  list: Of,
  query: Queries[Of],
): PagePosition {
  if (cursor === undefined) return { after: undefined, back: false }
  bytes.write(cursor, 'base64url')
  // Text that does not decode to exactly these bytes does not encode to itself again.
  if (bytes.toString('base64url') === cursor) {
    const after = bytes.readBigInt64BE()
    const check = bytes.readUIntBE(ID_BYTES, CHECK_BYTES)
    const filters = filtersOf(query)
    for (const back of [false, true]) if (checkOf(seedOf(list, filters, back)) === check) return { after, back }
  }
  throw new PetstoreError('invalid_parameter', "cursor must be copied unchanged from the previous page's Link header.")
}

/** The `Link` to the pages after and before a page (RFC 8288; the targets are relative). `query`: the parameters of the page. */
export function linksOf<Of extends ListName>(
  linkTo: LinkTo,
  list: Of,
  query: Queries[Of],
  { next, prev }: Page,
): string | undefined {
  const filters = filtersOf(query)
  const link = (rel: string, after: bigint, back: boolean) => {
    const target = `${PATH[list]}?limit=${query.limit}&${filters}cursor=${encode(after, seedOf(list, filters, back))}`
    return `<${linkTo(target)}>; rel="${rel}"`
  }
  const links = next === undefined ? undefined : link('next', next, false)
  if (prev === undefined) return links
  return (links === undefined ? '' : `${links}, `) + link('prev', prev, true)
}

/** As in a URL. The order that a list has anyway is left out. */
function filtersOf(query: Queries[ListName]): string {
  let filters = ''
  for (const name in query) {
    const value = query[name as keyof typeof query]
    if (value === undefined || name === 'limit' || (name === 'sort' && value === 'oldest')) continue
    filters += `${name}=${encodeURIComponent(String(value))}&`
  }
  return filters
}

function seedOf(list: ListName, filters: string, back: boolean): number {
  return Bun.hash.crc32(`${list}?${filters}${back ? 'prev' : 'next'}`)
}

/** 15 characters of base64url. */
function encode(after: bigint, seed: number): string {
  bytes.writeBigInt64BE(after)
  bytes.writeUIntBE(checkOf(seed), ID_BYTES, CHECK_BYTES)
  return bytes.toString('base64url')
}

/** The check bytes of the id in `bytes`. */
function checkOf(seed: number): number {
  return Bun.hash.crc32(idBytes, seed) & 0xffffff
}
