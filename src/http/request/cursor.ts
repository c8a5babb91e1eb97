// Cursors and `next` links. A cursor holds the last id of the page before it and three check bytes, so that what was
// mistyped or made up is refused and not read as some other place in the list.

import { crc32 } from 'node:zlib'
import { basePath } from '../../contract/contract.ts'
import { PetstoreError } from '../../domain/errors.ts'
import type { PetFilter } from '../../domain/pets.ts'

const ID_BYTES = 8
const CHECK_BYTES = 3

/** Reused by every call. */
const bytes = Buffer.alloc(ID_BYTES + CHECK_BYTES)
const idBytes = bytes.subarray(0, ID_BYTES)

/** 15 characters of base64url. */
export function encodeCursor(after: bigint): string {
  bytes.writeBigInt64BE(after)
  bytes.writeUIntBE(crc32(idBytes) & 0xffffff, ID_BYTES, CHECK_BYTES)
  return bytes.toString('base64url')
}

/** Throws `invalid_parameter` unless this service wrote the cursor, to the letter. */
export function decodeCursor(cursor: string | undefined): bigint | undefined {
  if (cursor === undefined) return undefined
  // Text that does not decode to exactly these bytes does not encode to itself again.
  bytes.write(cursor, 'base64url')
  const after = bytes.readBigInt64BE()
  if (encodeCursor(after) === cursor) return after
  throw new PetstoreError('invalid_parameter', "cursor must be copied unchanged from the previous page's Link header.")
}

/** The `Link` to the page that begins after the id `after` (RFC 8288; the target is relative). */
export function nextLink({ limit, status }: PetFilter, after: bigint): string {
  const cursor = encodeCursor(after)
  return `<${basePath}/pets?limit=${limit}${status ? `&status=${status}` : ''}&cursor=${cursor}>; rel="next"`
}
