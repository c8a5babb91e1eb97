// Pages of lists in PostgreSQL: a statement for each combination of filters. The limit is part of it: with a parameter for it, PostgreSQL
// plans the statement anew at every execution, because a plan for any limit looks expensive. Planning takes a quarter of the time of a
// page, and a third with a status.

import type { Page } from '../../domain/lists.ts'
import { jsonObject } from '../shared/columns.ts'
import { type AnyFilter, goesUp, type List, type Plan, pageOf, planOf, rowsOf, startOf } from '../shared/lists.ts'
import { POSTGRES_JSON } from './json.ts'
import type { Ask, Parameter } from './session.ts'

/** Without an id: there are rows on the other side of the place. */
interface Row {
  id: bigint | null
  json: string
}

/** `$1` is the place. */
const parameter = (place: number) => `$${place + 2}`

export function pages<Filter extends AnyFilter>(read: Ask, list: List<Filter>): (filter: Filter) => Promise<Page> {
  const select = `SELECT id, ${jsonObject(list.columns, POSTGRES_JSON)} AS json FROM ${rowsOf(list)}`

  return async (filter) => {
    const { limit, after } = filter
    const plan = planOf(list, filter, parameter)
    const up = goesUp(filter)
    const order = up ? 'id' : 'id DESC'
    const parts = walksOf(list, plan, up, limit + 1).map((walk) => `${select} WHERE ${walk}`)
    const found = parts.length === 1 ? parts[0] : `${together(parts)} ORDER BY ${order} LIMIT ${limit + 1}`
    const others = walksOf(list, plan, !up, 1).map((walk) => `SELECT id FROM ${list.table} WHERE ${walk}`)
    // Nothing is before the start of a list.
    const sql =
      after === undefined
        ? `${found}`
        : `${together([`${found}`])} UNION ALL
      SELECT NULL, NULL WHERE EXISTS (${together(others)})`
    const values = plan.given.map((name) => filter[name] as Parameter)
    return pageOf(filter, foundIn(await read<Row>(sql, after ?? startOf(up), ...values), filter))
  }
}

function together(parts: readonly string[]): string {
  return parts.map((part) => `SELECT * FROM (${part}) AS part`).join(' UNION ALL ')
}

/** Conditions, order and limit, for each walk, of the rows above the place or up to it. */
function walksOf<Filter extends AnyFilter>(
  list: List<Filter>,
  plan: Plan<Filter>,
  up: boolean,
  limit: number,
): string[] {
  const { given, index, walks } = plan
  const direction = up ? '' : ' DESC'
  return walks.map((walk) => {
    const columns = walk.map(([column]) => column)
    const others = given.map((name, place) => [list.filters[name], parameter(place)] as const)
    const where = others
      .filter(([column]) => !columns.includes(column))
      .map(([column, value]) => `${column} = ${value}`)
    if (index?.unique) where.push(walk.map(([column, value]) => `${column} = ${value}`).join(), index.unique.where)
    where.push(index && !index.unique ? along(walk, up) : `id ${up ? '>' : '<='} $1`)
    // Of the one row of a unique index in the order of the ids, the planner would read all rows with the value, by another index.
    const order = index?.unique ? columns : [...columns, 'id']
    return `${where.join(' AND ')} ORDER BY ${order.map((column) => column + direction).join(', ')} LIMIT ${limit}`
  })
}

/**
 * The condition for rows with these values in these columns, above the id `$1` or up to it. With `ORDER BY column, id` only the index on
 * both columns gives their order. For `column = $2 ORDER BY id` the planner may prefer the primary key, and so read all other rows that
 * are older: when every tenth pet is available, it expects one among the first ten.
 */
function along(walk: Plan<never>['walks'][number], up: boolean): string {
  const columns = walk.map(([column]) => column)
  const values = walk.map(([, value]) => value)
  const [on, end] = up ? ['>', '<='] : ['<=', '>=']
  return `(${[...columns, 'id']}) ${on} (${[...values, '$1']}) AND (${columns}) ${end} (${values})`
}

/** `rows`: up to one row more than `limit`, the nearest first. To read one text costs a tenth of reading a row as an object and writing it. */
function foundIn(rows: readonly Row[], { limit, back }: AnyFilter) {
  const read = rows.filter(({ id }) => id !== null)
  const shown = read.slice(0, limit)
  if (back) shown.reverse()
  return {
    rows: shown.map(({ json }) => json).join(','),
    first: shown[0]?.id ?? undefined,
    last: shown.at(-1)?.id ?? undefined,
    more: read.length > limit,
    beyond: read.length < rows.length,
  }
}
