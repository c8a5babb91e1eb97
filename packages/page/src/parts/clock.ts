// The service's time, because the clock of the device can be days off.

let aheadMs = 0

/** `date`: a response's `Date` header, which has whole seconds. */
export function noteServiceTime(date: string | null): void {
  const at = Date.parse(date ?? '')
  if (!Number.isNaN(at)) aheadMs = at - Date.now()
}

export function now(): number {
  return Date.now() + aheadMs
}
