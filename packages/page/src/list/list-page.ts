// A page of a list, as it was read.

import type { Order, Pet } from '../../../client/src/petstore.ts'
import type { ListPosition } from './list-position.ts'

/** A row of a list: an animal or an order. */
export type Item = Pet | Order

/** A page of a list. */
export interface Page {
  position: ListPosition
  items: readonly Item[]
  /** The cursor of the next page; `undefined` on the last page. */
  next: string | undefined
  /** The cursor of the page before; `undefined` on the first page. */
  prev: string | undefined
}
