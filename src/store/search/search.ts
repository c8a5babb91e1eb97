// Finds the rows of a page by the words of a search. The index gives candidates, segment by segment, and what is behind it is looked through;
// each candidate is compared with its row, so the index may say too much, and never decides.

import { PetstoreError } from '../../domain/errors.ts'
import type { Page } from '../../domain/lists.ts'
import { beginningsOf, hasWords, searchWords, wordsOf } from '../../domain/words.ts'
import { batched } from '../shared/group-commit.ts'
import { type AnyFilter, goesUp, hasFilters, type List, pageOf, startOf } from '../shared/lists.ts'
import { Memory, type View } from './memory.ts'
import { BLOCK } from './rows.ts'
import { placesOf } from './segments.ts'
import type { FoundRow, SearchTables } from './tables.ts'
import { segmentOf } from './terms.ts'
import { type Demand, taking } from './turns.ts'

const CHUNK = { first: 64, max: 1_024 }
/** Rows behind the segments that are passed by at once. */
const PASSED = 32 * BLOCK
/** Rows that are looked at by the index, before as many along the filters; twice as many each time. */
const TURN_ROWS = 192
/** A search that has looked at so many rows in vain ends. It takes about 0.2 s, in slices. */
const ROWS_MAX = 100_000

/** Ids that may be on the page, the nearest first, and where the way goes on behind all that was looked at for them. */
interface Candidates {
  readonly ids: readonly bigint[]
  readonly after: bigint
  readonly looked: number
}

/** `plain`, for the filters that have a search, too. `size`: the ids of a segment. */
export function searchable<Filter extends AnyFilter>(
  plain: (filter: Filter) => Promise<Page>,
  tables: SearchTables<Filter>,
  list: List<Filter>,
  size: number,
  demand: Demand,
): (filter: Filter) => Promise<Page> {
  const memory = new Memory(tables, size, demand)
  // A search sees what was committed before it began: those that wait share the next reading.
  const look = batched(async (waiting: object[]) => {
    const view = await memory.read()
    return waiting.map(() => view)
  })

  return async (filter) => {
    if (filter.search === undefined) return plain(filter)
    const words = searchWords(filter.search)
    const view = await look({})
    const { limit, back, after } = filter
    const up = goesUp(filter)
    const way = new Way(tables, size, view, words, filter, hasFilters(list, filter))
    const found = await way.find(after ?? startOf(up), up, limit + 1)
    const beyond = after !== undefined && (await way.find(after, !up, 1)).length > 0
    const shown = found.slice(0, limit)
    if (back) shown.reverse()
    return pageOf(filter, {
      rows: shown.map(({ json }) => json).join(','),
      first: shown[0]?.id,
      last: shown.at(-1)?.id,
      more: found.length > limit,
      beyond,
    })
  }
}

/** One search on its way up or down the ids. */
class Way<Filter> {
  private looked = 0
  private readonly turns = taking()
  private readonly beginnings: readonly string[]

  constructor(
    private readonly tables: SearchTables<Filter>,
    private readonly size: number,
    private readonly view: View,
    private readonly words: readonly string[],
    private readonly filter: Filter,
    private readonly hasFilters: boolean,
  ) {
    this.beginnings = beginningsOf(words)
  }

  /**
   * Up to `count` rows, the nearest first. Nobody knows whether the filters or the words leave less, so both ways are gone, each for as long
   * as the other: it takes at most about twice the shorter one.
   */
  async find(from: bigint, up: boolean, count: number): Promise<FoundRow[]> {
    const found: FoundRow[] = []
    // Without filters most of the first are found.
    const first = this.hasFilters ? CHUNK.first : count
    let after = from
    for (let turn = TURN_ROWS; ; turn *= 2) {
      for (const way of this.hasFilters ? [this.byWords, this.alongFilters] : [this.byWords]) {
        const end = this.looked + (this.hasFilters ? turn : Number.POSITIVE_INFINITY)
        let isOver = true
        for await (const { ids, after: next, looked } of way.call(this, after, up, first)) {
          if (ids.length > 0) found.push(...(await this.matching(ids)))
          if (found.length >= count) return found.slice(0, count)
          after = next
          this.looked += looked
          if (this.looked > ROWS_MAX) throw tooMany()
          await this.turns()
          isOver = this.looked < end
          if (!isOver) break
        }
        if (isOver) return found
      }
    }
  }

