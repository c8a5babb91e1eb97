// Connections, or other things, that each serve one caller at a time. The others wait in order of arrival, for a limited time.

interface Waiting<Item> {
  resolve: (item: Item) => void
  reject: (error: Error) => void
}

/** How to make an item ready for its first use, and which failure of that means that there can be no more of them for now. */
interface Opening<Item> {
  open: (item: Item) => Promise<void>
  isFull: (error: unknown) => boolean
}

const READY: Opening<unknown> = { open: async () => {}, isFull: () => false }
/** How long nothing more is opened after there could be no more. */
const FULL_MS = 1_000

export class Pool<Item> {
  private readonly free: Item[] = []
  private readonly unopened: Item[]
  private readonly queue: Waiting<Item>[] = []
  private fullUntil = 0
  isClosed = false

  /**
   * A call that has waited `waitMs` throws the error that `busy` creates; so does one that waits when the pool is closed. Where no more can
   * be opened, calls go on with the items that are open. One throws what `open` does when none is, and each failure that is not `isFull`.
   */
  constructor(
    readonly items: readonly Item[],
    private readonly waitMs: number,
    private readonly busy: () => Error,
    private readonly opening: Opening<Item> = READY,
  ) {
    this.unopened = [...items]
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
    if (this.isClosed) return this.wait()
    const free = this.free.pop()
    if (free !== undefined) return free
    const isNoneOpen = this.unopened.length === this.items.length
    const next = isNoneOpen || performance.now() >= this.fullUntil ? this.unopened.pop() : undefined
    if (next === undefined) return this.wait()
    try {
      await this.opening.open(next)
      return next
    } catch (error) {
      this.unopened.push(next)
      if (!this.opening.isFull(error) || this.unopened.length === this.items.length) throw error
      this.fullUntil = performance.now() + FULL_MS
      return this.free.pop() ?? this.wait()
    }
  }

  private async serve<Result>(item: Item, work: (item: Item) => Promise<Result>): Promise<Result> {
    try {
      return await work(item)
    } finally {
      const next = this.queue.shift()
      if (next) next.resolve(item)
      else this.free.push(item)
    }
  }

  private wait(): Promise<Item> {
    if (this.isClosed) throw this.busy()
    const { promise, resolve, reject } = Promise.withResolvers<Item>()
    const waiting = { resolve, reject }
    this.queue.push(waiting)
    const timer = setTimeout(() => {
      this.queue.splice(this.queue.indexOf(waiting), 1)
      reject(this.busy())
    }, this.waitMs)
    return promise.finally(() => clearTimeout(timer))
  }
}
