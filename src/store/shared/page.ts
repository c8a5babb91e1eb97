// A page as a store reads it: its animals come as JSON from the database, one text each or one for all, because a text
// costs a tenth of the objects that it would be made from again. Both stores write it with the same SQL.

import type { Page } from '../../domain/pets.ts'

/** One animal as JSON, its fields in the order of the contract. `quotedName`: SQL that gives the name as a JSON string. */
export const petJson = (quotedName: string) =>
  `concat('{"id":', id, ',"name":', ${quotedName}, ',"categoryId":', category_id, ',"status":"', status, '"}')`

export type PetRow = readonly [id: bigint, json: string]

/** `rows`: up to one more than `limit`. */
export function pageOf(rows: readonly PetRow[], limit: number): Page {
  const shown = rows.slice(0, limit)
  const json = `[${shown.map(([, json]) => json).join(',')}]`
  return { json, next: rows.length > limit ? shown.at(-1)?.[0] : undefined }
}
