// Reading a date-time and a full-date (RFC 3339, 5.6).

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { dateFromText, instantFromText, lacksSeconds } from '../src/date-time.ts'

const NOON = Date.UTC(2026, 10, 21, 12)

for (const [text, instant] of [
  ['2026-11-21t12:00:00z', NOON],
  ['2026-11-21T12:00:00-00:00', NOON],
  ['2026-11-21T12:00:00.5Z', NOON + 500],
  ['2026-11-21T12:00:00.0019Z', NOON + 1],
  ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
  ['0000-01-01T00:00:00Z', -62_167_219_200_000],
  ['0099-12-31T23:59:59Z', -59_011_459_201_000],
  ['9999-12-31T23:59:59-23:59', Date.UTC(9999, 11, 31, 23, 59, 59) + (23 * 60 + 59) * 60_000],
] as const) {
  test(`reads ${text}`, () => expect(instantFromText(text)).toBe(instant))
}

const REFUSED = [
  '|2026-11-21|2026-11-21 12:00:00Z|2026-11-21T12:00Z|2026-11-21T12Z|2026-11-21T12:00:00|2026-11-21T12:00:00+02',
  '2026-11-21T12:00:00+0200|2026-11-21T12:00:00+24:00|2026-11-21T12:00:00+02:60|2026-11-21T12:00:00 Z',
  ' 2026-11-21T12:00:00Z|2026-11-21T12:00:00Z\n|2026-11-21T12:00:00.Z|2026-11-21T12:00:00,5Z',
  '2026-11-21T12:00:00.1234567890Z|2026-11-21T24:00:00Z|2026-11-21T12:60:00Z|2026-06-30T23:59:60Z',
  '26-11-21T12:00:00Z|+02026-11-21T12:00:00Z|-2026-11-21T12:00:00Z|2026-W47-6T12:00:00Z|2026-325T12:00:00Z',
  '\u0662026-11-21T12:00:00Z|1795262400|Sat, 21 Nov 2026 12:00:00 GMT|tomorrow',
]
test.each(REFUSED.flatMap((texts) => texts.split('|')))('refuses %j', (text) =>
  expect(instantFromText(text)).toBeUndefined(),
)

test('recognises a time that lacks only its seconds, with or without an offset', () => {
  const texts = '2026-11-21T12:00Z|2026-11-21t12:00+02:00|2026-11-21T12:00'.split('|')
  expect(texts.filter(lacksSeconds)).toEqual(texts)
  expect(REFUSED.flatMap((refused) => refused.split('|')).filter(lacksSeconds)).toEqual(['2026-11-21T12:00Z'])
})

test('reads every instant and offset like Date.parse', () => {
  const years = { min: new Date('0001-01-01T00:00:00Z'), max: new Date('9998-12-31T00:00:00Z'), noInvalidDate: true }
  const offset = fc.record({ sign: fc.constantFrom('+', '-'), hours: fc.nat(23), minutes: fc.nat(59) })
  fc.assert(
    fc.property(fc.date(years), offset, fc.stringMatching(/^[0-9]{0,6}$/), (date, { sign, hours, minutes }, more) => {
      const two = (n: number) => String(n).padStart(2, '0')
      const local = date.toISOString().slice(0, -1)
      const zone = `${sign}${two(hours)}:${two(minutes)}`
      expect(instantFromText(local + more + zone)).toBe(Date.parse(local + zone))
    }),
    { numRuns: 5000 },
  )
})

test('accepts exactly the days that exist', () => {
  const part = (min: number, max: number, length: number) =>
    fc.integer({ min, max }).map((n) => String(n).padStart(length, '0'))
  fc.assert(
    fc.property(part(0, 9999, 4), part(0, 13, 2), part(0, 32, 2), (year, month, day) => {
      const leap = Number(year) % 4 === 0 && (Number(year) % 100 !== 0 || Number(year) % 400 === 0)
      const days = [0, 31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][Number(month)] ?? 0
      const exists = Number(day) >= 1 && Number(day) <= days
      const date = `${year}-${month}-${day}`
      expect(instantFromText(`${date}T00:00:00Z`) !== undefined).toBe(exists)
      expect(dateFromText(date)).toBe(exists ? date : undefined)
    }),
    { numRuns: 5000 },
  )
})

test.each('|2026-11-21T12:00:00Z|2026-11-21Z| 2026-11-21|2026-11-21\n|26-11-21|2026-1-1|20261121'.split('|'))(
  'rejects as a date: %j',
  (text) => expect(dateFromText(text)).toBeUndefined(),
)
