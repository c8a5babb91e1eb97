// The lists of pets and of orders, as data that both stores build their pages from: which column each parameter of the contract narrows,
// and which index finds the rows.

import { HOLDING } from '../../domain/order-moves.ts'
import type { OrderFilter } from '../../domain/orders.ts'
import type { PetFilter } from '../../domain/pets.ts'
import type { AnyColumns } from './columns.ts'
import { HOLDS, ORDER_COLUMNS } from './order-columns.ts'
import { PET_COLUMNS } from './pet-columns.ts'

type Filters<Filter> = Exclude<keyof Filter & string, 'limit' | 'after'>

export interface List<Filter> {
  readonly table: 'pets' | 'orders'
  readonly columns: AnyColumns
  /** A column that the table does not have, as SQL. */
  readonly lookup: string | undefined
  /** The column that each parameter narrows the list by. */
  readonly filters: { readonly [Name in Filters<Filter>]-?: string }
  /** The first whose filter is given is used; without one, the rows are read by their ids. */
  readonly indexes: readonly Index<Filter>[]
}

/** An index on the filter's column, and the ids. */
export interface Index<Filter> {
  readonly name: string
  readonly filter: Filters<Filter>
  /** It has at most one row with a value of the column, where these conditions hold: of the filter, and in SQL. */
  readonly unique?: { readonly where: string; readonly fits: (filter: Filter) => boolean }
}

export const PETS: List<PetFilter> = {
  table: 'pets',
  columns: PET_COLUMNS,
  lookup: undefined,
  filters: { status: 'status' },
  indexes: [{ name: 'pets_by_status', filter: 'status' }],
}

export const ORDERS: List<OrderFilter> = {
  table: 'orders',
  columns: ORDER_COLUMNS,
  lookup: '(SELECT name FROM pets WHERE pets.id = pet_id) AS pet_name',
  filters: { status: 'status', petId: 'pet_id' },
  indexes: [
    {
      name: 'orders_that_hold',
      filter: 'petId',
      unique: { where: HOLDS, fits: ({ status }) => status !== undefined && HOLDING.includes(status) },
    },
    { name: 'orders_by_pet', filter: 'petId' },
    { name: 'orders_by_status', filter: 'status' },
  ],
}

export interface Plan<Filter> {
  /** The filters that are given, in the order of the list's table. */
  readonly given: readonly Filters<Filter>[]
  readonly index: Index<Filter> | undefined
}

export function planOf<Filter>({ filters, indexes }: List<Filter>, filter: Filter): Plan<Filter> {
  const given = (Object.keys(filters) as Filters<Filter>[]).filter((name) => filter[name] !== undefined)
  const index = indexes.find(({ filter: name, unique }) => given.includes(name) && (unique?.fits(filter) ?? true))
  return { given, index }
}

/** The rows of the list, as a table for FROM. `indexed`: what SQLite is told about the index. */
export function rowsOf({ table, lookup }: Pick<List<unknown>, 'table' | 'lookup'>, indexed = ''): string {
  if (lookup === undefined) return `${table}${indexed}`
  return `(SELECT ${table}.*, ${lookup} FROM ${table}${indexed}) AS ${table}`
}
