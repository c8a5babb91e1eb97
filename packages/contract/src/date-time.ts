// Reads a date-time of RFC 3339 (5.6), to the millisecond, and a full-date. Date.parse would also accept other formats, and
// 30 February.

const DATE_TIME = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/

/**
 * Milliseconds since 1970; further digits of the fraction are dropped. `undefined` when the text is not a date-time with an offset, or
 * the day or time does not exist. Leap seconds (`:60`) are refused, too.
 */
export function instantFromText(text: string): number | undefined {
  const [, date, time, fraction = '', sign, hours = 0, minutes = 0] = DATE_TIME.exec(text) ?? []
  const utc = `${date}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z`
  const instant = Date.parse(utc)
  // A date that does not exist is read as a later one, or not at all.
  if (Number.isNaN(instant) || new Date(instant).toISOString() !== utc) return undefined
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000
  return sign === '-' ? instant + offsetMs : instant - offsetMs
}

/** The same text; `undefined` when it is not a full-date, or the day does not exist. */
export function dateFromText(text: string): string | undefined {
  return instantFromText(`${text}T00:00:00Z`) === undefined ? undefined : text
}
