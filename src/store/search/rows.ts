// The rows behind the index, with their words, in the order of their ids. 10^6 of them take about 30 MB, since the words of a block are one text.

/** Rows whose words are looked through at once. */
export const BLOCK = 256

/** Rows have places, from `start` to before `end`. Nothing moves: rows come at the end, and words change. */
export class Rows {
  /** The words of the block that was read last. */
  private read: { text: string; words: string[] } | undefined

  constructor(
    private ids = new BigInt64Array(BLOCK),
    /** The words of each whole block, separated by line breaks, which no word contains. */
    private readonly blocks: string[] = [],
    /** The words of the rows behind them. */
    private last: string[] = [],
    readonly start = 0,
    public end = 0,
  ) {}

  get length(): number {
    return this.end - this.start
  }

  idAt(place: number): bigint {
    return this.ids[place] as bigint
  }

  wordsAt(place: number): string {
    const text = this.blockOf(place)
    if (text === undefined) return this.last[place % BLOCK] as string
    if (this.read?.text !== text) this.read = { text, words: text.split('\n') }
    return this.read.words[place % BLOCK] as string
  }

  /** All words of the block that the place is in; `undefined` where not all of its rows are there yet. */
  blockOf(place: number): string | undefined {
    return this.blocks[Math.floor(place / BLOCK)]
  }

  /** The place of the first id before `end` that is greater. */
  firstAbove(id: bigint, end = this.end): number {
    let [low, high] = [this.start, end]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.idAt(middle) > id) high = middle
      else low = middle + 1
    }
    return low
  }

  add(id: bigint, words: string): void {
    if (this.end === this.ids.length) {
      const ids = new BigInt64Array(2 * this.end + BLOCK)
      ids.set(this.ids)
      this.ids = ids
    }
    this.ids[this.end++] = id
    this.last.push(words)
    if (this.last.length < BLOCK) return
    this.blocks.push(this.last.join('\n'))
    this.last = []
  }

  change(id: bigint, words: string): void {
    const place = this.firstAbove(id - 1n)
    if (place === this.end || this.idAt(place) !== id) return
    const text = this.blockOf(place)
    if (text === undefined) this.last[place % BLOCK] = words
    else
      this.blocks[Math.floor(place / BLOCK)] = text
        .split('\n')
        .with(place % BLOCK, words)
        .join('\n')
  }

  /** Those before the place, elsewhere: a search may still read those that were there. */
  before(end: number): Rows {
    const whole = Math.floor(end / BLOCK)
    const last = Array.from({ length: end % BLOCK }, (_, place) => this.wordsAt(whole * BLOCK + place))
    return new Rows(this.ids.slice(), this.blocks.slice(0, whole), last, this.start, end)
  }

  /** Those from the id on, elsewhere. */
  from(id: bigint): Rows {
    const start = this.firstAbove(id - 1n)
    const gone = Math.floor(start / BLOCK)
    const moved = gone * BLOCK
    return new Rows(this.ids.slice(moved), this.blocks.slice(gone), [...this.last], start - moved, this.end - moved)
  }
}
