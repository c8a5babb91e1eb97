// The service's time: the clock of the person's device may be hours or days wrong.

let aheadMs = 0

/** `date`: of a response's `Date`, to the second. */
export function noteServiceTime(date: string | null): void {
  const at = Date.parse(date ?? '')
  if (!Number.isNaN(at)) aheadMs = at - Date.now()
}

/** As `Date.now()`. */
export function now(): number {
  return Date.now() + aheadMs
}
