// Times and days in the local time zone. A day lasts from midnight to midnight, which is 23 or 25 hours twice a year.

/** A time span; `to` is exclusive. */
export interface Span {
  from: string
  to: string
}

/** To the minute, as in a browser's input: 2026-11-22T18:00 */
export function localTime(at: string): string {
  return localText(Date.parse(at)).slice(0, 16)
}

/** To the second, for spreadsheets: 2026-11-22 18:00:05 */
export function localSecond(at: string): string {
  return localText(Date.parse(at)).slice(0, 19).replace('T', ' ')
}

/** 2026-11-22 */
export function dayOf(time: number): string {
  return localText(time).slice(0, 10)
}

export function spanOf(day: string): Span {
  return { from: midnight(day), to: midnight(dayFrom(day, 1)) }
}

/** Returns the day `days` days later. */
export function dayFrom(day: string, days: number): string {
  const noon = new Date(`${day}T12:00:00`)
  noon.setDate(noon.getDate() + days)
  return dayOf(noon.getTime())
}

/** Returns whether the day exists, from 1970 on. JavaScriptCore and V8 parse 31 February as 3 March. */
export function isDay(text: string): boolean {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) || Number.isNaN(Date.parse(text))) return false
  return dayFrom(text, 0) === text && text > '1970'
}

/** If a clock change skips midnight, the day starts at that change. */
function midnight(day: string): string {
  return new Date(`${day}T00:00:00`).toISOString()
}

function localText(time: number): string {
  return new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString()
}
