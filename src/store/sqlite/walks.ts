// The rows of a list, along the index that its filters choose: SQL that SQLite plans once. In it `?1` is the place where the walk begins, `?2` the
// limit, and the filters follow.

import { type AnyFilter, type List, type Plan, planOf, rowsOf } from '../shared/lists.ts'
import type { Statements } from './statements.ts'

/** A bare one, beside ORDER BY, would be a reason to plan the statement at every execution. */
export const parameter = (place: number) => `+?${place + 3}`

/**
 * How to read a list. Its indexes have one column before the ids, and the other filters are looked at on the way. Of a category and a status, the
 * way goes along the status where that has fewer pets than are expected on the other way, until a page is full; so neither is long unless a
 * category and a status are both of many pets and have few in common.
 */
export function planner<Filter extends AnyFilter>(
  statements: Statements,
  list: List<Filter>,
): (filter: Filter) => Plan<Filter> {
  const indexes = list.indexes.map(({ second: _, ...index }) => index)
  const rareFirst = { ...list, indexes: indexes.toReversed() }
  const own = { ...list, indexes }
  const both = list.indexes.find(({ second }) => second)
  const isRare = statements.query<[bigint], [string, number]>(
    'SELECT pets * pets < ?2 * (SELECT sum(pets) FROM pet_counts) FROM pet_counts WHERE status = ?1',
  )
  return (filter) => {
    const [first, second] = [both?.filter, both?.second?.filter].map((name) => name && filter[name])
    const rare = first !== undefined && second !== undefined && isRare.values(`${second}`, filter.limit)[0]?.[0] === 1n
    return planOf(rare ? rareFirst : own, filter, parameter)
  }
}

/** The rows above the place, or up to it, the nearest first. `columns`: the id, and others. */
export function walkSql<Filter>(list: List<Filter>, plan: Plan<Filter>, up: boolean, columns: string): string {
  // Upwards an index gives that order by itself.
  const order = up ? (plan.index ? '' : 'ORDER BY id') : 'ORDER BY id DESC'
  return `SELECT ${columns} FROM ${rowsOf(list, indexed(plan))} WHERE ${condition(list, plan, up)} ${order} LIMIT +?2`
}

/** Whether there are rows on the other side of the place. It looks for the nearest, which the walk's page of the file may have. */
export function otherSide<Filter>(list: List<Filter>, plan: Plan<Filter>, up: boolean): string {
  const order = up ? 'ORDER BY id DESC' : 'ORDER BY id'
  return `EXISTS (SELECT 1 FROM ${list.table}${indexed(plan)} WHERE ${condition(list, plan, !up)} ${order})`
}

function condition<Filter>(list: List<Filter>, { given, index }: Plan<Filter>, up: boolean): string {
  const where = given.map((name, place) => `${list.filters[name]} = ${parameter(place)}`)
  if (index?.unique) where.push(index.unique.where)
  return [...where, up ? 'id > ?1' : 'id <= ?1'].join(' AND ')
}

function indexed({ index }: Plan<never>): string {
  return index ? ` INDEXED BY ${index.name}` : ' NOT INDEXED'
}
