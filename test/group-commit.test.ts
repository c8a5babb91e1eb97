// What is committed together, and when.

import { expect, test } from 'bun:test'
import { batched } from '../src/store/shared/group-commit.ts'

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
