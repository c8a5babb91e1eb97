// Pages of lists in PostgreSQL: a statement for each combination of filters. The limit is part of it: with a parameter for it, PostgreSQL
// plans the statement anew at every execution, because a plan for any limit looks expensive. Planning takes a quarter of the time of a
// page, and a third with a status.

import type { ListFilter, Page } from '../../domain/lists.ts'
import { jsonObject } from '../shared/columns.ts'
import { type List, planOf, rowsOf } from '../shared/lists.ts'
import { POSTGRES_JSON } from './json.ts'
import type { Ask, Parameter } from './session.ts'

interface Row {
  id: bigint
  json: string
}

export function pages<Filter extends ListFilter<{ limit: number }>>(
  read: Ask,
  list: List<Filter>,
): (filter: Filter) => Promise<Page> {
  const select = `SELECT id, ${jsonObject(list.columns, POSTGRES_JSON)} AS json FROM ${rowsOf(list)}`

  return async (filter) => {
    const { limit, after = 0n } = filter
    const { given, index } = planOf(list, filter)
    const conditions = given.map((name, at) => {
      const column = list.filters[name]
      return name === index?.filter && !index.unique ? following(column, at + 2) : `${column} = $${at + 2}`
    })
    if (!index || index.unique) conditions.push('id > $1')
    if (index?.unique) conditions.push(index.unique.where)
    const column = index && list.filters[index.filter]
    // Of the one row of a unique index in the order of the ids, the planner would read all rows with the value, by another index.
    const order = index?.unique ? column : column ? `${column}, id` : 'id'
    const values = given.map((name) => filter[name] as Parameter)
    const sql = `${select} WHERE ${conditions.join(' AND ')} ORDER BY ${order} LIMIT ${limit + 1}`
    return pageOf(await read<Row>(sql, after, ...values), limit)
  }
}

/**
 * The condition for rows with the value of the parameter in `column`, behind the id `$1`. With `ORDER BY column, id` only the index on both
 * columns gives their order. For `column = $2 ORDER BY id` the planner may prefer the primary key, and so read all other rows that
 * are older: when every tenth pet is available, it expects one among the first ten.
 */
function following(column: string, parameter: number): string {
  return `(${column}, id) > ($${parameter}, $1) AND ${column} <= $${parameter}`
}

/** `rows`: up to one row more than `limit`. To read one text costs a tenth of reading a row as an object and writing it as JSON. */
function pageOf(rows: readonly Row[], limit: number): Page {
  const shown = rows.slice(0, limit)
  const json = `[${shown.map(({ json }) => json).join(',')}]`
  return { json, next: rows.length > limit ? shown.at(-1)?.id : undefined }
}
