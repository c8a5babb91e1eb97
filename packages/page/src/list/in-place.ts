// Keeps rows in place, so that no row moves just before a person presses it. Changes within a row show immediately;
// changes that would move rows, such as new or filtered-out rows, wait until the person asks for them.

import { useReducer, useState } from 'preact/hooks'
import type { Event, Pet } from '../../../client/src/petstore.ts'
import { type Feed, useEvents } from '../live/feed.ts'
import type { Item, Page } from './list-position.ts'

/** Does not use Preact, so tests can call it directly. */
export class RowsInPlace {
  page: Page | undefined
  /** Deleted animals whose rows are still shown. */
  deleted: ReadonlySet<bigint> = new Set()
  #read: Page | undefined
  #covered = false
  #follows = false
  /** The last event of each animal or order since its list was opened. */
  readonly #told = new Map<bigint, Event>()

  /** `covered`: another view hides the rows. */
  update(read: Page | undefined, covered: boolean): void {
    if (!read || (read === this.#read && covered === this.#covered)) return
    if (read.position.view !== this.#read?.position.view) this.#told.clear()
    const before = covered || this.#follows ? undefined : this.page
    this.page = before?.position === read.position ? inPlace(before, read, this.#told) : read
    this.#read = read
    this.#covered = covered
    this.#follows = false
  }

  hear(events: readonly Event[]): void {
    const isOrders = this.#read?.position.view === 'orders'
    for (const event of events) this.#told.set(isOrders ? (event.orderId ?? 0n) : event.petId, event)
    const gone = events.filter(({ type }) => type === 'pet.deleted').map(({ petId }) => petId)
    this.deleted = new Set([...this.deleted, ...gone])
  }

  /** Whether rows would move. */
  get waiting(): boolean {
    const read = this.#read && { ...this.#read, items: this.#read.items.filter(({ id }) => !this.deleted.has(id)) }
    return read !== undefined && this.page?.position === read.position && isMoved(this.page, read)
  }

  /** Shows the waiting changes. With `next`, also shows the next page that is read. */
  show(next: boolean): void {
    this.#follows = next
    this.page = this.#read
  }

  /** Removes the row of an animal that the person deleted. */
  remove(petId: bigint): void {
    this.deleted = new Set([...this.deleted, petId])
    this.page = this.page && { ...this.page, items: this.page.items.filter(({ id }) => id !== petId) }
  }
}

export interface InPlace extends Pick<RowsInPlace, 'page' | 'waiting' | 'deleted' | 'remove'> {
  show: (next?: boolean) => void
}

export function useInPlace(read: Page | undefined, feed: Feed, covered: boolean): InPlace {
  const [, render] = useReducer((count: number) => count + 1, 0)
  const [rows] = useState(() => new RowsInPlace())
  // Updated during rendering, so that new rows need no second rendering.
  rows.update(read, covered)
  function change(act: () => void): void {
    act()
    render(undefined)
  }
  useEvents(feed, (events) => change(() => rows.hear(events)))
  const { page, waiting, deleted } = rows
  const show = (next = false) => change(() => rows.show(next))
  return { page, waiting, deleted, show, remove: (petId) => change(() => rows.remove(petId)) }
}

function inPlace(before: Page, read: Page, told: ReadonlyMap<bigint, Event>): Page {
  if (!isMoved(before, read)) return read
  const now = new Map(read.items.map((item) => [item.id, item]))
  return { ...before, items: before.items.map((item) => now.get(item.id) ?? itemAfter(item, told.get(item.id))) }
}

function isMoved(before: Page, read: Page): boolean {
  return before.items.some(({ id }, at) => read.items[at]?.id !== id)
}

/** A row that is no longer in the list, updated from its last event. */
function itemAfter(item: Item, event: Event | undefined): Item {
  if (!event) return item
  if (!('petId' in item)) return petAfter(item, event)
  return event.orderStatus ? { ...item, status: event.orderStatus, changedAt: event.at } : item
}

function petAfter(one: Pet, { pet, petStatus = one.status }: Event): Pet {
  return { ...one, ...pet, status: petStatus }
}
