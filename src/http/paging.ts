// Cursors and `next` links. A cursor holds the last id of the page before it and three check bytes, so that what was
// mistyped or made up is refused and not read as some other place in the list.

import { crc32 } from 'node:zlib'
import { PetstoreError } from '../errors.ts'
import type { Page, PetStatus } from '../pets.ts'
import { basePath } from './contract.ts'

const ID_BYTES = 8
const CHECK_BYTES = 3

/** 15 characters of base64url. */
export function encodeCursor(after: bigint): string {
  const bytes = Buffer.alloc(ID_BYTES + CHECK_BYTES)
  bytes.writeBigInt64BE(after)
  bytes.writeUIntBE(crc32(bytes.subarray(0, ID_BYTES)) & 0xffffff, ID_BYTES, CHECK_BYTES)
  return bytes.toString('base64url')
}

/** Throws `invalid_parameter` unless this service wrote the cursor, to the letter. */
export function decodeCursor(cursor: string | undefined): bigint | undefined {
  if (cursor === undefined) return undefined
  const bytes = Buffer.from(cursor, 'base64url')
  if (bytes.length === ID_BYTES + CHECK_BYTES) {
    const after = bytes.readBigInt64BE()
    if (encodeCursor(after) === cursor) return after
  }
  throw new PetstoreError('invalid_parameter', 'cursor must be taken, as it is, from the Link of the page before.')
}

/** The `Link` to the page after `page`, which must not be empty (RFC 8288; the target is relative). */
export function nextLink({ limit, status }: { limit: number; status?: PetStatus | undefined }, { pets }: Page): string {
  const cursor = encodeCursor(pets.at(-1)?.id as bigint)
  return `<${basePath}/pets?limit=${limit}${status ? `&status=${status}` : ''}&cursor=${cursor}>; rel="next"`
}
