// SQL for the rows of a list, written so that PostgreSQL's planner can only use the index that the filters select.
// `$1` is the start of the walk; the filters follow.

import { PAGE_MAX } from '../../../../../contract/src/generated.ts'
import { conditionsOf, type Plan, rowsOf, type StoredList } from '../../shared/lists.ts'

export const parameter = (place: number) => `$${place + 2}`

/** The rows of a page with the default limit, plus one. */
const FEW = 21

/**
 * Returns the limit for a statement that must return `wanted` rows. There are two limits, because each is another
 * statement.
 */
export function limitFor(wanted: number): number {
  return wanted <= FEW ? FEW : Math.max(wanted, PAGE_MAX + 1)
}

/**
 * Takes the first `wanted` rows (a parameter) of a walk with the limit of `limitFor`. With a parameter as its only
 * limit, PostgreSQL would expect many rows and plan the walk at every execution. With both it expects a tenth of the
 * walk's limit and keeps the plan.
 */
export function firstOf(rows: string, wanted: string): string {
  return `SELECT * FROM (${rows}) AS rows LIMIT ${wanted}::bigint`
}

/** Returns the conditions for the given filters. */
export function conditions<Filter>(list: StoredList<Filter>, plan: Plan<Filter>): string[] {
  return conditionsOf(list, plan, parameter, (ids) => `= ANY (${idsIn(ids)})`)
}

/** Returns the array of a comma-separated parameter. */
function idsIn(values: string): string {
  return `string_to_array(${values}::text, ',')::bigint[]`
}

/** The index columns before the ids, each with its value in SQL. */
type Walk = (readonly [column: string, value: string])[]

/** Selects `columns` (the id first) of the rows above the start, or up to it, nearest first. */
export function walkSql<Filter>(
  list: StoredList<Filter>,
  plan: Plan<Filter>,
  up: boolean,
  limit: number,
  columns: string,
): string {
  const walks = walksOf(list, plan, up, limit)
  if (plan.many >= 0) {
    const wanted = `unnest(${idsIn(parameter(plan.many))}) AS wanted`
    const rows = `(SELECT * FROM ${list.table} WHERE ${walks[0]}) AS ${list.table}`
    return `SELECT ${columns} FROM ${rowsOf(list, `${wanted} CROSS JOIN LATERAL ${rows}`)}
      ORDER BY id${up ? '' : ' DESC'} LIMIT ${limit}`
  }
  const parts = walks.map((walk) => `SELECT ${columns} FROM ${rowsOf(list)} WHERE ${walk}`)
  if (parts.length === 1) return `${parts[0]}`
  const together = parts.map((part) => `SELECT * FROM (${part}) AS part`).join(' UNION ALL ')
  return `${together} ORDER BY id${up ? '' : ' DESC'} LIMIT ${limit}`
}

/**
 * Returns one walk for each value of the index's second column if its filter is not given; together they are the page.
 */
function walksAlong<Filter>({ filters }: StoredList<Filter>, { given, many, index }: Plan<Filter>): Walk[] {
  if (!index) return [[]]
  const { filter, second } = index
  const at = given.indexOf(filter)
  const first = [filters[filter], at === many ? 'wanted' : parameter(at)] as const
  if (!second) return [[first]]
  const place = given.indexOf(second.filter)
  const values = place < 0 ? second.values.map((value) => `'${value}'`) : [parameter(place)]
  return values.map((value) => [first, [filters[second.filter], value]])
}

/** Returns conditions, order and limit of each walk. */
function walksOf<Filter>(list: StoredList<Filter>, plan: Plan<Filter>, up: boolean, limit: number): string[] {
  const { given, index } = plan
  const walked = [index?.filter, index?.second?.filter]
  const direction = up ? '' : ' DESC'
  return walksAlong(list, plan).map((walk) => {
    const columns = walk.map(([column]) => column)
    const where = conditions(list, plan).filter((_, place) => !walked.includes(given[place]))
    if (index?.unique) where.push(walk.map(([column, value]) => `${column} = ${value}`).join(), index.unique.where)
    where.push(index && !index.unique ? along(walk, up) : `id ${up ? '>' : '<='} $1`)
    // If the index is unique, ORDER BY id would make the planner use another one and read all rows with the value.
    const order = index?.unique ? columns : [...columns, 'id']
    return `${where.join(' AND ')} ORDER BY ${order.map((column) => column + direction).join(', ')} LIMIT ${limit}`
  })
}

/**
 * The condition for rows with these values above the id `$1`, or up to it. With `ORDER BY column, id` only the index
 * on both columns gives the order. For `column = $2 ORDER BY id` the planner can prefer the primary key and read all
 * older rows: if every tenth pet is available, it expects one among the first ten.
 */
function along(walk: Walk, up: boolean): string {
  const columns = walk.map(([column]) => column)
  const values = walk.map(([, value]) => value)
  const [on, end] = up ? ['>', '<='] : ['<=', '>=']
  return `(${[...columns, 'id']}) ${on} (${[...values, '$1']}) AND (${columns}) ${end} (${values})`
}
