// Rows stay where they are while somebody may be about to press one. What has changed in a row is shown there; what would move the rows, such
// as new ones before them or one that the filter no longer finds, waits until somebody asks for it.

import { useReducer, useState } from 'preact/hooks'
import type { Event, Pet } from '../../../client/src/petstore.ts'
import { type Feed, useEvents } from '../live/feed.ts'
import { number } from '../phrases.ts'
import type { Item, Page } from './list-position.ts'

/** Without Preact, so that tests call it as it is. */
export class RowsInPlace {
  /** With the rows where they were. */
  page: Page | undefined
  /** Rows that are there still, though they were deleted. */
  deleted: ReadonlySet<bigint> = new Set()
  #read: Page | undefined
  #covered = false
  #follows = false
  /** The last event of each animal or order, while its list is shown. */
  readonly #told = new Map<bigint, Event>()

  /** `covered`: the rows are not on the screen. */
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

  /** What waits to be shown, in words; empty if nothing does. */
  get waiting(): string {
    const read = this.#read && { ...this.#read, items: this.#read.items.filter(({ id }) => !this.deleted.has(id)) }
    return read && this.page?.position === read.position ? difference(this.page, read) : ''
  }

  /** Shows what waits; with `next` also what is read next. */
  show(next: boolean): void {
    this.#follows = next
    this.page = this.#read
  }

  /** The person has deleted this one: its row goes at once. */
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
  // While rendering, so that the rows come in the same rendering in which they were read.
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

/** More at the end moves nothing. */
function isMoved(before: Page, read: Page): boolean {
  return before.items.some(({ id }, at) => read.items[at]?.id !== id)
}

/** "3 new animals, 1 left this view". What only follows from another page counts as neither. */
function difference(before: Page, read: Page): string {
  if (!isMoved(before, read)) return ''
  const { view, page } = read.position
  const fromEnd = page < 0
  const inOrder = ({ items }: Page) => (fromEnd ? items.toReversed() : items).map(({ id }) => id)
  const [was, is] = [inOrder(before), inOrder(read)]
  const isFull = (fromEnd ? read.prev : read.next) !== undefined
  const lastWas = was.findLastIndex((id) => is.includes(id))
  const lastIs = is.findLastIndex((id) => was.includes(id))
  const added = is.filter((id, at) => !was.includes(id) && (at < lastIs || lastIs < 0)).length
  const gone = was.filter((id, at) => !is.includes(id) && (at < lastWas || !isFull)).length
  const more = added === is.length && isFull ? ' or more' : ''
  const parts = [
    added > 0 && `${number(added)}${more} new ${added === 1 ? view.slice(0, -1) : view}`,
    gone > 0 && `${number(gone)} ${added > 0 ? '' : `${gone === 1 ? view.slice(0, -1) : view} `}left this view`,
  ]
  return parts.filter(Boolean).join(', ') || 'This list has changed'
}

/** One that the list no longer has. */
function itemAfter(item: Item, event: Event | undefined): Item {
  if (!event) return item
  if (!('petId' in item)) return petAfter(item, event)
  return event.orderStatus ? { ...item, status: event.orderStatus, changedAt: event.at } : item
}

function petAfter(one: Pet, { pet, petStatus = one.status }: Event): Pet {
  return { ...one, ...pet, status: petStatus }
}
