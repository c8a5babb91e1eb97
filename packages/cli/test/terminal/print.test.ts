import { expect, test } from 'bun:test'
import { duration } from '../../src/terminal/print.ts'

test('a duration is in the largest unit with a value of at least two', () => {
  const seconds = [119, 120, 7_199, 7_200, 172_799, 172_800]
  expect(seconds.map((each) => duration(1000 * each))).toEqual([
    '119 s',
    '2 min',
    '120 min',
    '2 hours',
    '48 hours',
    '2 days',
  ])
})
