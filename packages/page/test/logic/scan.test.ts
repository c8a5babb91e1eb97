// Which keys are a scan, and which record a code has.

import { expect, test } from 'bun:test'
import { recordIn } from '../../src/address.ts'
import { ScanReader } from '../../src/scan.ts'

const ENTER = 'Enter'

function read(keys: readonly (string | [string, Partial<KeyboardEvent>])[], pauseMs = 5): string | undefined {
  const reader = new ScanReader()
  let timeStamp = 0
  let scanned: string | undefined
  for (const one of keys) {
    timeStamp += pauseMs
    const [key, more] = typeof one === 'string' ? [one, {}] : one
    const state = { repeat: false, isComposing: false, ctrlKey: false, metaKey: false, altKey: false }
    scanned = reader.press({ key, timeStamp, ...state, ...more })
  }
  return scanned
}

test('characters within 40 ms of each other and Enter are a scan; Shift is part of it', () => {
  expect(read(['2', '5', ENTER], 40)).toBe('25')
  expect(read(['/', 'Shift', '?', 'a', ENTER])).toBe('/?a')
})

test.each<[string, Parameters<typeof read>[0], number?]>([
  ['slow keys', ['2', '5', ENTER], 41],
  ['one character', ['2', ENTER]],
  ['a slow Enter', ['2', '5', [ENTER, { timeStamp: 1_000 }]]],
  ['a repeated key', ['2', ['2', { repeat: true }], ['2', { repeat: true }], ENTER]],
  ['a composed word', ['2', ['5', { isComposing: true }], ENTER]],
  ['a pasted text', [['v', { ctrlKey: true }], ENTER]],
  ['another key in between', ['2', '5', 'Backspace', ENTER]],
])('%s is not a scan', (_, keys, pauseMs = 5) => {
  expect(read(keys, pauseMs)).toBeUndefined()
})

test.each([
  ['25', 'animal'],
  ['*25*', 'animal'],
  ['http://till.example/shop/?animal=25', 'animal'],
  ['order 25', 'order'],
  ['*HTTPS://till.example/?ORDER=25*', 'order'],
])('%s is the %s 25', (text, kind) => {
  expect(recordIn(text)).toEqual({ kind, id: 25n } as never)
})

test.each(['R25', 'https://till.example/?page=25', 'javascript:25'])('%s is no record', (text) => {
  expect(recordIn(text)).toBeUndefined()
})
