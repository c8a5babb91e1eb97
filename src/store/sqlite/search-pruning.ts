// Takes from the index of search in SQLite what nobody needs any more.

import { FOLDING } from '../../domain/words.ts'
import type { Pruning } from '../search/tables.ts'
import { joined } from '../search/terms.ts'
import { type List, rowsOf } from '../shared/lists.ts'
import { IN_BACKGROUND } from './search.ts'
import type { Read, Statements } from './statements.ts'
import type { Transact } from './transaction.ts'

/** `size`: the ids of a segment. */
export function sqliteSearchPruning<Filter>(
  statements: Statements,
  read: Read,
  transact: Transact,
  list: List<Filter>,
  size: number,
): Pruning {
  const { number, searched } = list
  const index = `list = ${number} AND folding = ${FOLDING}`
  const oldChanges = statements.query<[bigint, bigint, string | null], [number, number]>(
    `SELECT search_changes.id, row_id, (SELECT ${searched} FROM ${rowsOf(list)} WHERE ${list.table}.id = row_id)
     FROM search_changes INDEXED BY search_changes_by_list
     WHERE list = ${number}
       AND search_changes.id <= (SELECT id FROM search_changes WHERE list = ${number} ORDER BY id DESC LIMIT 1 OFFSET +?)
       AND EXISTS (SELECT 1 FROM search_segments WHERE ${index} AND segment = row_id / ${size})
       AND NOT EXISTS (SELECT 1 FROM search_segments WHERE list = ${number} AND folding <> ${FOLDING}) LIMIT +?`,
  )
  const idsOfTerm = statements.query<[Uint8Array], [bigint, string]>(
    `SELECT ids FROM search_terms WHERE ${index} AND segment = ? AND term = ?`,
  )
  const addTerm = statements.query<never, [bigint, string, Uint8Array]>(
    `INSERT OR REPLACE INTO search_terms (list, folding, segment, term, ids) VALUES (${number}, ${FOLDING}, ?, ?, ?)`,
  )
  const forget = statements.query<never, [bigint]>('DELETE FROM search_changes WHERE id = ?')
  const older = `list = ${number} AND folding < ${FOLDING}`
  const deleteSegments = statements.query<[bigint], []>(`DELETE FROM search_segments WHERE ${older} RETURNING 1`)
  const deleteTerms = statements.query<[bigint], [number]>(
    `DELETE FROM search_terms WHERE (list, folding, segment, term) IN
       (SELECT list, folding, segment, term FROM search_terms WHERE ${older} LIMIT +?) RETURNING 1`,
  )
  const hasOlder = statements.query<[bigint], []>(
    `SELECT 1 FROM search_segments WHERE ${older} UNION ALL SELECT 1 FROM search_terms WHERE ${older} LIMIT 1`,
  )

  return {
    oldChanges: (kept, limit) => read(() => oldChanges.values(kept, limit)),
    fold: (old, segment, of) =>
      transact(() => {
        for (const [term, ids] of of) {
          const [[known] = []] = idsOfTerm.values(segment, term)
          addTerm.run(segment, term, known ? joined(known, ids, size) : ids)
        }
        for (const change of old) forget.run(change)
      }, IN_BACKGROUND),
    deleteOlder: async (limit) => {
      if ((await read(() => hasOlder.values())).length === 0) return false
      return transact(() => {
        deleteSegments.values()
        deleteTerms.values(limit)
        return true
      }, IN_BACKGROUND)
    },
  }
}
