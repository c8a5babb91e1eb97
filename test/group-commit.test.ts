// What is committed together, and when: after a commit on this thread, what arrived meanwhile comes first.

import { expect, test } from 'bun:test'
import { batched } from '../src/store/shared/group-commit.ts'

test('what arrived during a commit that holds the thread comes before the answers of its batch', async () => {
  const order: string[] = []
  const add = batched(
    (items: number[]) => {
      setImmediate(() => order.push('arrived meanwhile'))
      return items
    },
    { holdsThread: true },
  )
  await Promise.all([add(1), add(2)].map((added) => added.then((n) => order.push(`answer ${n}`))))
  expect(order).toEqual(['arrived meanwhile', 'answer 1', 'answer 2'])
})

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

test('each commit is reported with its size and its time, those of single items too', async () => {
  const reports: [size: number, seconds: number][] = []
  const add = batched(
    async (items: number[]) => {
      await Bun.sleep(20)
      if (items.includes(13)) throw new Error('13 cannot be added')
      return items
    },
    { onBatch: (...report) => reports.push(report) },
  )
  const outcomes = await Promise.allSettled([add(1), add(13)])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect(reports.map(([size]) => size)).toEqual([2, 1, 1])
  for (const [, seconds] of reports) expect(seconds).toBeWithin(0.015, 5)
})
