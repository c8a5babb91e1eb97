// The clocks, timers and random source of the service can be replaced together.

import { expect, test } from 'bun:test'
import { watchTimers } from '../../../../test/support/timers.ts'
import { atMost, endOfTurn, monotonicMs, replaceRuntime, sleep, wallMs } from '../../src/system/runtime.ts'

test('a replaced runtime controls clocks, timers and turns', async () => {
  const due: (() => void)[] = []
  const timer = { unref: () => timer }
  const before = replaceRuntime({
    wallMs: () => 1,
    monotonicMs: () => 2,
    startTimer: (act) => {
      due.push(act)
      return timer
    },
    startInterval: () => timer,
    stopTimer: () => {},
    atTurnEnd: (act) => due.push(act),
    randomBytes: (length) => new Uint8Array(length),
    randomUuid: () => '',
  })
  try {
    const seen: string[] = []
    const sleeping = sleep(1e9).then(() => seen.push('slept'))
    const turn = endOfTurn()
    expect(endOfTurn()).toBe(turn)
    expect([wallMs(), monotonicMs(), due.length]).toEqual([1, 2, 2])
    for (const act of due) act()
    await Promise.all([sleeping, turn])
    expect(seen).toEqual(['slept'])
  } finally {
    replaceRuntime(before)
  }
})

test('work that ends in time leaves no timer', async () => {
  const { open, restore } = watchTimers()
  expect(await atMost(Promise.resolve('done'), 1e9)).toBe('done')
  expect(open.size).toBe(0)
  restore()
})
