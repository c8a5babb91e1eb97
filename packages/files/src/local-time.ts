// Times and days where the program runs: a day lasts from midnight to midnight, which is 23 or 25 hours twice a year.

/** From one time to another, which is not part of it. */
export interface Span {
  from: string
  to: string
}

/** To the minute, as a browser's field has it: 2026-11-22T18:00 */
export function localTime(at: string): string {
  return localText(Date.parse(at)).slice(0, 16)
}

/** To the second, as spreadsheets read it: 2026-11-22 18:00:05 */
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

/** The day that is so many days after this one. */
export function dayFrom(day: string, days: number): string {
  const noon = new Date(`${day}T12:00:00`)
  noon.setDate(noon.getDate() + days)
  return dayOf(noon.getTime())
}

/** Whether the calendar has this day, from 1970 on. JavaScriptCore and V8 take 31 February for 3 March. */
export function isDay(text: string): boolean {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) || Number.isNaN(Date.parse(text))) return false
  return dayFrom(text, 0) === text && text > '1970'
}

/** If a clock change skips midnight, the day begins when the clock was set. */
function midnight(day: string): string {
  return new Date(`${day}T00:00:00`).toISOString()
}

function localText(time: number): string {
  return new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString()
}
