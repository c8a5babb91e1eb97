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
