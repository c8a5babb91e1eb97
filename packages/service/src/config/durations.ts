// Durations as people write them: 90d, 24h, 15m, 30s.

const UNIT_MS: Record<string, number> = { s: 1e3, m: 60e3, h: 3600e3, d: 86400e3, w: 604800e3 }
const MAX_MS = 100 * 365 * 86400e3

/** Milliseconds. Throws an Error whose message completes a sentence: "must be …". */
export function parseDuration(text: string): number {
  const [, count, unit = ''] = /^([0-9]{1,9})([smhdw])$/.exec(text) ?? []
  const ms = Number(count) * (UNIT_MS[unit] ?? Number.NaN)
  if (!(ms >= 0 && ms <= MAX_MS)) {
    throw new Error('must be a number and a unit, such as 30s, 15m, 24h, 90d or 4w, of at most 100 years')
  }
  return ms
}
