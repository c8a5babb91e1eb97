// Examines one server: runs each check at most once, after the promises it depends on, and returns the results.

import type { Answer } from './answer.ts'
import { curlOf, shown } from './curl.ts'
import { NotExaminable } from './exchange.ts'
import { firstOfStatuses } from './pet-lists.ts'
import { Probe, type Run, type Target, TimeUp } from './probe.ts'
import type { Level, Need, PromiseRow } from './promises/shared/promise.ts'
import { Broken, Uncertain, Unjudged } from './request.ts'

export type Result = { id: string; level: Level } & (
  | { outcome: 'held' }
  | { outcome: 'broken'; promise: string; source: string; curl: string; expected: string; actual: string }
  | { outcome: 'not_checked'; reason: string }
)

/** How many checks run at the same time, so that a distant server does not take too long. */
const TOGETHER = 64

export class Examination {
  private readonly run: Run
  private readonly rows: ReadonlyMap<string, PromiseRow>
  private readonly results = new Map<string, Promise<Result>>()
  private readonly waiting: (() => void)[] = []
  private running = 0
  /** The ids of the promises that could not be checked in time. */
  readonly late: string[] = []

  constructor(
    private readonly target: Target,
    catalogue: readonly PromiseRow[],
  ) {
    const orders = { placed: new Set<string>(), inFlight: new Set<Promise<unknown>>() }
    this.run = { target, endsAt: performance.now() + target.totalMs, seen: [], shared: new Map(), orders }
    this.rows = new Map(catalogue.map((row) => [row.id, row]))
  }

  /** Every response so far. */
  get seen(): readonly Answer[] {
    return this.run.seen
  }

  /** Rejects with NotExaminable if this is not a server of the interface, or if it rejects the key. */
  async begin(): Promise<void> {
    try {
      const answer = await new Probe(this.run).get('/pets')
      if (answer.status === 401 || answer.status === 403)
        throw new NotExaminable(`refuses the API key (${answer.status})`)
      if (answer.status === 404 && (await this.isNothing(answer)))
        throw new NotExaminable('has no /pets (404): is the base URL right?')
      if (/^\s*</.test(answer.text)) throw new NotExaminable('returned a web page; check the base URL')
      if (this.target.write) await firstOfStatuses(new Probe(this.run)).catch(() => undefined)
    } catch (error) {
      if (error instanceof Broken) throw new NotExaminable(error.actual.replace(/^The server (.*)\.$/, '$1'))
      if (error instanceof TimeUp) throw new NotExaminable(error.message)
      throw error
    }
  }

  /** Whether an unknown path gets the same response as GET /pets. */
  private async isNothing(answer: Answer): Promise<boolean> {
    const other = await new Probe(this.run).ask('GET /petstore-verify', { mayRedirect: true })
    const bare = ({ text }: Answer) => text.replaceAll(/petstore-verify|pets/g, '')
    return other.status === 404 && bare(other) === bare(answer)
  }

  /** Resolves with the results in the order of `chosen`. Rejects with NotExaminable. */
  async examine(chosen: readonly PromiseRow[], onResult?: (result: Result) => void): Promise<Result[]> {
    const reported = async (row: PromiseRow) => {
      const result = await this.resultOf(row.id)
      onResult?.(result)
      return result
    }
    const results: Result[] = []
    // The level `interface` runs first, because its checks need complete lists and later checks add many pets.
    for (const isFirst of [true, false]) {
      const beside = chosen.filter(({ level, alone }) => (level === 'interface') === isFirst && !alone)
      results.push(...(await Promise.all(beside.map(reported))))
    }
    for (const row of chosen.filter(({ alone }) => alone === 'writes')) results.push(await reported(row))
    results.push(...(await Promise.all(chosen.filter(({ alone }) => alone === 'reads').map(reported))))
    const byId = new Map(results.map((result) => [result.id, result]))
    return chosen.map(({ id }) => byId.get(id) as Result)
  }

  /** Returns every broken promise, including those examined only because another depends on them. */
  async broken(): Promise<Result[]> {
    return (await Promise.all(this.results.values())).filter(({ outcome }) => outcome === 'broken')
  }

  resultOf(id: string): Promise<Result> {
    const known = this.results.get(id)
    if (known) return known
    const result = this.judge(this.rows.get(id) as PromiseRow)
    this.results.set(id, result)
    return result
  }

  private async judge(row: PromiseRow, attempt = 0): Promise<Result> {
    const { id, level } = row
    const unchecked = (text: string): Result => {
      return { id, level, outcome: 'not_checked', reason: shown(text, this.target) }
    }
    const flags = this.missing(row).map((need) => `--${need.replace(' ', '-')}`)
    if (flags.length > 0) return unchecked(`Needs ${flags.join(' and ')}.`)
    for (const premise of row.premises ?? []) {
      const { outcome } = await this.resultOf(premise)
      if (outcome !== 'held') return unchecked(`${premise} is ${outcome === 'broken' ? 'broken' : 'not checked'}.`)
    }
    try {
      await this.inTurn(() => row.check(new Probe(this.run, attempt)))
      return { id, level, outcome: 'held' }
    } catch (error) {
      if (error instanceof Uncertain) return this.judge(row, attempt + 1)
      if (error instanceof Unjudged) return unchecked(error.message)
      if (error instanceof TimeUp) {
        this.late.push(id)
        return unchecked(`The server ${error.message}.`)
      }
      if (!(error instanceof Broken)) throw error
      const { promise, sources } = row
      const [expected, actual] = [shown(error.expected, this.target), shown(error.actual, this.target)]
      const curl = curlOf(error.request, this.target)
      return { id, level, outcome: 'broken', promise, source: sources.join('; '), curl, expected, actual }
    }
  }

  missing({ needs = [] }: PromiseRow): Need[] {
    const { write, keys } = this.target
    const given = { write, 'other key': keys.other !== undefined, 'read-only key': keys['read-only'] !== undefined }
    return needs.filter((need) => !given[need])
  }

  private async inTurn(check: () => Promise<unknown>): Promise<void> {
    if (this.running >= TOGETHER) await new Promise<void>((resolve) => this.waiting.push(resolve))
    else this.running++
    try {
      await check()
    } finally {
      const next = this.waiting.shift()
      if (next) next()
      else this.running--
    }
  }
}
