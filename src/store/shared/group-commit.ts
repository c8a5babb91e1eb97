// Group commit: calls that arrive in the same turn of the event loop, or while a commit runs, are committed together, with one sync
// to disk. One row in a transaction gives about 6 000 rows a second, 64 rows give 400 000.

import { OVERLOADED, PetstoreError } from '../../domain/errors.ts'

const BATCH_MAX = 256
/** A call that would wait longer than this is refused at once. */
const WAIT_MS_MAX = 2000

interface Waiting<Item, Result> {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/**
 * Wraps `commit`, which takes a batch and returns the results in the same order, as a function for one item. A PetstoreError of
 * `commit` rejects the whole batch. After any other error, which one item may have caused, each item is committed alone. A call
 * rejects with OVERLOADED when it would wait too long, judged by the duration of the commits so far; the first batch may always wait.
 * Two items for which `exclusive` returns the same text are never in the same batch.
 */
export function batched<Item, Result>(
  commit: (items: Item[]) => Result[] | Promise<Result[]>,
  onBatch?: (size: number, seconds: number) => void,
  exclusive?: (item: Item) => string | undefined,
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = []
  let running = false
  let startedAt = 0
  let lastMs = 0

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      await gathered()
      const batch = take()
      startedAt = performance.now()
      try {
        const results = await commit(batch.map(({ item }) => item))
        batch.forEach(({ resolve }, index) => {
          resolve(results[index] as Result)
        })
      } catch (error) {
        if (error instanceof PetstoreError || batch.length === 1) for (const { reject } of batch) reject(error)
        else await Promise.all(batch.map(alone))
      }
      lastMs = performance.now() - startedAt
      onBatch?.(batch.length, lastMs / 1000)
    }
    running = false
  }

  /** After the poll phase, every request that has arrived is in the batch. Waits for as long as more arrive. */
  async function gathered(): Promise<void> {
    for (let before = 0; waiting.length > before && waiting.length < BATCH_MAX; ) {
      before = waiting.length
      await new Promise(setImmediate)
    }
  }

  function take(): Waiting<Item, Result>[] {
    if (!exclusive) return waiting.splice(0, BATCH_MAX)
    const taken: Waiting<Item, Result>[] = []
    const left: Waiting<Item, Result>[] = []
    const used = new Set<string>()
    for (const each of waiting) {
      const name = exclusive(each.item)
      const fits = taken.length < BATCH_MAX && (name === undefined || !used.has(name))
      if (name !== undefined) used.add(name)
      if (fits) taken.push(each)
      else left.push(each)
    }
    waiting = left
    return taken
  }

  async function alone({ item, resolve, reject }: Waiting<Item, Result>): Promise<void> {
    try {
      resolve((await commit([item]))[0] as Result)
    } catch (error) {
      reject(error)
    }
  }

  function overloaded(): boolean {
    if (waiting.length < BATCH_MAX) return false
    const commitMs = Math.max(lastMs, performance.now() - startedAt)
    return Math.ceil(waiting.length / BATCH_MAX) * commitMs > WAIT_MS_MAX
  }

  return (item) =>
    new Promise((resolve, reject) => {
      if (overloaded()) throw OVERLOADED
      waiting.push({ item, resolve, reject })
      if (running) return
      running = true
      startedAt = performance.now()
      run()
    })
}
