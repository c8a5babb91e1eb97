// Group commit: what is committed together, and which calls are rejected because they would wait too long.

import { expect, spyOn, test } from 'bun:test'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { until } from '../../../../test/support/until.ts'
import { LIMITS } from '../../src/domain/limits.ts'
import { OVERLOADED, PetstoreError } from '../../src/domain/petstore-error.ts'
import { batched } from '../../src/store/shared/group-commit.ts'

const BATCH_MAX = LIMITS.batchMax

/** A group commit that records its batches. */
function recording(commit: (items: number[]) => unknown = () => undefined) {
  const batches: number[][] = []
  const add = batched(async (items: number[]) => {
    batches.push(items)
    return ((await commit(items)) ?? items) as (number | PetstoreError)[]
  })
  const outcomes = async (...items: number[]) => (await Promise.allSettled(items.map(add))).map(({ status }) => status)
  return { add, batches, outcomes }
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

test('calls that arrive during a commit are committed together right after it', async () => {
  const release: (() => void)[] = []
  const { add, batches } = recording(() => new Promise<void>((resolve) => release.push(resolve)))
  const first = add(1)
  await until('the first commit runs', () => batches.length === 1)
  const later = [add(2), add(3)]
  release[0]?.()
  await first
  await Promise.resolve()
  // Still in the same turn of the event loop.
  expect(batches).toEqual([[1], [2, 3]])
  release[1]?.()
  expect(await Promise.all(later)).toEqual([2, 3])
})

test('timers run while each call begins when the one before has its result', async () => {
  const { add } = recording()
  let isOver = false
  setTimeout(() => {
    isOver = true
  }, 1)
  for (let n = 0; !isOver && n < 100_000; n++) await add(n)
  expect(isOver).toBe(true)
})

test('a failed call is not retried, and each call of a failed batch is retried once, on its own', async () => {
  const { batches, outcomes } = recording((items) => {
    if (items.includes(13)) throw new Error('13')
  })
  expect(await outcomes(13)).toEqual(['rejected'])
  expect(await outcomes(1, 13, 2)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(batches).toEqual([[13], [1, 13, 2], [1], [13], [2]])
})

test('rejects calls of a failed batch that would wait for more than 2 s for the others', async () => {
  let now = 0
  const clock = spyOn(performance, 'now').mockImplementation(() => now)
  const { add, batches } = recording((items) => {
    now += 900
    if (items.includes(1)) throw new Error('1')
  })
  const outcomes = await Promise.all(numbers(6).map((n) => rejectionOf(add(n)).catch(() => 'fulfilled')))
  clock.mockRestore()
  expect(batches).toEqual([numbers(6), [0], [1], [2]])
  expect(outcomes).toEqual(['fulfilled', new Error('1'), 'fulfilled', OVERLOADED, OVERLOADED, OVERLOADED])
})

test('calls of one turn are committed together, in batches of BATCH_MAX, in the order of their arrival', async () => {
  const { add, batches } = recording()
  const calls = numbers(2 * BATCH_MAX + 88)
  expect(await Promise.all(calls.map(add))).toEqual(calls)
  expect(batches.map(({ length }) => length)).toEqual([BATCH_MAX, BATCH_MAX, 88])
  expect(batches.flat()).toEqual(calls)
})

test('a batch grows while more calls arrive in each turn', async () => {
  const { add, batches } = recording()
  const first = add(1)
  // In the same turn, and in the next one.
  const later = [Promise.resolve().then(() => add(2)), new Promise(setImmediate).then(() => add(3))]
  await Promise.all([first, ...later])
  expect(batches).toEqual([[1, 2, 3]])
})

test('calls that arrive before a batch is read join it, up to BATCH_MAX, in the order of their arrival', async () => {
  const batches: number[][] = []
  const sizes: number[] = []
  const later: Promise<number>[] = []
  const add = batched(
    async (items: number[], join) => {
      if (batches.length === 0) later.push(...numbers(BATCH_MAX).map((n) => add(n + 2)))
      batches.push([...items, ...join()])
      return batches.at(-1) as number[]
    },
    (size) => sizes.push(size),
  )
  expect(await Promise.all([add(0), add(1)])).toEqual([0, 1])
  expect(await Promise.all(later)).toEqual(numbers(BATCH_MAX).map((n) => n + 2))
  expect(batches).toEqual([numbers(BATCH_MAX), [BATCH_MAX, BATCH_MAX + 1]])
  expect(sizes).toEqual([BATCH_MAX, 2])
})

test('a commit that still runs after its batch failed takes no more calls, which are committed in the next batch', async () => {
  const late = new PetstoreError('unavailable', 'late')
  const joins: (() => number[])[] = []
  const add = batched(async (items: number[], join) => {
    if (joins.push(join) === 1) throw late
    return items
  })
  expect(await rejectionOf(add(1))).toBe(late)
  const second = add(2)
  expect(() => joins[0]?.()).toThrow('the batch is settled')
  expect(await second).toBe(2)
})

test('rejects calls that would wait for more than 2 s after a full batch', async () => {
  let now = 0
  const clock = spyOn(performance, 'now').mockImplementation(() => now)
  try {
    let commitMs = 2_100
    let sizes: number[] = []
    let held: Promise<void> | undefined
    const add = batched(
      async (items: number[]) => {
        now += commitMs
        await (held ?? Bun.sleep(0))
        return items
      },
      (size) => sizes.push(size),
    )
    const settled = async (count: number) => {
      sizes = []
      const outcomes = await Promise.allSettled(numbers(count).map(add))
      const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
      expect(refused).toEqual(Array(refused.length).fill(OVERLOADED))
      return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    }
    expect(await settled(1)).toEqual([0])
    // One batch always waits, however slow the last commit was.
    expect(await settled(BATCH_MAX + 1)).toEqual(numbers(BATCH_MAX))
    commitMs = 250
    await settled(1)
    // The ninth batch would wait for 9 × 250 ms.
    expect(await settled(4_000)).toEqual(numbers(8 * BATCH_MAX + 1))
    expect(sizes).toEqual([...Array(8).fill(BATCH_MAX), 1])
    // The duration of a running commit counts, too.
    const { promise, resolve: release } = Promise.withResolvers<void>()
    held = promise
    const first = add(0)
    await new Promise(setImmediate)
    now += 2_100
    const later = numbers(BATCH_MAX).map(add)
    expect(await rejectionOf(add(0))).toBe(OVERLOADED)
    held = undefined
    release()
    await Promise.all([first, ...later])
  } finally {
    clock.mockRestore()
  }
})
