// A pool of connections or other items that serve one caller at a time. Other callers wait in order of arrival, for a
// limited time.

import { monotonicMs, startInterval, stopTimer } from '../../../system/runtime.ts'

/** How an item is prepared for its first use. */
interface Opening<Item> {
  open: (item: Item) => Promise<void>
  /** Called for each failed attempt. */
  onFailure: (error: unknown, isAnyOpen: boolean) => void
}

/** The pause after a failed attempt to open an item. It doubles while some items are open. */
export const ATTEMPT_MIN_MS = 100
export const ATTEMPT_MAX_MS = 5_000

export class Pool<Item> {
  private readonly free: Item[] = []
  private readonly unopened: Item[] = []
  private readonly queue: PromiseWithResolvers<Item>[] = []
  private isAnyOpen = false
  /** The error of the last attempt, if it failed. */
  private failure: unknown
  private pauseMs = 0
  private nextAttemptAt = 0
  isClosed = false

  /**
   * A call that waits longer than `waitMs`, or while the pool is closed, throws the error from `busy`; the time counts
   * only while an item is open. If no more items can be opened, calls use the open ones, and throw the error of `open`
   * if there are none.
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

  /** Resolves when `work` starts. The item is free again when `work` ends, even if the caller stops waiting. */
  async start<Result>(work: (item: Item) => Promise<Result>): Promise<{ running: Promise<Result> }> {
    const item = await this.take()
    return { running: Promise.try(work, item).finally(() => this.release(item)) }
  }

  async run<Result>(work: (item: Item) => Promise<Result>): Promise<Result> {
    return (await this.start(work)).running
  }

  /** No more work starts. */
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

  private release(item: Item): void {
    const next = this.queue.shift()
    if (next) next.resolve(item)
    else this.free.push(item)
  }

  private wait(): Promise<Item> {
    const waiting = Promise.withResolvers<Item>()
    this.queue.push(waiting)
    const timer = startInterval(() => {
      if (!this.isAnyOpen) return
      this.queue.splice(this.queue.indexOf(waiting), 1)
      waiting.reject(this.busy())
    }, this.waitMs)
    return waiting.promise.finally(() => stopTimer(timer))
  }
}
