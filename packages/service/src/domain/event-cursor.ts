// Encodes and decodes cursors of the event feed: epoch, id and mark of a position, and check bytes that reveal
// mistyped or invented cursors and cursors of lists.

import type { EventPosition } from './events.ts'
import { PetstoreError } from './petstore-error.ts'

const EPOCH_BYTES = 6
const ID_BYTES = 8
const MARK_BYTES = 4
const CHECK_BYTES = 4
/** Must differ from the seeds of list cursors (http/request/cursor.ts). */
const SEED = 2

/**
 * Returns 30 characters of base64url, the first eight for the epoch. The position before the first event has no mark:
 * 24 characters.
 */
export function encodeEventCursor({ epoch, id, mark }: EventPosition): string {
  const position = Buffer.alloc(EPOCH_BYTES + ID_BYTES + (mark === undefined ? 0 : MARK_BYTES))
  position.writeUIntBE(Number(epoch), 0, EPOCH_BYTES)
  position.writeBigInt64BE(id, EPOCH_BYTES)
  if (mark !== undefined) position.writeUInt32BE(mark, EPOCH_BYTES + ID_BYTES)
  const check = Buffer.alloc(CHECK_BYTES)
  check.writeUInt32BE(Bun.hash.crc32(position, SEED))
  return Buffer.concat([position, check]).toString('base64url')
}

/** Throws `invalid_parameter` unless this service created the cursor. */
export function decodeEventCursor(cursor: string): EventPosition {
  const bytes = Buffer.from(cursor, 'base64url')
  const markAt = EPOCH_BYTES + ID_BYTES
  if (bytes.length >= markAt + CHECK_BYTES) {
    const mark = bytes.length === markAt + CHECK_BYTES ? undefined : bytes.readUInt32BE(markAt)
    const position = { epoch: BigInt(bytes.readUIntBE(0, EPOCH_BYTES)), id: bytes.readBigInt64BE(EPOCH_BYTES), mark }
    if ((mark !== undefined || position.id === 0n) && encodeEventCursor(position) === cursor) return position
  }
  throw new PetstoreError('invalid_parameter', "cursor must be copied unchanged from the previous page's Link header.")
}
