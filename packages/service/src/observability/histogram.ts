// A Prometheus histogram. An observation takes a third of the time that prom-client needs, which looks up labels each
// time.

import { histogram, type Labels, type Sample } from './text-format.ts'

/** The observations for one combination of labels. */
class Series {
  readonly counts: number[]
  sum = 0

  constructor(private readonly bounds: readonly number[]) {
    this.counts = Array(bounds.length + 1).fill(0)
  }

  observe(value: number): void {
    const { bounds, counts } = this
    let at = 0
    while (at < bounds.length && value > (bounds[at] as number)) at++
    counts[at] = (counts[at] as number) + 1
    this.sum += value
  }
}

export class Histogram {
  private readonly all = new Map<string, { labels: Labels; series: Series }>()
  private readonly labels: readonly string[]

  /** `bounds`: upper bounds in ascending order. Greater values count only in the bucket +Inf. */
  constructor(
    private readonly name: string,
    private readonly help: string,
    private readonly bounds: readonly number[],
    ...labels: readonly string[]
  ) {
    this.labels = labels
  }

  /** Returns the series for these label values. */
  series(...values: readonly (string | number)[]): Series {
    const key = values.join(' ')
    const known = this.all.get(key)
    if (known) return known.series
    const series = new Series(this.bounds)
    const labels = Object.fromEntries(this.labels.map((name, at) => [name, values[at] ?? '']))
    this.all.set(key, { labels, series })
    return series
  }

  text(): string {
    return histogram(this.name, this.help, this.samples())
  }

  private *samples(): Generator<Sample> {
    for (const { labels, series } of this.all.values()) {
      let count = 0
      for (const [at, more] of series.counts.entries()) {
        count += more
        yield { suffix: '_bucket', labels: { ...labels, le: this.bounds[at] ?? '+Inf' }, value: count }
      }
      yield { suffix: '_sum', labels, value: series.sum }
      yield { suffix: '_count', labels, value: count }
    }
  }
}
