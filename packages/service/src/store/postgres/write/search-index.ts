// Writes the search index, a table of words with a GIN index for each list.

import type { Writes } from '../../../domain/decisions/working-copy.ts'
import type { Pet } from '../../../domain/pets.ts'
import { indexedWords } from '../../../domain/words.ts'
import { ORDERS, PETS, rowsOf, textOfOrder } from '../../shared/lists.ts'
import type { RunQuery } from '../connect/session.ts'

/** Rows that are indexed in one statement. */
const ROWS = 1_000

type Indexed = readonly { id: bigint; text: string }[]

/** Sets the words of rows. The caller holds the lock that orders commits. */
async function setWords(query: RunQuery, table: 'pets' | 'orders', rows: Indexed): Promise<void> {
  const words = rows.map(({ id, text }) => ({ id: String(id), words: indexedWords(text) }))
  await query(
    `INSERT INTO search_${table} (id, words) SELECT id, ${vectorOf('words')} FROM json_to_recordset($1::text::json) AS rows (id bigint, words text)
     ON CONFLICT (id) DO UPDATE SET words = excluded.words`,
    JSON.stringify(words),
  )
}

/** Returns SQL for a tsvector without positions, whose number is limited. `words` is SQL. */
export function vectorOf(words: string): string {
  return `array_to_tsvector(string_to_array(${words}, ' '))`
}

/** Indexes the orders in a table `new` (see `indexedOrder`), with the words that their pets had before. */
export const INDEX_ORDERS = `INSERT INTO search_orders (id, words)
  SELECT id, ${vectorOf('words')} || coalesce((SELECT words FROM search_pets WHERE search_pets.id = pet_id), '') FROM new
  ON CONFLICT (id) DO UPDATE SET words = excluded.words RETURNING id`

export function indexedOrder({ id, petId, reference }: { id: bigint; petId: bigint; reference?: string | undefined }) {
  return { id, pet_id: petId, words: indexedWords(reference ?? '') }
}

/** Indexes renamed pets with their orders, which can be found by the name, and removes deleted pets. */
export async function indexPets(query: RunQuery, { petsChanged, petsDeleted }: Writes): Promise<void> {
  for (const { before, after } of petsChanged) if (before.name !== after.name) await renamePet(query, after)
  for (const { id } of petsDeleted) await query('DELETE FROM search_pets WHERE id = $1', id)
}

async function renamePet(query: RunQuery, { id, name }: Pet): Promise<void> {
  await setWords(query, 'pets', [{ id, text: name }])
  const orders = await query<{ id: bigint; reference: string | null }>(
    'SELECT id, reference FROM orders WHERE pet_id = $1',
    id,
  )
  const texts = orders.map(({ id, reference }) => ({ id, text: textOfOrder(reference, name) }))
  for (let at = 0; at < texts.length; at += ROWS) await setWords(query, 'orders', texts.slice(at, at + ROWS))
}

/** Indexes up to `limit` rows after `after` that were written without it. */
export async function indexRows(query: RunQuery, table: 'pets' | 'orders', after: bigint, limit: number) {
  const list = table === 'pets' ? PETS : ORDERS
  const rows = await query<Indexed[number]>(
    `SELECT id, ${list.searched} AS text FROM ${rowsOf(list)} WHERE id > $1 ORDER BY id LIMIT ${limit}`,
    after,
  )
  await setWords(query, table, rows)
}
