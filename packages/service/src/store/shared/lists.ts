// The lists of pets and orders as data: which column each filter compares, and which index finds the rows. Both
// stores build their SQL from this data.

import { PET_STATUSES, type Sort } from '../../../../contract/src/generated.ts'
import { ASCENDS, type ListFilter, type Page } from '../../domain/lists.ts'
import { HOLDING } from '../../domain/order-transitions.ts'
import type { OrderFilter } from '../../domain/orders.ts'
import type { PetFilter } from '../../domain/pets.ts'
import { type AnyColumns, HOLDS, ORDER_COLUMNS, PET_COLUMNS } from './rows.ts'

/** The parameters that every list has. */
export type AnyFilter = ListFilter<{ limit: number; sort: Sort; search?: string }>

type Filters<Filter> = Exclude<keyof Filter & string, keyof AnyFilter>

export interface StoredList<Filter> {
  readonly table: 'pets' | 'orders'
  readonly columns: AnyColumns
  /** SQL that looks up a column of another table. */
  readonly lookup: string | undefined
  /** SQL of the text that a search matches. */
  readonly searched: string
  /** The column that each filter compares. Filters never match NULL. */
  readonly filters: { readonly [Name in Filters<Filter>]-?: string }
  /** The first index whose filter is given is used. If there is none, rows are read by id. */
  readonly indexes: readonly Index<Filter>[]
}

/** An index on a filter's column and the ids. */
export interface Index<Filter> {
  readonly name: string
  readonly filter: Filters<Filter>
  /**
   * A second column. PostgreSQL's index has it before the ids; SQLite has a separate index with both (see
   * page-queries.ts of each store).
   */
  readonly second?: { readonly filter: Filters<Filter>; readonly values: readonly string[] }
  /** The index has at most one row for a value, if the filter `fits` and the SQL condition `where` holds. */
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

/** The text that a search for an order matches, like `searched` of `ORDERS`. */
export const textOfOrder = (reference: string | null | undefined, petName: string) => `${reference ?? ''} ${petName}`

export const ORDERS: StoredList<OrderFilter> = {
  table: 'orders',
  columns: ORDER_COLUMNS,
  lookup: '(SELECT name FROM pets WHERE pets.id = pet_id) AS pet_name',
  searched: "concat(reference, ' ', pet_name)",
  filters: { status: 'status', petId: 'pet_id', petIds: 'pet_id' },
  indexes: [
    ...(['petId', 'petIds'] as const).flatMap((filter) => [
      {
        name: 'orders_that_hold',
        filter,
        unique: { where: HOLDS, fits: ({ status }: OrderFilter) => status !== undefined && HOLDING.includes(status) },
      },
      { name: 'orders_by_pet', filter },
    ]),
    { name: 'orders_by_status', filter: 'status' },
  ],
}

export interface Plan<Filter> {
  /** The filters that are given, in the order of `filters`. */
  readonly given: readonly Filters<Filter>[]
  readonly values: readonly (bigint | string)[]
  /**
   * The position of the filter with several values, or -1. The values are one text, separated by commas, so that there
   * is one statement for any number of them.
   */
  readonly many: number
  readonly index: Index<Filter> | undefined
}

export function planOf<Filter>({ filters, indexes }: StoredList<Filter>, filter: Filter): Plan<Filter> {
  const given = (Object.keys(filters) as Filters<Filter>[]).filter((name) => filter[name] !== undefined)
  const index = indexes.find(({ filter: name, unique }) => given.includes(name) && (unique?.fits(filter) ?? true))
  const values = given.map((name) => filter[name] as bigint | string | bigint[])
  const many = values.findIndex(Array.isArray)
  return { given, values: values.map((value) => (Array.isArray(value) ? value.join() : value)), many, index }
}

/**
 * Returns the conditions for the given filters, in order. `parameter` returns the SQL name of a filter's value by its
 * position, and `oneOf` the SQL that compares a column with several values.
 */
export function conditionsOf<Filter>(
  { filters }: StoredList<Filter>,
  { given, many }: Plan<Filter>,
  parameter: (place: number) => string,
  oneOf: (parameter: string) => string,
): string[] {
  return given.map((name, place) => {
    const value = parameter(place)
    return `${filters[name]} ${place === many ? oneOf(value) : `= ${value}`}`
  })
}

/** Returns the rows of the list as a table for FROM. `from` starts with the table, and can add more. */
export function rowsOf({ table, lookup }: Pick<StoredList<unknown>, 'table' | 'lookup'>, from: string = table): string {
  return lookup === undefined ? from : `(SELECT ${table}.*, ${lookup} FROM ${from}) AS ${table}`
}

/** Whether a page reads ids above `after`, lowest first; otherwise it reads ids up to `after`, highest first. */
export function goesUp({ sort, back }: Pick<AnyFilter, 'sort' | 'back'>): boolean {
  return ASCENDS[sort] !== back
}

/**
 * Returns where a walk through all ids starts: below the first id if it goes up, at the greatest possible id if it
 * goes down.
 */
export function boundOf(up: boolean): bigint {
  return up ? 0n : 2n ** 63n - 1n
}

/** The rows read for a page. */
export interface Found {
  /** JSON of up to `limit` rows, separated by commas, in list order. */
  readonly rows: string
  /** Ids of the first and last of these rows. */
  readonly first: bigint | undefined
  readonly last: bigint | undefined
  /**
   * `more`: there are more rows in the direction of reading. `beyond`: there are rows on the other side of the start.
   */
  readonly more: boolean
  readonly beyond: boolean
}

export function pageOf({ sort, back, after }: AnyFilter, { rows, first, last, more, beyond }: Found): Page {
  const [follows, precedes] = back ? [beyond, more] : [more, beyond]
  const before = (id: bigint | undefined) => (id === undefined ? after : id - 1n)
  return {
    json: `[${rows}]`,
    next: follows ? (ASCENDS[sort] ? (last ?? after) : before(last)) : undefined,
    prev: precedes ? (ASCENDS[sort] ? before(first) : (first ?? after)) : undefined,
  }
}

/** `rows`: up to `limit` + 1 rows, in the order in which they were read. */
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
