// Limits how many calls run at once. The others wait in order of arrival, for a limited time.

export class Semaphore {
  private free: number
  private readonly queue: (() => void)[] = []

  /** A call that has waited `waitMs` throws the error that `busy` creates. */
  constructor(
    private readonly count: number,
    private readonly waitMs: number,
    private readonly busy: () => Error,
  ) {
    this.free = count
  }

  get state(): { size: number; busy: number; waiting: number } {
    return { size: this.count, busy: this.count - this.free, waiting: this.queue.length }
  }

  async use<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.free > 0) this.free--
    else await this.wait()
    try {
      return await work()
    } finally {
      const next = this.queue.shift()
      if (next) next()
      else this.free++
    }
  }

  private wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        this.queue.splice(this.queue.indexOf(start), 1)
        reject(this.busy())
      }, this.waitMs)
      this.queue.push(start)
    })
  }
}
