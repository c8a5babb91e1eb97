// Cursors of the feed of events, and its links. A cursor contains the epoch and the id of a place, and check bytes, so that one that was
// mistyped, made up or taken from a list is refused.

import { pathOf } from '../../contract/contract.ts'
import { PetstoreError } from '../../domain/errors.ts'
import type { EventFilter, EventPlace } from '../../domain/events.ts'
import type { LinkTo } from '../links.ts'

const EPOCH_BYTES = 6
const ID_BYTES = 8
const CHECK_BYTES = 4
const PLACE_BYTES = EPOCH_BYTES + ID_BYTES
/** Another one than those of the lists (cursor.ts). */
const SEED = 2

const PATH = pathOf('listEvents')

/** 24 characters of base64url, of which the first eight are the epoch. */
export function encodeEventCursor({ epoch, id }: EventPlace): string {
  const bytes = Buffer.alloc(PLACE_BYTES + CHECK_BYTES)
  bytes.writeUIntBE(Number(epoch), 0, EPOCH_BYTES)
  bytes.writeBigInt64BE(id, EPOCH_BYTES)
  bytes.writeUInt32BE(Bun.hash.crc32(bytes.subarray(0, PLACE_BYTES), SEED), PLACE_BYTES)
  return bytes.toString('base64url')
}

/** Throws `invalid_parameter` unless this service created the cursor. */
export function decodeEventCursor(cursor: string): EventPlace {
  const bytes = Buffer.from(cursor, 'base64url')
  if (bytes.length === PLACE_BYTES + CHECK_BYTES) {
    const place = { epoch: BigInt(bytes.readUIntBE(0, EPOCH_BYTES)), id: bytes.readBigInt64BE(EPOCH_BYTES) }
    if (encodeEventCursor(place) === cursor) return place
  }
  throw new PetstoreError('invalid_parameter', "cursor must be copied unchanged from the previous page's Link header.")
}

/** The `Link` to where the feed goes on. */
export function eventLink(
  linkTo: LinkTo,
  { limit, petId, orderId }: Omit<EventFilter, 'after'>,
  next: EventPlace,
): string {
  let target = linkTo(`${PATH}?limit=${limit}`)
  if (petId !== undefined) target += `&petId=${petId}`
  if (orderId !== undefined) target += `&orderId=${orderId}`
  return `<${target}&cursor=${encodeEventCursor(next)}>; rel="next"`
}
