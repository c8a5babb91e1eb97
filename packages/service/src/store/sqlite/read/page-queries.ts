// SQL for the rows of a list, using the index that its filters select, which SQLite plans once. `?1` is the start of
// the walk, `?2` the limit; the filters follow.
//
// A page with filters for both columns of an index (category and status) uses a second index with ids in blocks:
// (block, first, second, id). In it, a pet whose status changes moves only a short way; in an index on (first, second,
// id) an order would move it to another page of the file, which was half the cost of the order. In return, a page with
// few pets looks into every block, which takes 25 ms with 10^7 pets.

import { conditionsOf, type Plan, rowsOf, type StoredList } from '../../shared/lists.ts'

/** A bare parameter next to ORDER BY would make SQLite plan the statement at every execution. */
export const parameter = (place: number) => `+?${place + 3}`

/**
 * As in the index: a block has 2,048 ids and takes 10 pages of the file. 10^7 pets have 4,883 blocks, and looking into
 * one takes 5 µs.
 */
const BLOCK_BITS = 11

/** Returns the conditions for the given filters. */
export function conditions<Filter>(list: StoredList<Filter>, plan: Plan<Filter>): string[] {
  return conditionsOf(list, plan, parameter, (ids) => `IN (${each(ids)})`)
}

/** Selects `columns` (the id first) of the rows above the start, or up to it, nearest first. */
export function walkSql<Filter>(list: StoredList<Filter>, plan: Plan<Filter>, up: boolean, columns: string): string {
  const ids = hasBlocks(plan) ? idsInBlocks(list, plan, up, '+?2') : idsOfEach(list, plan, up)
  if (ids) {
    return `SELECT ${columns} FROM (${ids}) CROSS JOIN ${rowsOf(list, `${list.table} NOT INDEXED`)} WHERE id = found LIMIT +?2`
  }
  // Upwards the index already has this order.
  const order = plan.index && up ? '' : nearestFirst(up)
  return `SELECT ${columns} FROM ${rowsOf(list, list.table + indexed(plan))} WHERE ${condition(list, plan, up)} ${order} LIMIT +?2`
}

/**
 * Whether there are rows on the other side of the start. Looks for the nearest row, which is often in the page of the
 * file that the walk reads.
 */
export function otherSide<Filter>(list: StoredList<Filter>, plan: Plan<Filter>, up: boolean): string {
  if (hasBlocks(plan)) return `EXISTS (${idsInBlocks(list, plan, !up, '1')})`
  const rows = `${list.table}${indexed(plan)}`
  const wanted = wantedIn(plan)
  if (wanted) return `EXISTS (SELECT 1 FROM ${wanted} CROSS JOIN ${rows} WHERE ${condition(list, plan, !up)})`
  return `EXISTS (SELECT 1 FROM ${rows} WHERE ${condition(list, plan, !up)} ${nearestFirst(!up)})`
}

/** Returns a table of the filter's values, or `undefined` without a filter with several values. */
function wantedIn({ many }: Plan<never>): string | undefined {
  return many < 0 ? undefined : `(${each(parameter(many))}) AS wanted`
}

/** Selects the integers of a comma-separated parameter. */
function each(values: string): string {
  return `SELECT value FROM json_each('[' || ${values} || ']')`
}

/** Selects ids as `found`, nearest first: up to the limit for each value of the filter with several values. */
function idsOfEach<Filter>(list: StoredList<Filter>, plan: Plan<Filter>, up: boolean): string | undefined {
  const wanted = wantedIn(plan)
  return (
    wanted &&
    `SELECT row.value AS found FROM ${wanted} CROSS JOIN json_each((SELECT json_group_array(id) FROM (
      SELECT id FROM ${list.table}${indexed(plan)} WHERE ${condition(list, plan, up)} ${nearestFirst(up)} LIMIT +?2
    ))) AS row ORDER BY found ${up ? '' : 'DESC'} LIMIT +?2`
  )
}

function hasBlocks<Filter>({ given, index }: Plan<Filter>): boolean {
  return index?.second !== undefined && given.includes(index.second.filter)
}

/**
 * Selects ids as `found`, nearest first: in each block with rows for the first filter, up to `limit` rows that match
 * both.
 */
function idsInBlocks<Filter>(list: StoredList<Filter>, plan: Plan<Filter>, up: boolean, limit: string): string {
  const { table } = list
  const { given, index } = plan as Plan<Filter> & { index: object }
  const first = conditions(list, plan)[given.indexOf(index.filter)]
  const block = (where: string) => `(SELECT id >> ${BLOCK_BITS} FROM ${table}${indexed(plan)}
    WHERE ${first} AND ${where} ${nearestFirst(up)} LIMIT 1)`
  // Written this way, the bounds of the very last block do not overflow.
  const behind = up ? `id > (n << ${BLOCK_BITS} | ${2 ** BLOCK_BITS - 1})` : `id < n << ${BLOCK_BITS}`
  return `WITH RECURSIVE block (n) AS (
      SELECT ${block(place(up))} UNION ALL SELECT ${block(behind)} FROM block WHERE n IS NOT NULL)
    SELECT value AS found FROM block CROSS JOIN json_each((SELECT json_group_array(id) FROM (
      SELECT id FROM ${table} INDEXED BY ${index.name}_in_blocks
      WHERE id >> ${BLOCK_BITS} = n AND ${condition(list, plan, up)} ${nearestFirst(up)} LIMIT ${limit})))`
}

function condition<Filter>(list: StoredList<Filter>, plan: Plan<Filter>, up: boolean): string {
  const unique = plan.index?.unique ? [plan.index.unique.where] : []
  return [...conditionsOf(list, plan, parameter, () => '= wanted.value'), ...unique, place(up)].join(' AND ')
}

function place(up: boolean): string {
  return up ? 'id > ?1' : 'id <= ?1'
}

function nearestFirst(up: boolean): string {
  return up ? 'ORDER BY id' : 'ORDER BY id DESC'
}

function indexed({ index }: Plan<never>): string {
  return index ? ` INDEXED BY ${index.name}` : ' NOT INDEXED'
}
