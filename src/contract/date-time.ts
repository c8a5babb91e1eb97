// Instants from text: RFC 3339's date-time (section 5.6), to the millisecond. Ours because Date.parse also takes other forms, and
// 30 February.

const DATE_TIME = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/

/**
 * Milliseconds since 1970; further digits of the fraction are cut off. `undefined` when the text is not a date-time with an offset,
 * names a day or time that does not exist, or a leap second (`:60`), which no clock here counts.
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
