// The rows of a list, along the index that its filters choose: SQL that SQLite plans once. In it `?1` is the place where the walk begins, `?2` the
// limit, and the filters follow.

import { type List, type Plan, rowsOf } from '../shared/lists.ts'

/** A bare one, beside ORDER BY, would be a reason to plan the statement at every execution. */
export const parameter = (place: number) => `+?${place + 3}`

/** The rows above the place, or up to it, the nearest first. `columns`: the id, and others. */
export function walkSql<Filter>(list: List<Filter>, plan: Plan<Filter>, up: boolean, columns: string): string {
  const order = up ? 'ORDER BY id' : 'ORDER BY id DESC'
  const rows = rowsOf(list, indexed(plan))
  // Upwards an index gives that order by itself.
  const found = conditions(list, plan, up).map(
    (where) => `SELECT ${columns} FROM ${rows} WHERE ${where} ${plan.index && up ? '' : order} LIMIT +?2`,
  )
  if (found.length === 1) return `${found[0]}`
  return `${found.map((one) => `SELECT * FROM (${one})`).join(' UNION ALL ')} ${order} LIMIT +?2`
}

/** Whether there are rows on the other side of the place. It looks for the nearest, which the walk's page of the file may have. */
export function otherSide<Filter>(list: List<Filter>, plan: Plan<Filter>, up: boolean): string {
  const order = up ? 'ORDER BY id DESC' : 'ORDER BY id'
  return conditions(list, plan, !up)
    .map((where) => `EXISTS (SELECT 1 FROM ${list.table}${indexed(plan)} WHERE ${where} ${order})`)
    .join(' OR ')
}

/** One for each walk. */
function conditions<Filter>(list: List<Filter>, { given, index, walks }: Plan<Filter>, up: boolean): string[] {
  return walks.map((walk) => {
    const columns = walk.map(([column]) => column)
    const others = given.map((name, place) => [list.filters[name], parameter(place)] as const)
    const all = [...walk, ...others.filter(([column]) => !columns.includes(column))]
    const where = all.map(([column, value]) => `${column} = ${value}`)
    if (index?.unique) where.push(index.unique.where)
    return [...where, up ? 'id > ?1' : 'id <= ?1'].join(' AND ')
  })
}

function indexed({ index }: Plan<never>): string {
  return index ? ` INDEXED BY ${index.name}` : ' NOT INDEXED'
}
