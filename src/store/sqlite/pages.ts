// Pages of lists in SQLite, which writes the JSON of a page as one text. A statement is built for each combination of filters, in the
// order of the index that it names.

import type { ListFilter, Page } from '../../domain/lists.ts'
import { jsonObject } from '../shared/columns.ts'
import { type List, type Plan, planOf, rowsOf } from '../shared/lists.ts'
import { SQLITE_JSON } from './json.ts'
import type { Query, Statements } from './statements.ts'

type Value = bigint | number | string
/** The rows as JSON, separated by commas, and how many they are. */
type Rows = [json: string | null, count: bigint]

export function pages<Filter extends ListFilter<{ limit: number }>>(
  statements: Statements,
  list: List<Filter>,
): (filter: Filter) => Page {
  const json = jsonObject(list.columns, SQLITE_JSON)
  const built = new Map<string, Query<Rows, Value[]>>()
  const inRange = statements.query<Rows, [bigint, number]>(
    `SELECT group_concat(${json}) FILTER (WHERE id <= ?1 + ?2), count(*) FROM ${rowsOf(list)} WHERE id > ?1 AND id <= ?1 + ?2 + 1`,
  )

  function statementFor(plan: Plan<Filter>): Query<Rows, Value[]> {
    const name = `${plan.index?.name} ${plan.given}`
    const statement = built.get(name) ?? statements.query<Rows, Value[]>(sqlOf(plan))
    built.set(name, statement)
    return statement
  }

  function sqlOf({ given, index }: Plan<Filter>): string {
    const rows = rowsOf(list, index ? ` INDEXED BY ${index.name}` : ' NOT INDEXED')
    const conditions = given.map((name) => `${list.filters[name]} = ?`)
    if (index?.unique) conditions.push(index.unique.where)
    const where = [...conditions, 'id > ?'].join(' AND ')
    const order = index ? '' : 'ORDER BY id'
    return `SELECT group_concat(row), count(*) FROM (SELECT ${json} AS row FROM ${rows} WHERE ${where} ${order} LIMIT +?)`
  }

  return (filter) => {
    const { limit, after = 0n } = filter
    const plan = planOf(list, filter)
    if (plan.given.length === 0) {
      // Ids nearly always follow each other without a gap: where the next `limit` are all there, and one more, they are the page.
      const [rows, count] = inRange.values(after, limit)[0] as Rows
      if (count === BigInt(limit) + 1n) return { json: `[${rows}]`, next: after + BigInt(limit) }
    }
    const values = plan.given.map((name) => filter[name] as Value)
    return firstOf(statementFor(plan).values(...values, after, limit + 1)[0] as Rows, limit)
  }
}

const START = '{"id":'
/** What stands between two rows. No text contains it: inside a JSON string, the quotation mark is escaped. */
const BETWEEN = `},${START}`

/** The page of the first `limit` rows, of up to one more. */
function firstOf([rows, count]: Rows, limit: number): Page {
  const json = rows ?? ''
  if (count <= limit) return { json: `[${json}]`, next: undefined }
  const end = json.lastIndexOf(BETWEEN) + 1
  const last = json.lastIndexOf(START, end)
  return { json: `[${json.slice(0, end)}]`, next: BigInt(json.slice(last + START.length, json.indexOf(',', last))) }
}
