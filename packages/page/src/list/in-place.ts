// Rows stay where they are while somebody may be about to press one. What has changed in a row is shown there; what would move the rows, such
// as new ones before them or one that the filter no longer finds, waits until somebody asks for it.

import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks'
import type { Event, Pet } from '../../../client/src/petstore.ts'
import type { Feed } from '../live/feed.ts'
import { useEvents } from '../live/use-feed.ts'
import { number } from '../phrases.ts'
import type { Item, Page } from './list-page.ts'

export interface InPlace {
  /** With the rows where they were. */
  page: Page | undefined
  /** What waits to be shown, in words; empty where nothing does. */
  waiting: string
  /** Rows that are there still, though somebody has deleted them. */
  deleted: ReadonlySet<bigint>
  /** Shows what waits; with `next` also what is read next. */
  show: (next?: boolean) => void
  /** The person has deleted this one: its row goes at once. */
  remove: (petId: bigint) => void
}

/** `covered`: nobody sees the rows. */
export function useInPlace(read: Page | undefined, feed: Feed, covered: boolean): InPlace {
  /** As of the last rendering. A ref, so that the rows come in the same rendering in which they were read. */
  const at = useRef<{ read?: Page; covered?: boolean; page: Page | undefined }>({ page: undefined }).current
  const [, render] = useReducer((count: number) => count + 1, 0)
  const [deleted, setDeleted] = useState<ReadonlySet<bigint>>(new Set())
  const follows = useRef(false)
  /** What has happened last to each animal and order, while its list is shown. */
  const told = useRef(new Map<bigint, Event>()).current
  const view = read?.position.view
  useLayoutEffect(() => told.clear(), [view])
  if (read && (read !== at.read || covered !== at.covered)) {
    const moves = covered || follows.current || at.page?.position !== read.position
    at.page = moves ? read : inPlace(at.page as Page, read, told)
    at.read = read
    at.covered = covered
    follows.current = false
  }
  useEvents(feed, (events) => {
    for (const event of events) told.set(view === 'orders' ? (event.orderId ?? 0n) : event.petId, event)
    const gone = events.filter(({ type }) => type === 'pet.deleted').map(({ petId }) => petId)
    if (gone.length > 0) setDeleted((before) => new Set([...before, ...gone]))
  })
  function setPage(page: Page | undefined): void {
    at.page = page
    render(undefined)
  }
  function show(next = false): void {
    follows.current = next
    setPage(at.read)
  }
  function remove(petId: bigint): void {
    setDeleted((before) => new Set([...before, petId]))
    setPage(at.page && { ...at.page, items: at.page.items.filter(({ id }) => id !== petId) })
  }
  const left = read && { ...read, items: read.items.filter(({ id }) => !deleted.has(id)) }
  const waiting = at.page && left && at.page.position === left.position ? difference(at.page, left) : ''
  return { page: at.page, waiting, deleted, show, remove }
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

/** "3 new animals, 1 no longer here". What only follows from another page counts as neither. */
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
    gone > 0 && `${number(gone)} no longer here`,
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
