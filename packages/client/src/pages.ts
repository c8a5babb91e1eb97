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
  options: SendOptions,
): Promise<Page<Item>> {
  const { response, text } = await sender.send(operationId, `${path}?${queryOf(filter)}`, {}, options)
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
