// The view in the address: a list, `/?animal=12`, `/?order=7`, or the sales of a day
// (`/?view=sales&day=2026-11-22&type=order.placed`). The service redirects `/animals/12` and `/orders/7` to them.

import { useCallback, useEffect, useState } from 'preact/hooks'
import type { EventType } from '../../contract/src/generated.ts'
import { int64FromDecimal } from '../../contract/src/json.ts'
import { dayFrom, isDay } from '../../files/src/local-time.ts'
import { parseInteger } from './animal/fields.ts'
import { EVENT_NAMES, STATUSES_OF } from './animal/status-labels.ts'
import { fromIdRanges } from './list/id-ranges.ts'
import { fromAddress, type ListPosition, toAddress } from './list/list-position.ts'
import { listen } from './parts/listen.ts'

export interface RecordId {
  kind: 'animal' | 'order'
  id: bigint
}

export interface SalesPosition {
  kind: 'sales'
  /** `undefined`: today. */
  day?: string | undefined
  /** The last day of several; `undefined` for one. */
  to?: string | undefined
  /** `undefined`: all types. */
  type?: EventType | undefined
}

/** A view that is shown instead of a list. */
export type Opened = RecordId | SalesPosition
export type Place = ListPosition | Opened

export function addressOf(place: Place): string {
  if (!('kind' in place)) return toAddress(place)
  if (place.kind !== 'sales') return `./?${place.kind}=${place.id}`
  const query = new URLSearchParams({ view: 'sales' })
  if (place.day !== undefined) query.set('day', place.day)
  if (place.to !== undefined) query.set('to', place.to)
  if (place.type !== undefined) query.set('type', place.type)
  return `./?${query}`
}

/** Ignores invalid parameters; `wrongIn` reports them. Version 1.0.0 called the sales `activity`. */
export function openedIn(address: string): Opened | undefined {
  const query = new URLSearchParams(address)
  const text = (name: string) => query.get(name) ?? ''
  if (['sales', 'activity'].includes(text('view'))) {
    const day = isDay(text('day')) ? text('day') : undefined
    const to = isLastDay(text('day'), text('to')) ? text('to') : undefined
    return { kind: 'sales', day, to, type: isEventType(text('type')) ? (text('type') as EventType) : undefined }
  }
  for (const kind of ['animal', 'order'] as const) {
    const id = parseInteger(text(kind))
    if (id !== undefined) return { kind, id }
  }
  return undefined
}

/** The most days of sales that are read together. */
const DAYS_MAX = 366

function isLastDay(day: string, to: string): boolean {
  return isDay(day) && isDay(to) && to > day && to <= dayFrom(day, DAYS_MAX - 1)
}

/**
 * Reads `12`, `order 12`, or the address in the code of a label or receipt. The host does not matter. The stars of a
 * Code 39, as in `*12*`, are ignored.
 */
export function recordIn(text: string): RecordId | undefined {
  const [, named, order, digits = ''] = /^\*?(?:\S*\/\?(animal|order)=|(order )?#?)([0-9]+)\*?$/i.exec(text) ?? []
  const id = parseInteger(digits)
  return id === undefined ? undefined : { kind: order || named?.toLowerCase() === 'order' ? 'order' : 'animal', id }
}

function isEventType(text: string): boolean {
  return Object.hasOwn(EVENT_NAMES, text)
}

/** Returns the invalid filters of an address, such as a link that was typed by hand, in the form `category=dog`. */
export function wrongIn(address: string): string[] {
  const query = new URLSearchParams(address)
  const view = query.get('view') === 'orders' ? 'orders' : 'animals'
  const isRight = new Map<string, (text: string) => boolean>([
    ['status', (text) => STATUSES_OF[view].some(([status]) => status === text)],
    ['category', (text) => int64FromDecimal(text) !== undefined],
    ['ids', (text) => fromIdRanges(text) !== undefined],
    ['animal', (text) => parseInteger(text) !== undefined],
    ['order', (text) => parseInteger(text) !== undefined],
    ['day', isDay],
    ['to', (text) => isLastDay(query.get('day') ?? '', text)],
    ['type', isEventType],
  ])
  return [...query].filter(([name, text]) => isRight.get(name)?.(text) === false).map((pair) => pair.join('='))
}

export interface Address {
  /** The list in the address, or the last one. */
  position: ListPosition
  opened: Opened | undefined
  go: (to: Place) => void
}

/** The view in the address. Each new view is an entry in the browser's history. */
export function useAddress(): Address {
  const [view, setView] = useState(() => viewAt())
  useEffect(() => listen(window, 'popstate', () => setView(viewAt)), [])
  const go = useCallback((to: Place) => {
    const address = addressOf(to)
    const isShown = new URL(address, location.href).search === location.search
    if (!isShown) history[isTyping(to) ? 'replaceState' : 'pushState'](null, '', address)
    setView(({ position }) => ('kind' in to ? { position, opened: to } : { position: to, opened: undefined }))
  }, [])
  return { ...view, go }
}

function viewAt(before?: Omit<Address, 'go'>): Omit<Address, 'go'> {
  const opened = openedIn(location.search)
  return { opened, position: opened && before ? before.position : fromAddress(location.search) }
}

/** Typing in the search or the category filter does not add a history entry for each letter. */
function isTyping(to: Place): boolean {
  const query = new URLSearchParams(location.search)
  if ('kind' in to) return false
  return (to.search !== '' && query.has('search')) || (to.categoryId !== undefined && query.has('category'))
}
