// The clock of a service in practice. Wall time and monotonic time move forward together, as when time really passes.

import { instantFromText } from '../../contract/src/date-time.ts'

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
/** The last day that RFC 3339 can write, whose years have four digits. */
const END = Date.UTC(9999, 11, 31)

/** Reads a duration such as 90s, 24h or 7d. Throws an Error for other text. */
export function durationMs(duration: string): number {
  const [, count, unit = ''] = /^(\d{1,15})(ms|s|m|h|d)$/.exec(duration) ?? []
  const unitMs = UNITS_MS[unit]
  if (count !== undefined && unitMs !== undefined) return Number(count) * unitMs
  throw new Error('A duration is a number and one of ms, s, m, h, d, such as 24h.')
}

export class Clock {
  /** How far this clock is ahead of the machine's. */
  private aheadMs = 0

  readonly now = (): number => Date.now() + this.aheadMs
  readonly monotonic = (): number => performance.now() + this.aheadMs

  get isMoved(): boolean {
    return this.aheadMs > 0
  }

  /** Returns the new time. Throws an Error for an invalid duration. */
  advance(duration: string): string {
    return this.moveTo(this.now() + durationMs(duration))
  }

  /** `instant` is an RFC 3339 date-time, not in the past. Returns the new time. Throws an Error for other text. */
  set(instant: string): string {
    const at = instantFromText(instant)
    if (at === undefined)
      throw new Error('A time is a date-time with seconds and an offset, such as 2030-12-05T00:00:00Z.')
    if (at < this.now()) throw new Error('The clock only goes forward until the reset.')
    return this.moveTo(at)
  }

  /** Returns to the machine's time. */
  reset(): void {
    this.aheadMs = 0
  }

  private moveTo(at: number): string {
    if (at > END) throw new Error('The clock ends with the year 9999.')
    this.aheadMs = at - Date.now()
    return new Date(this.now()).toISOString()
  }
}
