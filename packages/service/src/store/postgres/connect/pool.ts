// Connections, or other things, that each serve one caller at a time. The others wait in order of arrival, for a limited time.

import { monotonicMs, startInterval, stopTimer } from '../../../system/runtime.ts'

interface QueuedCaller<Item> {
  resolve: (item: Item) => void
  reject: (error: unknown) => void
}

/** How an item is made ready for its first use. */
interface Opening<Item> {
  open: (item: Item) => Promise<void>
  /** Called for each attempt that fails. */
  onFailure: (error: unknown, isAnyOpen: boolean) => void
}

/** The time from an attempt to open an item that failed to the next one. It doubles while some items are open. */
export const ATTEMPT_MIN_MS = 100
export const ATTEMPT_MAX_MS = 5_000

export class Pool<Item> {
  private readonly free: Item[] = []
  private readonly unopened: Item[] = []
  private readonly queue: QueuedCaller<Item>[] = []
  private isAnyOpen = false
  /** What the last attempt to open an item threw, if it failed. */
  private failure: unknown
  private pauseMs = 0
  private nextAttemptAt = 0
  isClosed = false

  /**
   * A call that has waited `waitMs` since an item is open throws the error that `busy` creates; so does one that waits when the pool is closed.
   * If no more items can be opened, calls use the items that are open, and throw what `open` threw if none is.
   */
  constructor(
    readonly items: readonly Item[],
    private readonly waitMs: number,
    private readonly busy: () => Error,
    private readonly opening?: Opening<Item>,
  ) {
    this.isAnyOpen = opening === undefined
    ;(this.isAnyOpen ? this.free : this.unopened).push(...items)
  }

  get state(): { size: number; busy: number; waiting: number } {
    const size = this.items.length
    return { size, busy: size - this.free.length - this.unopened.length, waiting: this.queue.length }
  }

  /** Resolves when the work has started. Its item is free again when the work has ended, even if nobody waits for that any more. */
  async start<Result>(work: (item: Item) => Promise<Result>): Promise<{ running: Promise<Result> }> {
    return { running: this.serve(await this.take(), work) }
  }

  /** Resolves when the work has ended. */
  async run<Result>(work: (item: Item) => Promise<Result>): Promise<Result> {
    return this.serve(await this.take(), work)
  }

  /** No work starts any more. */
  close(): void {
    this.isClosed = true
    for (const { reject } of this.queue.splice(0)) reject(this.busy())
  }

  private async take(): Promise<Item> {
    if (this.isClosed) throw this.busy()
    const free = this.free.pop()
    if (free !== undefined) return free
    void this.openOne()
    if (this.unopened.length > 0 && this.unopened.length === this.items.length) throw this.failure
    return this.wait()
  }

  /** Opens one more item in the background, unless the last attempt failed too recently. */
  private async openOne(): Promise<void> {
    const now = monotonicMs()
    const item = now < this.nextAttemptAt ? undefined : this.unopened.pop()
    if (item === undefined) return
    const { pauseMs } = this
    this.nextAttemptAt = now + pauseMs
    try {
      await this.opening?.open(item)
      this.isAnyOpen = true
      this.pauseMs = 0
      this.nextAttemptAt = 0
      this.release(item)
    } catch (error) {
      this.unopened.push(item)
      this.failure = error
      this.pauseMs = this.isAnyOpen ? Math.min(Math.max(2 * pauseMs, ATTEMPT_MIN_MS), ATTEMPT_MAX_MS) : ATTEMPT_MIN_MS
      this.nextAttemptAt = monotonicMs() + this.pauseMs
      if (this.unopened.length === this.items.length) for (const { reject } of this.queue.splice(0)) reject(error)
      this.opening?.onFailure(error, this.isAnyOpen)
    }
  }

  private async serve<Result>(item: Item, work: (item: Item) => Promise<Result>): Promise<Result> {
    try {
      return await work(item)
    } finally {
      this.release(item)
    }
  }

  private release(item: Item): void {
    const next = this.queue.shift()
    if (next) next.resolve(item)
    else this.free.push(item)
  }

  private wait(): Promise<Item> {
    const { promise, resolve, reject } = Promise.withResolvers<Item>()
    const waiting = { resolve, reject }
    this.queue.push(waiting)
    const timer = startInterval(() => {
      if (!this.isAnyOpen) return
      this.queue.splice(this.queue.indexOf(waiting), 1)
      reject(this.busy())
    }, this.waitMs)
    return promise.finally(() => stopTimer(timer))
  }
}