  private async matching(ids: readonly bigint[]): Promise<FoundRow[]> {
    const rows = new Map((await this.tables.rows(ids, this.filter)).map((row) => [row.id, row]))
    return ids.flatMap((id) => rows.get(id) ?? []).filter(({ text }) => hasWords(wordsOf(text), this.beginnings))
  }

  private async *alongFilters(from: bigint, up: boolean, first: number): AsyncGenerator<Candidates> {
    const [word = ''] = this.words.toSorted((one, other) => other.length - one.length)
    let after = from
    for (let chunk = first; ; chunk = Math.min(4 * chunk, CHUNK.max)) {
      const { rows, looked, last } = await this.tables.walk(this.filter, after, up, chunk, word)
      if (last !== undefined) after = up ? last : last - 1n
      const ids = rows.filter(([, text]) => hasWords(wordsOf(text), this.beginnings)).map(([id]) => id)
      yield { ids, after, looked }
      if (looked < chunk) return
    }
  }

  private async *byWords(from: bigint, up: boolean, first: number): AsyncGenerator<Candidates> {
    if (up) yield* this.inSegments(from, up, first)
    yield* this.behindSegments(from, up, first)
    if (!up) yield* this.inSegments(from, up, first)
  }

  private *behindSegments(from: bigint, up: boolean, first: number): Generator<Candidates> {
    const { rows, end } = this.view
    const start = rows.firstAbove(from, end)
    const step = up ? 1 : -1
    const mayHave = (block: string | undefined) => block === undefined || hasWords(block, this.beginnings)
    let found: bigint[] = []
    let chunk = first
    let isIn = true
    for (let at = up ? start : start - 1; at >= rows.start && at < end; at += step) {
      const isFirst = at % BLOCK === (up ? 0 : BLOCK - 1)
      if (isFirst) isIn = mayHave(rows.blockOf(at))
      if (!isIn) at += step * (BLOCK - 1)
      else if (hasWords(rows.wordsAt(at), this.beginnings)) found.push(rows.idAt(at))
      if (found.length < chunk && !(isFirst && at % PASSED < BLOCK)) continue
      const last = rows.idAt(Math.max(at, rows.start))
      yield { ids: found, after: up ? last : last - 1n, looked: found.length }
      if (found.length > 0) chunk = Math.min(4 * chunk, CHUNK.max)
      found = []
    }
    yield* chunks(found, up, first, (id) => id)
  }

  private async *inSegments(from: bigint, up: boolean, first: number): AsyncGenerator<Candidates> {
    const { size } = this
    const nearest = segmentOf(up ? from + 1n : from, size)
    const way = this.view.segments.filter((segment) => (up ? segment >= nearest : segment <= nearest))
    if (!up) way.reverse()
    const changed = [...this.view.changed].filter(
      ([id, words]) => id < this.view.behind && hasWords(words, this.beginnings),
    )
    for await (const [segment, wanted] of placesOf(this.tables, size, way, this.words, this.turns)) {
      const start = segment * BigInt(size)
      for (const [id] of changed) if (segmentOf(id, size) === segment) wanted.push(Number(id - start))
      // Texts that have changed stand behind the others, or are there twice.
      const places = changed.length === 0 ? wanted : [...new Set(wanted)].sort((one, other) => one - other)
      const end = Number(from - start)
      const onWay = places.filter((place) => (up ? place > end : place <= end))
      if (!up) onWay.reverse()
      yield* chunks(onWay, up, first, (place) => start + BigInt(place))
    }
  }
}

function* chunks<Of>(all: readonly Of[], up: boolean, first: number, idOf: (one: Of) => bigint): Generator<Candidates> {
  for (let at = 0, chunk = first; at < all.length; at += chunk, chunk = Math.min(4 * chunk, CHUNK.max)) {
    const some = all.slice(at, at + chunk).map(idOf)
    const last = some.at(-1) as bigint
    yield { ids: some, after: up ? last : last - 1n, looked: some.length }
  }
}

function tooMany(): PetstoreError {
  return new PetstoreError(
    'invalid_parameter',
    `search has looked at ${ROWS_MAX} rows that the other filters leave out. Search for more letters or words, or with fewer filters.`,
  )
}
