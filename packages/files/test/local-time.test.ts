// Local days in time zones where a day has 23 or 25 hours, or no midnight.

import { afterAll, expect, test } from 'bun:test'
import { dayFrom, dayOf, isDay, localSecond, spanOf } from '../src/local-time.ts'

const zone = process.env.TZ
afterAll(() => {
  process.env.TZ = zone ?? ''
})

test.each([
  ['UTC', '2026-11-26', '2026-11-26T00:00:00.000Z', 24],
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z', 23],
  ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z', 25],
  ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z', 23],
  ['America/Havana', '2026-11-01', '2026-11-01T04:00:00.000Z', 25],
])('in %s the day %s starts at %s and has %d hours', (timeZone, day, from, hours) => {
  process.env.TZ = timeZone
  const span = spanOf(day)
  expect([span.from, (Date.parse(span.to) - Date.parse(from)) / 3_600_000]).toEqual([from, hours])
  expect([dayOf(Date.parse(from)), dayOf(Date.parse(span.to) - 1), dayOf(Date.parse(span.to))]).toEqual([
    day,
    day,
    dayFrom(day, 1),
  ])
})

test('accepts only days that exist', () => {
  const texts = ['2028-02-29', '2026-02-29', '2026-02-31', '2026-13-45', '2026-1-1', '1969-12-31', '', 'today']
  expect(texts.filter(isDay)).toEqual(['2028-02-29'])
})

test('writes local times for spreadsheets', () => {
  process.env.TZ = 'Asia/Kolkata'
  expect(localSecond('2026-11-26T20:00:05.512Z')).toBe('2026-11-27 01:30:05')
})
