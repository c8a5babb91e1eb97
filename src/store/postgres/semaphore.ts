// How many may do something at once; the others wait in line, and not for ever.

export class Slots {
  private free: number
  private readonly line: (() => void)[] = []

  /** Who has waited `waitMs` in vain meets the error that `busy` makes. */
  constructor(
    private readonly count: number,
    private readonly waitMs: number,
    private readonly busy: () => Error,
  ) {
    this.free = count
  }

  get state(): { size: number; busy: number; waiting: number } {
    return { size: this.count, busy: this.count - this.free, waiting: this.line.length }
  }

  async use<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.free > 0) this.free--
    else await this.turn()
    try {
      return await work()
    } finally {
      const next = this.line.shift()
      if (next) next()
      else this.free++
    }
  }

  private turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const come = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        this.line.splice(this.line.indexOf(come), 1)
        reject(this.busy())
      }, this.waitMs)
      this.line.push(come)
    })
  }
}
