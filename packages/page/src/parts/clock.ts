// The service's time, because the clock of the device can be days off.

import { signal } from '@preact/signals'
import { dayOf } from '../../../files/src/local-time.ts'

let aheadMs = 0

/** `date`: a response's `Date` header, which has whole seconds. */
export function noteServiceTime(date: string | null): void {
  const at = Date.parse(date ?? '')
  if (!Number.isNaN(at)) aheadMs = at - Date.now()
  noteToday()
}

export function now(): number {
  return Date.now() + aheadMs
}

/** The day in the browser's time zone, such as 2026-11-22. */
export const today = signal(dayOf(now()))

/** Call it at intervals, because a timer until midnight is late if the device sleeps. */
export function noteToday(): void {
  today.value = dayOf(now())
}
