// The event feed: all changes of the store in commit order, and the promises of every store about it.
// packages/service/test/store/sequences/ and conformance.ts next to it test each store.

import type * as contract from '../../../contract/src/generated.ts'
import type { KeyId } from './keys.ts'
import type { Query } from './lists.ts'
import type { OrderTerms } from './orders.ts'
import type { Pet } from './pets.ts'
import { PetstoreError } from './petstore-error.ts'

/** The position of the event with this id; 0 is before the first event. */
export interface EventPosition {
  /** Other stores have other epochs, and so does a restored store. */
  readonly epoch: bigint
  readonly id: bigint
  /** `markOf` the event; `undefined` only before the first event. */
  readonly mark: number | undefined
}

/** Returns a 32-bit checksum of an event. It reveals that a database lost an event and reused its id. */
export function markOf(event: { type: string; at: number; petId: bigint; orderId?: bigint | undefined }): number {
  return Bun.hash.crc32([event.type, event.at, event.petId, event.orderId].join(' '))
}

/**
 * `beginning`: before the first event. `now`: after the last event. A number: before the first event at or after that
 * time.
 */
export type EventStart = 'beginning' | 'now' | number

/**
 * With `newest`, a page starts where an `oldest` page ends (at `to`, or right before the event `after`) and goes back
 * to `from`.
 */
export type EventFilter = Query<Omit<contract.Operations['listEvents']['parameters'], 'from' | 'to' | 'wait'>> & {
  readonly from: EventStart
  /** Milliseconds since 1970. */
  readonly to: number | undefined
  /** Replaces `from` or, with `newest`, `to`. */
  readonly after: EventPosition | undefined
}

export interface EventPage {
  /** The events as a JSON array, as the contract writes them. */
  readonly json: string
  readonly count: number
  /** The position to continue from, even if nothing follows yet. */
  readonly next: EventPosition
  /** Whether later pages are always empty, because the feed has reached `to`. */
  readonly ended: boolean
}

export function cursorExpired(): PetstoreError {
  return new PetstoreError(
    'cursor_expired',
    'This cursor has expired: the store was restored or copied, or lost events. Start again without a cursor.',
  )
}

export interface EventStore {
  /**
   * Lists at most `limit` events after a position, in commit order. An event exists if and only if its change was
   * committed, by any process. Ids increase, and events never change. Rejects with `cursor_expired` if the position
   * has another epoch, or its event is missing or different.
   */
  listEvents(filter: EventFilter): Promise<EventPage>

  /** Resolves with the position of the last event. */
  findEnd(): Promise<EventPosition>
}

/** An event to write in the transaction of its change. */
export interface NewEvent {
  readonly type: contract.EventType
  readonly at: number
  /** `null` for changes by the service. */
  readonly by: KeyId | null
  readonly petId: bigint
  readonly orderId?: bigint
  /** The pet right after the event; `undefined` if it was deleted. */
  readonly pet?: Pet
  /** The terms of the order `orderId` right after the event. */
  readonly terms?: OrderTerms
}

// Encodes and decodes cursors of the event feed: epoch, id and mark of a position, and check bytes that reveal
// mistyped or invented cursors and cursors of lists.

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
