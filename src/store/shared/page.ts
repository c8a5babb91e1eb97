// A page as a store reads it: its rows come as JSON from the database, one text each or one for all, because a text
// costs a tenth of the objects that it would be made from again.

import type { Page } from '../../domain/pets.ts'

export type PageRow = readonly [id: bigint, json: string]

/** `rows`: up to one more than `limit`. */
export function pageOf(rows: readonly PageRow[], limit: number): Page {
  const shown = rows.slice(0, limit)
  const json = `[${shown.map(([, json]) => json).join(',')}]`
  return { json, next: rows.length > limit ? shown.at(-1)?.[0] : undefined }
}
