// One page of a list, and the cursors of the pages around it.

import type { Json } from '../../contract/src/json.ts'
import { arrayOf, cursorTo, readJson } from './responses.ts'
import type { Sender, SendOptions } from './sender.ts'

export interface Cursors {
  /** The cursor of the next page; `undefined` on the last page. */
  next: string | undefined
  /** The cursor of the previous page; `undefined` on the first page. */
  prev: string | undefined
}

export interface TotalOptions {
  /**
   * Needs `categoryId`, without `search`. Called with the number of items on all pages; `more`: there are more, which
   * were not counted. Services before 2.0.0 do not count.
   */
  onTotal?: ((total: number, more: boolean) => void) | undefined
}

interface Page<Item> extends Cursors {
  items: Item[]
}

export interface List<Item> {
  operationId: string
  path: string
  toItem(json: Json): Item
}

/** Rejects as `Sender.send`. */
export async function readPage<Item>(
  sender: Sender,
  { operationId, path, toItem }: List<Item>,
  filter: object,
  { onTotal, ...options }: SendOptions & TotalOptions,
): Promise<Page<Item>> {
  const query = queryOf({ ...filter, count: onTotal && true })
  const { response, text, headers } = await sender.send(operationId, `${path}?${query}`, {}, options)
  const [, total, more] = /^(\d+)(\+?)$/.exec(headers.get('X-Total-Count') ?? '') ?? []
  if (total !== undefined) onTotal?.(Number(total), more === '+')
  const items = readJson(response, text, arrayOf(toItem))
  return { items, next: cursorTo('next', response), prev: cursorTo('prev', response) }
}

/** Leaves out undefined values, and repeats the name for each item of an array. */
export function queryOf(filter: object): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filter)) {
    for (const one of [value ?? []].flat()) query.append(name, String(one))
  }
  return query
}
