// A moment where the browser is, as its field for date and time has it.

/** 2026-11-22T18:00 */
export function localTime(at: string): string {
  const date = new Date(at)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
