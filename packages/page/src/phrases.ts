// Formats numbers, times, shortened names, the terms of an order, and what another till did.

import type { Order } from '../../client/src/petstore.ts'
import { labelOf } from './animal/status-labels.ts'
import { now } from './parts/clock.ts'
import { plain } from './parts/visible-text.ts'

/** What another till did with an animal. `order` holds the animal now. */
export function otherTillSentence(name: string, order: Order | undefined): string {
  if (!order) return `${brief(name)} is available again.`
  return `${brief(name)} was ${labelOf(order.status).toLowerCase()} ${ago(order.changedAt)}.`
}

/** Customer and end: " for Anna, until Sun 22 Nov, 15:20". */
export function terms(order: Order): string {
  const end = endOf(order)
  return [order.reference && ` for ${brief(order.reference)}`, end && ` ${end}`].filter(Boolean).join(',')
}

/** "until Sun 22 Nov, 15:20"; empty for an order that has no end or is no longer pending. */
export function endOf({ status, expiresAt }: Order): string {
  return status === 'pending' && expiresAt ? `until ${time(expiresAt)}` : ''
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export function number(value: number | bigint): string {
  return NUMBERS.format(value)
}

// Creating a format takes longer than rendering a row.
const NUMBERS = new Intl.NumberFormat('en-GB')
const CLOCK = { hour: '2-digit', minute: '2-digit' } as const
const CLOCKS = new Intl.DateTimeFormat([], CLOCK)
const DAY = { weekday: 'short', day: 'numeric', month: 'short', ...CLOCK } as const
const TIMES = new Intl.DateTimeFormat([], DAY)
const TIMES_WITH_YEAR = new Intl.DateTimeFormat([], { ...DAY, year: 'numeric' })

/** In the browser's language, with the year unless it is the current one. */
export function time(at: string | number): string {
  const date = new Date(at)
  return (date.getFullYear() === new Date().getFullYear() ? TIMES : TIMES_WITH_YEAR).format(date)
}

/** For paper, which people can read in a later year. */
export function fullTime(at: string | number): string {
  return new Date(at).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' })
}

export function clock(at: string): string {
  return CLOCKS.format(new Date(at))
}

const MOMENT_MS = 5 * 60_000

function ago(at: string): string {
  return Math.abs(now() - Date.parse(at)) < MOMENT_MS ? 'a moment ago' : `on ${time(at)}`
}

const BRIEF_MAX = 40

/** Shortens a name for use in a sentence. */
export function brief(name: string): string {
  const letters = Array.from(name)
  return plain(letters.length <= BRIEF_MAX ? name : `${letters.slice(0, BRIEF_MAX).join('')}…`)
}
