// Connections, or other things, that each serve one caller at a time. The others wait in order of arrival, for a limited time.

interface Waiting<Item> {
  resolve: (item: Item) => void
  reject: (error: Error) => void
}

export class Pool<Item> {
  private readonly free: Item[]
  private readonly queue: Waiting<Item>[] = []
  isClosed = false

  /** A call that has waited `waitMs` throws the error that `busy` creates; so does one that waits when the pool is closed. */
  constructor(
    readonly items: readonly Item[],
    private readonly waitMs: number,
    private readonly busy: () => Error,
  ) {
    this.free = [...items]
  }

  get state(): { size: number; busy: number; waiting: number } {
    const size = this.items.length
    return { size, busy: size - this.free.length, waiting: this.queue.length }
  }

  /** Resolves when the work has started. Its item is free again when the work has ended, even if nobody waits for that any more. */
  async start<Result>(work: (item: Item) => Promise<Result>): Promise<{ running: Promise<Result> }> {
    const item = this.isClosed ? undefined : this.free.pop()
    return { running: this.run(item ?? (await this.wait()), work) }
  }

  /** No work starts any more. */
  close(): void {
    this.isClosed = true
    for (const { reject } of this.queue.splice(0)) reject(this.busy())
  }

  private async run<Result>(item: Item, work: (item: Item) => Promise<Result>): Promise<Result> {
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
