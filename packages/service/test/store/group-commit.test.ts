// What is committed together and when, and what is refused because it would wait too long.

import { describe, expect, spyOn, test } from 'bun:test'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { OVERLOADED, PetstoreError } from '../../src/domain/petstore-error.ts'
import { BATCH_MAX, batched } from '../../src/store/shared/group-commit.ts'

test('what arrived while a commit ran elsewhere is committed at once, together', async () => {
  const batches: number[][] = []
  const release: (() => void)[] = []
  const add = batched(async (items: number[]) => {
    batches.push(items)
    await new Promise<void>((resolve) => release.push(resolve))
    return items
  })
  const first = add(1)
  await Bun.sleep(1)
  const later = [add(2), add(3)]
  release[0]?.()
  await first
  // No turn of the event loop has ended since.
  expect(batches).toEqual([[1], [2, 3]])
  release[1]?.()
  expect(await Promise.all(later)).toEqual([2, 3])
})

test('a call that fails alone is not tried again, and those that fail together are tried once more, each alone', async () => {
  const batches: number[][] = []
  const add = batched(async (items: number[]) => {
    batches.push(items)
    if (items.includes(13)) throw new Error('13')
    return items
  })
  const outcomes = async (...items: number[]) => (await Promise.allSettled(items.map(add))).map(({ status }) => status)
  expect(await outcomes(13)).toEqual(['rejected'])
  expect(await outcomes(1, 13, 2)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(batches).toEqual([[13], [1, 13, 2], [1], [13], [2]])
})

test('an observer that throws stops no commit', async () => {
  const warned = spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  const add = batched(
    async (items: number[]) => items,
    () => {
      throw new Error('planted')
    },
  )
  expect(await add(1)).toBe(1)
  expect(await Promise.race([add(2), Bun.sleep(5_000)])).toBe(2)
  expect(warned).toHaveBeenCalledTimes(2)
  warned.mockRestore()
})

/** Commits at once, and keeps what was in each batch. */
function keeping() {
  const batches: number[][] = []
  const add = batched(async (items: number[]) => {
    batches.push(items)
    return items
  })
  return { add, batches }
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

test('calls that arrive in one turn are committed together, up to BATCH_MAX in a batch, in the order of their arrival', async () => {
  const { add, batches } = keeping()
  const calls = numbers(2 * BATCH_MAX + 88)
  expect(await Promise.all(calls.map(add))).toEqual(calls)
  expect(batches.map(({ length }) => length)).toEqual([BATCH_MAX, BATCH_MAX, 88])
  expect(batches.flat()).toEqual(calls)
})

test('a batch waits for as long as more arrive in each turn', async () => {
  const { add, batches } = keeping()
  const first = add(1)
  // In the turn of the first one, and in the one after it.
  const later = [Promise.resolve().then(() => add(2)), new Promise(setImmediate).then(() => add(3))]
  await Promise.all([first, ...later])
  expect(batches).toEqual([[1, 2, 3]])
})

test('calls that arrive before their batch is read join it, up to BATCH_MAX, in the order of their arrival', async () => {
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

test('after an error, calls that have joined the batch are committed alone, too', async () => {
  const batches: number[][] = []
  let later: Promise<number> | undefined
  const add = batched(async (items: number[], join) => {
    later ??= add(2)
    batches.push([...items, ...join()])
    if (batches.length === 1) throw new Error('planted')
    return items
  })
  expect(await add(1)).toBe(1)
  expect(await later).toBe(2)
  expect(batches).toEqual([[1, 2], [1], [2]])
})

test('a PetstoreError among the results rejects its item; one that is thrown rejects the batch, which is not tried again', async () => {
  const refusal = new PetstoreError('not_found', 'no')
  const batches: number[][] = []
  const add = batched(async (items: number[]) => {
    batches.push(items)
    if (items.includes(13)) throw refusal
    return items.map((item) => (item === 2 ? refusal : item))
  })
  const outcomes = async (...items: number[]) => (await Promise.allSettled(items.map(add))).map(({ status }) => status)
  expect(await outcomes(1, 2, 3)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await outcomes(1, 13, 3)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(batches).toEqual([
    [1, 2, 3],
    [1, 13, 3],
  ])
})

// They wait, each for seconds: at the same time.
describe.concurrent('calls that wait for a slow commit', () => {
  test('are refused at once behind one that has taken more than 2 s; one batch may always wait', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const sizes: number[] = []
    const add = batched(
      async (items: number[]) => {
        begin()
        await released
        return items
      },
      (size) => sizes.push(size),
    )
    const first = add(-1)
    await begun
    await Bun.sleep(2_100)
    const waiting = numbers(BATCH_MAX).map(add)
    expect(await rejectionOf(add(BATCH_MAX))).toBe(OVERLOADED)
    release()
    expect(await Promise.all([first, ...waiting])).toEqual([-1, ...numbers(BATCH_MAX)])
    expect(sizes).toEqual([1, BATCH_MAX])
    expect(await add(7)).toBe(7)
  })

  test('are refused when they would wait for more than 2 s; the others are done in order', async () => {
    let committed = 0
    const add = batched(async (items: number[]) => {
      await Bun.sleep(300)
      committed += items.length
      return items
    })
    await add(0)
    const outcomes = await Promise.allSettled(numbers(4000).map(add))
    const done = outcomes.filter(({ status }) => status === 'fulfilled').length
    expect(done).toBeWithin(BATCH_MAX, 8 * BATCH_MAX + 1)
    expect(committed).toBe(1 + done)
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toBe(OVERLOADED)
    expect(await add(7)).toBe(7)
  })

  test('are never refused while they fit into one commit, however slow the last one was', async () => {
    const slow = batched(async (items: number[]) => {
      await Bun.sleep(items.length === 1 ? 2_200 : 0)
      return items
    })
    await slow(0)
    expect(await Promise.all(numbers(BATCH_MAX).map(slow))).toHaveLength(BATCH_MAX)
  })
})

test('settled waits for every call so far', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let committed = 0
  const add = batched(async (items: number[]) => {
    await released
    committed += items.length
    return items
  })
  const calls = [add(1), add(2)]
  const settled = add.drained()
  release()
  await settled
  expect(committed).toBe(2)
  await Promise.all(calls)
})
