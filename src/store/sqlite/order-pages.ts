// Pages of orders in SQLite, each in the order of the index that it names.

import type { OrderFilter, OrderStatus } from '../../domain/orders.ts'
import type { Page } from '../../domain/pets.ts'
import { jsonObject } from '../shared/columns.ts'
import { HOLDS, holds, ORDER_COLUMNS } from '../shared/order-columns.ts'
import { type PageRow, pageOf } from '../shared/page.ts'
import { SQLITE_JSON } from './json.ts'
import type { Statements } from './statements.ts'

/** The orders with the names of their pets. `orders`: the table, and which index is used where that must be said. */
export function withPetNames(orders = 'orders'): string {
  return `(SELECT orders.*, (SELECT name FROM pets WHERE pets.id = pet_id) AS pet_name FROM ${orders})`
}

const JSON_OF_ORDER = jsonObject(ORDER_COLUMNS, SQLITE_JSON)

export function orderPages(statements: Statements): (filter: OrderFilter) => Page {
  const page = <Params extends (bigint | number | string)[]>(order: string, condition: string) =>
    statements.query<PageRow, Params>(
      `SELECT id, ${JSON_OF_ORDER} FROM ${withPetNames(`orders ${order}`)} WHERE ${condition} id > ? LIMIT +?`,
    )
  const all = page<[bigint, number]>('NOT INDEXED', '')
  const byStatus = page<[OrderStatus, bigint, number]>('INDEXED BY orders_by_status', 'status = ? AND')
  const byPet = page<[bigint, bigint, number]>('INDEXED BY orders_by_pet', 'pet_id = ? AND')
  const byPetAndStatus = page<[bigint, OrderStatus, bigint, number]>(
    'INDEXED BY orders_by_pet',
    'pet_id = ? AND status = ? AND',
  )
  const thatHolds = page<[bigint, OrderStatus, bigint, number]>(
    'INDEXED BY orders_that_hold',
    `pet_id = ? AND status = ? AND ${HOLDS} AND`,
  )

  function rows({ status, petId, after = 0n }: OrderFilter, most: number): PageRow[] {
    if (petId === undefined)
      return status === undefined ? all.values(after, most) : byStatus.values(status, after, most)
    if (status === undefined) return byPet.values(petId, after, most)
    return (holds(status) ? thatHolds : byPetAndStatus).values(petId, status, after, most)
  }

  return (filter) => pageOf(rows(filter, filter.limit + 1), filter.limit)
}
