// The choices for the length of a reservation, and when each ends.

import { now } from '../parts/clock.ts'

export const HOUR_MS = 3_600_000
export const HOLDS = {
  hour: ['1 hour', HOUR_MS],
  day: ['Until tomorrow', 24 * HOUR_MS],
  week: ['1 week', 7 * 24 * HOUR_MS],
  open: ['No end', 0],
  other: ['Until…', 0],
} as const
export type Hold = keyof typeof HOLDS

/** `until` is used only with `other`. */
export interface HoldEnd {
  hold: Hold
  until: string
}

/** `until` is local time, as a `datetime-local` input returns it. */
export function expiryOf(hold: Hold, until: string): { expiresAt?: string } {
  const at = hold === 'other' ? Date.parse(until) : now() + HOLDS[hold][1]
  return hold === 'open' || Number.isNaN(at) ? {} : { expiresAt: new Date(at).toISOString() }
}
