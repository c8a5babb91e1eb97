// The rows of a list, along the index that its filters choose: SQL that leaves PostgreSQL's planner no other way. In it `$1` is the place where the
// walk begins, and the filters follow.

import { PAGE_MAX } from '../../../../../contract/src/generated.ts'
import { conditionsOf, type Plan, rowsOf, type StoredList } from '../../shared/lists.ts'

export const parameter = (place: number) => `$${place + 2}`

/** The rows of a page with the default limit, and one more. */
const FEW = 21

/** The limit of a statement that is to give `wanted` rows. Each value makes another statement, so there are two. */
export function limitFor(wanted: number): number {
  return wanted <= FEW ? FEW : Math.max(wanted, PAGE_MAX + 1)
}

/**
 * The first rows of a walk with the limit of `limitFor`; `wanted` is a parameter. PostgreSQL would expect many rows from a walk with a
 * parameter as its only limit, and so plan it at every execution. Here it expects a tenth of the other limit, and keeps the plan.
 */
export function firstOf(rows: string, wanted: string): string {
  return `SELECT * FROM (${rows}) AS rows LIMIT ${wanted}::bigint`
}

/** The columns of the index before the ids, each with its value in SQL. */
type Walk = (readonly [column: string, value: string])[]

/** The rows above the place, or up to it, the nearest first. `columns`: the id, and others. */
export function walkSql<Filter>(
  list: StoredList<Filter>,
  plan: Plan<Filter>,
  up: boolean,
  limit: number,
  columns: string,
): string {
  const parts = walksOf(list, plan, up, limit).map((walk) => `SELECT ${columns} FROM ${rowsOf(list)} WHERE ${walk}`)
  if (parts.length === 1) return `${parts[0]}`
  const together = parts.map((part) => `SELECT * FROM (${part}) AS part`).join(' UNION ALL ')
  return `${together} ORDER BY id${up ? '' : ' DESC'} LIMIT ${limit}`
}

/** The page is all of them together: where the filter of the index's second column is not given, there is one for each of its values. */
function walksAlong<Filter>({ filters }: StoredList<Filter>, { given, index }: Plan<Filter>): Walk[] {
  if (!index) return [[]]
  const { filter, second } = index
  const first = [filters[filter], parameter(given.indexOf(filter))] as const
  if (!second) return [[first]]
  const place = given.indexOf(second.filter)
  const values = place < 0 ? second.values.map((value) => `'${value}'`) : [parameter(place)]
  return values.map((value) => [first, [filters[second.filter], value]])
}

/** Conditions, order and limit, for each walk, of the rows above the place or up to it. */
function walksOf<Filter>(list: StoredList<Filter>, plan: Plan<Filter>, up: boolean, limit: number): string[] {
  const { given, index } = plan
  const walked = [index?.filter, index?.second?.filter]
  const direction = up ? '' : ' DESC'
  return walksAlong(list, plan).map((walk) => {
    const columns = walk.map(([column]) => column)
    const where = conditionsOf(list, plan, parameter).filter((_, place) => !walked.includes(given[place]))
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
function along(walk: Walk, up: boolean): string {
  const columns = walk.map(([column]) => column)
  const values = walk.map(([, value]) => value)
  const [on, end] = up ? ['>', '<='] : ['<=', '>=']
  return `(${[...columns, 'id']}) ${on} (${[...values, '$1']}) AND (${columns}) ${end} (${values})`
}
