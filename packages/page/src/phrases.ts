// Parts of sentences: numbers, times, brief names, for whom and until when, and who was quicker.

import type { Order } from '../../client/src/petstore.ts'
import { plain } from './visible-text.ts'

/** What has become of an animal when somebody else was quicker; `order` holds it now. */
export function quicker(name: string, order: Order | undefined): string {
  if (!order) return `${brief(name)} is available again.`
  const verb = order.status === 'completed' ? 'sold' : 'reserved'
  return `${brief(name)} was ${verb} ${ago(order.changedAt)}.`
}

/** For whom, and until when: " for Anna, until Sun 22 Nov, 15:20". */
export function terms({ status, reference, expiresAt }: Order): string {
  const until = status === 'pending' && expiresAt ? `until ${time(expiresAt)}` : ''
  return [reference && ` for ${brief(reference)}`, until && ` ${until}`].filter(Boolean).join(',')
}

export function number(value: number | bigint): string {
  return value.toLocaleString('en-GB')
}

/** As the browser's language writes it, with the year where it is not this one. */
export function time(at: string | number): string {
  const format = { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const
  const year = new Date(at).getFullYear() === new Date().getFullYear() ? {} : ({ year: 'numeric' } as const)
  return new Date(at).toLocaleString([], { ...format, ...year })
}

/** For paper, which is read in other years. */
export function fullTime(at: string | number): string {
  return new Date(at).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' })
}

/** The time of day alone. */
export function clock(at: string): string {
  return new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
}

const MOMENT_MS = 5 * 60_000

function ago(at: string): string {
  return Math.abs(Date.now() - Date.parse(at)) < MOMENT_MS ? 'a moment ago' : `on ${time(at)}`
}

const BRIEF_MAX = 40

/** A name within a sentence. */
export function brief(name: string): string {
  const letters = Array.from(name)
  return plain(letters.length <= BRIEF_MAX ? name : `${letters.slice(0, BRIEF_MAX).join('')}…`)
}
