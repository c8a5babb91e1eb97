// Days as people count them where the browser is: from midnight to midnight, which is 23 or 25 hours twice a year.

import { localTime } from '../parts/local-time.ts'

/** From one time until another, which is not part of it. */
export interface Span {
  from: string
  to: string
}

/** 2026-11-22 */
export function dayOf(time: number): string {
  return localTime(new Date(time).toISOString()).slice(0, 10)
}

export function spanOf(day: string): Span {
  return { from: midnight(day).toISOString(), to: midnight(dayFrom(day, 1)).toISOString() }
}

/** The day that is so many days after this one. */
export function dayFrom(day: string, days: number): string {
  const noon = new Date(`${day}T12:00:00`)
  noon.setDate(noon.getDate() + days)
  return dayOf(noon.getTime())
}

function midnight(day: string): Date {
  return new Date(`${day}T00:00:00`)
}

/** Chromium takes 31 February for 3 March. */
export function isDay(text: string | null): text is string {
  if (text === null || !/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) || Number.isNaN(Date.parse(text))) return false
  return dayFrom(text, 0) === text && text > '1970'
}
