// The index of search in PostgreSQL, and the rows that it is compared with.

import { FOLDING } from '../../domain/words.ts'
import { type FoundRow, type SearchTables, walkedRows } from '../search/tables.ts'
import { jsonObject } from '../shared/columns.ts'
import { type AnyFilter, type List, planOf, rowsOf } from '../shared/lists.ts'
import type { PrimaryConnection } from './connection.ts'
import { POSTGRES_JSON } from './json.ts'
import type { Parameter } from './session.ts'
import { parameter, walkSql } from './walks.ts'

/** A segment, a row, or a change of a row; `text` is `null` where the row is gone. */
interface New {
  kind: 'segment' | 'row' | 'change'
  id: bigint
  row: bigint | null
  text: string | null
}

/** `size`: the ids of a segment. */
export function postgresSearchTables<Filter extends AnyFilter>(
  { read, background }: Pick<PrimaryConnection, 'read' | 'background'>,
  list: List<Filter>,
  size: number,
): SearchTables<Filter> {
  const { table, number, searched } = list
  const index = `list = ${number} AND folding = ${FOLDING}`
  const json = jsonObject(list.columns, POSTGRES_JSON)
  const news = (limit: number) => `
    SELECT 'segment' AS kind, segment AS id, NULL::bigint AS "row", NULL::text AS text
    FROM (SELECT segment FROM search_segments WHERE ${index} AND segment >= $1 ORDER BY segment) AS segments
    UNION ALL
    SELECT 'row', id, NULL, text FROM (
      SELECT id, ${searched} AS text FROM ${rowsOf(list)} WHERE id >= $2 ORDER BY id LIMIT ${limit}
    ) AS rows
    UNION ALL
    SELECT 'change', id, row_id, (SELECT ${searched} FROM ${rowsOf(list)} WHERE ${table}.id = row_id) FROM (
      SELECT id, row_id FROM search_changes WHERE list = ${number} AND id >= $3 ORDER BY id LIMIT ${limit}
    ) AS changes`
  // OFFSET keeps each segment a look-up of its own.
  const ids = `
    SELECT segment, encode(ids, 'base64') AS ids FROM unnest($1::text::bigint[]) AS segment CROSS JOIN LATERAL (
      SELECT ids FROM search_terms
      WHERE ${index} AND search_terms.segment = segment.segment AND term >= $2 AND term <= $3 OFFSET 0
    ) AS found`
  const end = `
    SELECT (SELECT id FROM ${table} WHERE id >= coalesce((SELECT (max(segment) + 1) * ${size} FROM search_segments WHERE ${index}),
             -9223372036854775808) ORDER BY id LIMIT 1) AS first,
           (SELECT max(id) FROM ${table}) AS last`

  const planOfRows = (filter: Filter) => {
    const plan = planOf(list, filter)
    return { plan, values: plan.given.map((name) => filter[name] as Parameter) }
  }

  return {
    async news({ segment, row, change }, limit) {
      const found = await read<New>(news(limit), segment, row, change)
      const of = (kind: New['kind']) => found.filter((one) => one.kind === kind)
      return {
        segments: of('segment').map(({ id }) => id),
        rows: of('row').map(({ id, text }) => [id, text as string] as const),
        changes: of('change').map(({ id, row, text }) => [id, row as bigint, text] as const),
      }
    },
    async idsOf(segments, { first, last }) {
      const found = await read<{ segment: bigint; ids: string }>(ids, `{${segments}}`, first, last)
      return found.map(({ segment, ids }) => [segment, Buffer.from(ids, 'base64')] as const)
    },
    async rows(wanted, filter) {
      const { plan, values } = planOfRows(filter)
      const where = plan.given.map((name, place) => ` AND ${list.filters[name]} = ${parameter(place)}`).join('')
      return read<FoundRow>(
        `SELECT id, ${searched} AS text, ${json} AS json FROM ${rowsOf(list)} WHERE id = ANY ($1::text::bigint[])${where}`,
        `{${wanted}}`,
        ...values,
      )
    },
    async walk(filter, after, up, limit, word) {
      const { plan, values } = planOfRows(filter)
      // A text of ASCII alone folds to what `lower` makes of it.
      const [walked] = await read<{ looked: number; last: bigint | null; rows: string | null }>(
        `SELECT count(*)::int AS looked, ${up ? 'max' : 'min'}(id) AS last, json_agg(json_build_array(id::text, text)) FILTER (
           WHERE octet_length(text) <> length(text) OR strpos(lower(text COLLATE "C"), ${parameter(plan.given.length)}) > 0)::text AS rows
         FROM (${walkSql(list, plan, up, limit, `id, ${searched} AS text`)}) AS walked`,
        after,
        ...values,
        word,
      )
      return { looked: walked?.looked ?? 0, last: walked?.last ?? undefined, rows: walkedRows(walked?.rows ?? '[]') }
    },
    async end() {
      const [row] = await read<{ first: bigint | null; last: bigint | null }>(end)
      return { first: row?.first ?? undefined, last: row?.last ?? undefined }
    },
    async write(segment, terms, isLast) {
      const [row] = await background<{ written: boolean }>(
        `SELECT petstore_index_terms(${number}, ${FOLDING}, $1, $2::text::json, $3) AS written`,
        segment,
        jsonOf(terms),
        isLast,
      )
      return row?.written ?? false
    },
  }
}

/** Words have no character that an array's text would escape. */
export function arrayOf(words: readonly string[]): string {
  return `{${words.map((word) => `"${word}"`)}}`
}

export function jsonOf(terms: Iterable<readonly [string, Uint8Array]>): string {
  return JSON.stringify([...terms].map(([term, ids]) => ({ term, ids: Buffer.from(ids).toString('base64') })))
}
