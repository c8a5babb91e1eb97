// The lists of pets and of orders, as data that both stores build their pages from: which column each parameter of the contract narrows,
// and which index finds the rows; and what a page tells about the rows that were read for it.

import { PET_STATUSES, type Sort } from '../../../../contract/src/generated.ts'
import type { ListFilter, Page } from '../../domain/lists.ts'
import { HOLDING } from '../../domain/order-transitions.ts'
import type { OrderFilter } from '../../domain/orders.ts'
import type { PetFilter } from '../../domain/pets.ts'
import type { AnyColumns } from './columns.ts'
import { HOLDS, ORDER_COLUMNS, PET_COLUMNS } from './pet-and-order-columns.ts'

/** The parameters of every list. */
export type AnyFilter = ListFilter<{ limit: number; sort: Sort; search?: string }>

type Filters<Filter> = Exclude<keyof Filter & string, keyof AnyFilter>

export interface StoredList<Filter> {
  readonly table: 'pets' | 'orders'
  readonly columns: AnyColumns
  /** A column that the table does not have, as SQL. */
  readonly lookup: string | undefined
  /** The text that a search looks through, as SQL. */
  readonly searched: string
  /** The column whose value each parameter gives; NULL has none. */
  readonly filters: { readonly [Name in Filters<Filter>]-?: string }
  /** The first whose filter is given is used; without one, the rows are read by their ids. */
  readonly indexes: readonly Index<Filter>[]
}

/** An index on the column of a filter for one value, and the ids. */
export interface Index<Filter> {
  readonly name: string
  readonly filter: Filters<Filter>
  /** A second column. PostgreSQL's index has it before the ids; SQLite has another index, with both (each in its page-queries.ts). */
  readonly second?: { readonly filter: Filters<Filter>; readonly values: readonly string[] }
  /** It has at most one row with a value of the column, where these conditions hold: of the filter, and in SQL. */
  readonly unique?: { readonly where: string; readonly fits: (filter: Filter) => boolean }
}

export const PETS: StoredList<PetFilter> = {
  table: 'pets',
  columns: PET_COLUMNS,
  lookup: undefined,
  searched: 'name',
  filters: { status: 'status', categoryId: 'category_id' },
  indexes: [
    { name: 'pets_by_category', filter: 'categoryId', second: { filter: 'status', values: PET_STATUSES } },
    { name: 'pets_by_status', filter: 'status' },
  ],
}

export const ORDERS: StoredList<OrderFilter> = {
  table: 'orders',
  columns: ORDER_COLUMNS,
  lookup: '(SELECT name FROM pets WHERE pets.id = pet_id) AS pet_name',
  searched: "concat(reference, ' ', pet_name)",
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

export function planOf<Filter>({ filters, indexes }: StoredList<Filter>, filter: Filter): Plan<Filter> {
  const given = (Object.keys(filters) as Filters<Filter>[]).filter((name) => filter[name] !== undefined)
  const index = indexes.find(({ filter: name, unique }) => given.includes(name) && (unique?.fits(filter) ?? true))
  return { given, index }
}

/** The conditions of the filters that are given, in their order. `parameter`: the name of a filter's value in SQL, by its place. */
export function conditionsOf<Filter>(
  { filters }: StoredList<Filter>,
  { given }: Plan<Filter>,
  parameter: (place: number) => string,
): string[] {
  return given.map((name, place) => `${filters[name]} = ${parameter(place)}`)
}

/** The rows of the list, as a table for FROM. `indexed`: what SQLite is to do with an index. */
export function rowsOf({ table, lookup }: Pick<StoredList<unknown>, 'table' | 'lookup'>, indexed = ''): string {
  if (lookup === undefined) return `${table}${indexed}`
  return `(SELECT ${table}.*, ${lookup} FROM ${table}${indexed}) AS ${table}`
}

/** Whether the rows of a page are those above `after`, the lowest first; otherwise they are those up to it, the highest first. */
export function goesUp({ sort, back }: Pick<AnyFilter, 'sort' | 'back'>): boolean {
  return (sort === 'oldest') !== back
}

/** The exclusive bound from which a walk sees all ids: below the first id if it goes up, above the last one if it goes down. */
export function boundOf(up: boolean): bigint {
  return up ? 0n : 2n ** 63n - 1n
}

/** What was read for a page. */
export interface Found {
  /** The JSON of up to `limit` rows, separated by commas, in the order of the list. */
  readonly rows: string
  /** The ids of the first and the last of them. */
  readonly first: bigint | undefined
  readonly last: bigint | undefined
  /** Whether the way on from the place has more rows, and whether there are any on its other side. */
  readonly more: boolean
  readonly beyond: boolean
}

export function pageOf({ sort, back, after }: AnyFilter, { rows, first, last, more, beyond }: Found): Page {
  const [follows, precedes] = back ? [beyond, more] : [more, beyond]
  const before = (id: bigint | undefined) => (id === undefined ? after : id - 1n)
  return {
    json: `[${rows}]`,
    next: follows ? (sort === 'oldest' ? (last ?? after) : before(last)) : undefined,
    prev: precedes ? (sort === 'oldest' ? before(first) : (first ?? after)) : undefined,
  }
}

/** `rows`: up to one row more than `limit`, the nearest first. */
export function pageOfRows(
  filter: AnyFilter,
  rows: readonly { readonly id: bigint; readonly json: string }[],
  beyond: boolean,
): Page {
  const shown = rows.slice(0, filter.limit)
  if (filter.back) shown.reverse()
  const json = shown.map((row) => row.json).join(',')
  return pageOf(filter, {
    rows: json,
    first: shown[0]?.id,
    last: shown.at(-1)?.id,
    more: rows.length > filter.limit,
    beyond,
  })
}
