// Cursors of lists, and links to the next and previous page. A cursor contains a position and three check bytes,
// which reveal mistyped or invented cursors, and cursors of lists with other filters or another order.

import { pathOf } from '../../../../contract/src/contract.ts'
import type { Page, PagePosition } from '../../domain/lists.ts'
import type { OrderFilter } from '../../domain/orders.ts'
import type { PetFilter } from '../../domain/pets.ts'
import { PetstoreError } from '../../domain/petstore-error.ts'
import type { LinkTo } from '../context.ts'

const ID_BYTES = 8
const CHECK_BYTES = 3

/** Shared by all calls. */
const bytes = Buffer.alloc(ID_BYTES + CHECK_BYTES)
const idBytes = bytes.subarray(0, ID_BYTES)

/** The parameters that the links of each list repeat. */
interface Queries {
  pets: Omit<PetFilter, keyof PagePosition>
  orders: Omit<OrderFilter, keyof PagePosition>
}
type ListName = keyof Queries

const PATH: Record<ListName, string> = { pets: pathOf('listPets'), orders: pathOf('listOrders') }

/**
 * Decodes a cursor. Throws `invalid_parameter` unless this service created it for this list, these filters and this
 * order.
 */
export function positionOf<Of extends ListName>(cursor: string | undefined, list: Of, query: Queries[Of]) {
  if (cursor === undefined) return { after: undefined, back: false }
  bytes.write(cursor, 'base64url')
  // Only canonical base64url of exactly these bytes encodes to the same text again.
  if (bytes.toString('base64url') === cursor) {
    const after = bytes.readBigInt64BE()
    const check = bytes.readUIntBE(ID_BYTES, CHECK_BYTES)
    const filters = filtersOf(query)
    for (const back of [false, true]) if (checkBytes(seedOf(list, filters, back)) === check) return { after, back }
  }
  throw new PetstoreError('invalid_parameter', "cursor must be copied unchanged from the previous page's Link header.")
}

/**
 * Returns the `Link` header to the next and previous page (RFC 8288; the targets are relative). `query`: the
 * parameters of the page.
 */
export function linksOf<Of extends ListName>(linkTo: LinkTo, list: Of, query: Queries[Of], { next, prev }: Page) {
  const filters = filtersOf(query)
  const link = (rel: string, after: bigint, back: boolean) => {
    const target = `${PATH[list]}?limit=${query.limit}&${filters}cursor=${encode(after, seedOf(list, filters, back))}`
    return `<${linkTo(target)}>; rel="${rel}"`
  }
  const links = next === undefined ? undefined : link('next', next, false)
  if (prev === undefined) return links
  return (links === undefined ? '' : `${links}, `) + link('prev', prev, true)
}

/** Encodes the filters for a URL. Leaves out the default order. */
function filtersOf(query: Queries[ListName]): string {
  let filters = ''
  for (const name in query) {
    const value = query[name as keyof typeof query]
    if (value === undefined || name === 'limit' || (name === 'sort' && value === 'oldest')) continue
    for (const one of [value].flat()) filters += `${name}=${encodeURIComponent(String(one))}&`
  }
  return filters
}

function seedOf(list: ListName, filters: string, back: boolean): number {
  return Bun.hash.crc32(`${list}?${filters}${back ? 'prev' : 'next'}`)
}

/** Returns 15 characters of base64url. */
function encode(after: bigint, seed: number): string {
  bytes.writeBigInt64BE(after)
  bytes.writeUIntBE(checkBytes(seed), ID_BYTES, CHECK_BYTES)
  return bytes.toString('base64url')
}

/** Returns the check bytes of the id in `bytes`. */
function checkBytes(seed: number): number {
  return Bun.hash.crc32(idBytes, seed) & 0xffffff
}
