// The rows of a list, along the index that its filters choose: SQL that SQLite plans once. In it `?1` is the place where the walk begins, `?2` the
// limit, and the filters follow.
//
// Where a page has both columns of an index as filters (a category with a status), the rows are found in an index of its own, with the ids in blocks:
// (block, first, second, id). There a pet whose status changes stays nearby. The gain: in an index of (first, second, id), an order would move it
// to another page of the file, which was half of what it cost. The price: a page that few pets are on looks into every block, for 25 ms with 10^7.
// Others see `walkSql` and `otherSide`.

import { conditionsOf, type Plan, rowsOf, type StoredList } from '../../shared/lists.ts'

/** A bare one, beside ORDER BY, would be a reason to plan the statement at every execution. */
export const parameter = (place: number) => `+?${place + 3}`

/** As in the index: a block has 2 048 ids. It takes 10 pages of the file, and 10^7 pets have 4 883 blocks, of 5 µs each to look into. */
const BLOCK_BITS = 11

/** The rows above the place, or up to it, the nearest first. `columns`: the id, and others. */
export function walkSql<Filter>(list: StoredList<Filter>, plan: Plan<Filter>, up: boolean, columns: string): string {
  if (hasBlocks(plan)) {
    const ids = idsInBlocks(list, plan, up, '+?2')
    return `SELECT ${columns} FROM (${ids}) CROSS JOIN ${rowsOf(list, ' NOT INDEXED')} WHERE id = found LIMIT +?2`
  }
  // Upwards an index gives that order by itself.
  const order = plan.index && up ? '' : nearestFirst(up)
  return `SELECT ${columns} FROM ${rowsOf(list, indexed(plan))} WHERE ${condition(list, plan, up)} ${order} LIMIT +?2`
}

/** Whether there are rows on the other side of the place. It looks for the nearest, which the walk's page of the file may have. */
export function otherSide<Filter>(list: StoredList<Filter>, plan: Plan<Filter>, up: boolean): string {
  if (hasBlocks(plan)) return `EXISTS (${idsInBlocks(list, plan, !up, '1')})`
  const rows = `${list.table}${indexed(plan)}`
  return `EXISTS (SELECT 1 FROM ${rows} WHERE ${condition(list, plan, !up)} ${nearestFirst(!up)})`
}

function hasBlocks<Filter>({ given, index }: Plan<Filter>): boolean {
  return index?.second !== undefined && given.includes(index.second.filter)
}

/** As `found`, the nearest first: in each block that has rows with the first filter, up to `limit` that have both. */
function idsInBlocks<Filter>(list: StoredList<Filter>, plan: Plan<Filter>, up: boolean, limit: string): string {
  const { table } = list
  const { given, index } = plan as Plan<Filter> & { index: object }
  const first = conditionsOf(list, plan, parameter)[given.indexOf(index.filter)]
  const block = (where: string) => `(SELECT id >> ${BLOCK_BITS} FROM ${table}${indexed(plan)}
    WHERE ${first} AND ${where} ${nearestFirst(up)} LIMIT 1)`
  // So written, the bounds of the last block of all do not overflow.
  const behind = up ? `id > (n << ${BLOCK_BITS} | ${2 ** BLOCK_BITS - 1})` : `id < n << ${BLOCK_BITS}`
  return `WITH RECURSIVE block (n) AS (
      SELECT ${block(place(up))} UNION ALL SELECT ${block(behind)} FROM block WHERE n IS NOT NULL)
    SELECT value AS found FROM block CROSS JOIN json_each((SELECT json_group_array(id) FROM (
      SELECT id FROM ${table} INDEXED BY ${index.name}_in_blocks
      WHERE id >> ${BLOCK_BITS} = n AND ${condition(list, plan, up)} ${nearestFirst(up)} LIMIT ${limit})))`
}

function condition<Filter>(list: StoredList<Filter>, plan: Plan<Filter>, up: boolean): string {
  const { index } = plan
  return [...conditionsOf(list, plan, parameter), ...(index?.unique ? [index.unique.where] : []), place(up)].join(
    ' AND ',
  )
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
