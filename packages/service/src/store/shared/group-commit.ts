// Group commit: calls that arrive in the same turn of the event loop, or while a commit runs, are committed together
// with one sync to disk. Calls can also join a commit that is still waiting for its lock.
//
// A store writes about 6,000 rows a second with one row per transaction, and 400,000 with 64 rows. The cost is that a
// call waits for the batch before it, and that all items of a batch are committed separately if one of them fails.

import { LIMITS } from '../../domain/limits.ts'
import { OVERLOADED, PetstoreError } from '../../domain/petstore-error.ts'
import { endOfTurn, monotonicMs } from '../../system/runtime.ts'

/** A call that would wait longer than this is rejected immediately. */
const WAIT_MS_MAX = 2000

type Call<Item, Result> = PromiseWithResolvers<Result> & { readonly item: Item }

/**
 * Moves waiting calls into the batch that is being committed, up to `batchMax`, and returns their items. Throws once the
 * batch has failed: its calls have their results, so a commit that is still running must not take more.
 */
type Join<Item> = () => Item[]

interface Batched<Item, Result> {
  (item: Item): Promise<Result>
  /** Resolves when every call so far has its result. */
  drained(): Promise<void>
}

/**
 * Calls an observer of commits. Its errors become warnings: they must not stop writes or make a commit look failed.
 */
export function observe(call: () => void): void {
  try {
    call()
  } catch (error) {
    process.emitWarning(error as Error)
  }
}

/** Calls that are committed together. It takes calls while it is open; once it is settled, it never does again. */
class Batch<Item, Result> {
  private readonly calls: Call<Item, Result>[] = []
  private isOpen = true

  constructor(
    private readonly waiting: Call<Item, Result>[],
    private readonly max: number,
  ) {}

  readonly join: Join<Item> = () => {
    if (!this.isOpen) throw new Error('the batch is settled')
    const more = this.waiting.splice(0, this.max - this.calls.length)
    this.calls.push(...more)
    return more.map(({ item }) => item)
  }

  /** Returns the calls, which now need their results. */
  settle(): readonly Call<Item, Result>[] {
    this.isOpen = false
    return this.calls
  }
}

/**
 * Turns `commit`, which takes a batch, into a function that takes one item. `commit` returns results in the order of
 * its items, followed by the results of calls that joined. A PetstoreError among the results rejects its item; one
 * that `commit` throws rejects the whole batch. Any other error may have been caused by a single item, so the items
 * are then committed one after the other. A call rejects with OVERLOADED if it would wait too long, judged by the last
 * commit and the one in progress. It is always accepted if fewer than `batchMax` calls wait.
 */
export function batched<Item, Result>(
  commit: (items: Item[], join: Join<Item>) => (Result | PetstoreError)[] | Promise<(Result | PetstoreError)[]>,
  onBatch?: (size: number, seconds: number) => void,
  batchMax = LIMITS.batchMax,
): Batched<Item, Result> {
  const waiting: Call<Item, Result>[] = []
  let running: Promise<void> | undefined
  let startedAt = 0
  let lastMs = 0

  async function run(): Promise<void> {
    await gathered()
    while (waiting.length > 0) {
      startedAt = monotonicMs()
      const settle = await commitFrom(waiting)
      lastMs = monotonicMs() - startedAt
      // Synchronous, so that a call that a result leads to begins a new turn of the event loop, and timers can run.
      const size = settle()
      observe(() => onBatch?.(size, lastMs / 1000))
    }
    running = undefined
  }

  /** Commits a batch of these calls. Returns a function that settles them and returns their number. */
  async function commitFrom(from: Call<Item, Result>[]): Promise<() => number> {
    const batch = new Batch(from, batchMax)
    try {
      const results = await commit(batch.join(), batch.join)
      const calls = batch.settle()
      return () => {
        calls.forEach(({ resolve, reject }, index) => {
          const result = results[index] as Result | PetstoreError
          if (result instanceof PetstoreError) reject(result)
          else resolve(result)
        })
        return calls.length
      }
    } catch (error) {
      const calls = batch.settle()
      const isOne = error instanceof PetstoreError || calls.length === 1
      if (!isOne) await oneByOne(calls)
      return () => {
        if (isOne) for (const { reject } of calls) reject(error)
        return calls.length
      }
    }
  }

  /** Calls that would wait for longer than WAIT_MS_MAX are rejected. */
  async function oneByOne(calls: readonly Call<Item, Result>[]): Promise<void> {
    const deadline = monotonicMs() + WAIT_MS_MAX
    for (const call of calls) {
      if (monotonicMs() > deadline) call.reject(OVERLOADED)
      else (await commitFrom([call]))()
    }
  }

  /**
   * Waits while each turn of the event loop adds calls, so that a batch contains every request that has arrived.
   * Calls that arrive during a commit skip this wait: they are committed while the previous batch gets its response.
   */
  async function gathered(): Promise<void> {
    for (let before = 0; waiting.length > before && waiting.length < batchMax; ) {
      before = waiting.length
      await endOfTurn()
    }
  }

  function overloaded(): boolean {
    if (waiting.length < batchMax) return false
    const commitMs = Math.max(lastMs, monotonicMs() - startedAt)
    return Math.ceil(waiting.length / batchMax) * commitMs > WAIT_MS_MAX
  }

  function add(item: Item): Promise<Result> {
    if (overloaded()) return Promise.reject(OVERLOADED)
    const queued = { item, ...Promise.withResolvers<Result>() }
    waiting.push(queued)
    if (!running) {
      startedAt = monotonicMs()
      running = run()
    }
    return queued.promise
  }

  return Object.assign(add, { drained: async () => running })
}
