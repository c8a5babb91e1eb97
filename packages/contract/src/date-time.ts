// Reads a date-time and a full-date of RFC 3339 (5.6). Date.parse would also accept other formats, and 30 February.

const DATE_TIME = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/

/** What `instantFromText` accepts, for messages. */
export const DATE_TIME_EXPECTED = 'a date and time with an offset, such as 2026-11-21T18:00:00Z'

/**
 * Returns milliseconds since 1970, without further digits of the fraction. Returns `undefined` if the text is not a
 * date-time with an offset, if the day or time does not exist, and for leap seconds (`:60`).
 */
export function instantFromText(text: string): number | undefined {
  const [, date, time, fraction = '', sign, hours = 0, minutes = 0] = DATE_TIME.exec(text) ?? []
  const utc = `${date}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z`
  const instant = Date.parse(utc)
  // Date.parse reads a date that does not exist as a later one, or not at all.
  if (Number.isNaN(instant) || new Date(instant).toISOString() !== utc) return undefined
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000
  return sign === '-' ? instant + offsetMs : instant - offsetMs
}

/** Returns whether the text is a date-time without seconds, with or without an offset. */
export function lacksSeconds(text: string): boolean {
  const whole = text.replace(/^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(?!:)/, '$&:00')
  return whole !== text && (instantFromText(whole) ?? instantFromText(`${whole}Z`)) !== undefined
}

/** Returns the text, or `undefined` if it is not a full-date or the day does not exist. */
export function dateFromText(text: string): string | undefined {
  return instantFromText(`${text}T00:00:00Z`) === undefined ? undefined : text
}
