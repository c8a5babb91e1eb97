// Takes from the index of search in PostgreSQL what nobody needs any more.

import { FOLDING } from '../../domain/words.ts'
import type { Pruning } from '../search/tables.ts'
import { joined } from '../search/terms.ts'
import { type List, rowsOf } from '../shared/lists.ts'
import type { PrimaryConnection } from './connection.ts'
import { arrayOf, jsonOf } from './search.ts'

/** `size`: the ids of a segment. */
export function postgresSearchPruning<Filter>(
  { read, backgroundTransaction }: Pick<PrimaryConnection, 'read' | 'backgroundTransaction'>,
  list: List<Filter>,
  size: number,
): Pruning {
  const { table, number, searched } = list
  const index = `list = ${number} AND folding = ${FOLDING}`
  const oldChanges = (kept: number, limit: number) => `
    SELECT id, row_id AS "row", (SELECT ${searched} FROM ${rowsOf(list)} WHERE ${table}.id = row_id) AS text
    FROM search_changes WHERE list = ${number}
      AND id <= (SELECT id FROM search_changes WHERE list = ${number} ORDER BY id DESC OFFSET ${kept} LIMIT 1)
      AND EXISTS (SELECT FROM search_segments WHERE ${index} AND segment = row_id / ${size})
      AND NOT EXISTS (SELECT FROM search_segments WHERE list = ${number} AND folding <> ${FOLDING})
    ORDER BY id LIMIT ${limit}`
  const older = `list = ${number} AND folding < ${FOLDING}`

  return {
    async oldChanges(kept, limit) {
      const found = await read<{ id: bigint; row: bigint; text: string | null }>(oldChanges(kept, limit))
      return found.map(({ id, row, text }) => [id, row, text] as const)
    },
    fold: (changes, segment, terms) =>
      backgroundTransaction(async ({ ask, send }) => {
        // Servers that add to the same terms follow one another.
        await send('SELECT pg_advisory_xact_lock(1346720851, 2)')
        const known = await ask<{ term: string; ids: string }>(
          `SELECT term, encode(ids, 'base64') AS ids FROM search_terms WHERE ${index} AND segment = $1 AND term = ANY ($2::text::text[])`,
          segment,
          arrayOf(terms.map(([term]) => term)),
        )
        const all = new Map(terms)
        for (const { term, ids } of known) {
          const before = Buffer.from(ids, 'base64')
          all.set(term, joined(before, all.get(term) ?? before, size))
        }
        await send(
          `INSERT INTO search_terms (list, folding, segment, term, ids)
           SELECT ${number}, ${FOLDING}, $1, term, decode(ids, 'base64')
           FROM json_to_recordset($2::text::json) AS new (term text, ids text)
           ON CONFLICT (list, folding, segment, term) DO UPDATE SET ids = excluded.ids`,
          segment,
          jsonOf(all),
        )
        await send(
          `DELETE FROM search_changes WHERE list = ${number} AND id = ANY ($1::text::bigint[])`,
          `{${changes}}`,
        )
      }),
    async deleteOlder(limit) {
      const [found] = await read<{ is: boolean }>(
        `SELECT EXISTS (SELECT FROM search_segments WHERE ${older}) OR EXISTS (SELECT FROM search_terms WHERE ${older}) AS is`,
      )
      if (!found?.is) return false
      await backgroundTransaction(async ({ send }) => {
        await send(`DELETE FROM search_segments WHERE ${older}`)
        await send(`DELETE FROM search_terms WHERE (list, folding, segment, term) IN
          (SELECT list, folding, segment, term FROM search_terms WHERE ${older} LIMIT ${limit})`)
      })
      return true
    },
  }
}
