// Fills the index of search behind the rows, in the background: whenever all ids of a segment are given away, its terms are written. Every server
// does this, and any number of them may: each writes the same, and the first one counts.

import { wordsOf } from '../../domain/words.ts'
import type { Pruning, SearchTables } from './tables.ts'
import { segmentOf, Terms } from './terms.ts'
import { type Demand, resting } from './turns.ts'

const EVERY_MS = 1_000
/** Servers that know a change need not read all anew while it is among the newest. */
const CHANGES_KEPT = 1_000
const CHANGES = 20
/** After so long nobody uses an index of the version before. */
const OLDER_KEPT_MS = 86_400_000
const ROWS = 250
/** Terms in one transaction: few enough that no request waits for it. */
const TERMS = 200

type Tables = Pick<SearchTables<never>, 'end' | 'news' | 'write'> & Pruning

export interface Filling {
  /** Resolves when nothing is written any more. */
  stop(): Promise<void>
}

interface Options<List> {
  onUnindexed?: ((list: List, ids: number) => void) | undefined
  monotonic?: (() => number) | undefined
  searchEveryMs?: number | undefined
}

/** `size`: the ids of a segment. */
export function startFilling<List extends string>(
  lists: Readonly<Record<List, Tables>>,
  size: number,
  demand: Demand,
  { onUnindexed, monotonic = () => performance.now(), searchEveryMs: everyMs = EVERY_MS }: Options<List>,
): Filling {
  let stopped = false
  const startedAt = monotonic()
  let filling: Promise<unknown> = Promise.resolve()
  let timer = setTimeout(again, everyMs)
  timer.unref()

  function again(): void {
    filling = Promise.all((Object.keys(lists) as List[]).map(fillAll)).catch(() => {
      // The next one tries again; whoever asks the store meanwhile gets its error.
    })
    filling.then(() => {
      if (stopped) return
      // At another time than other servers.
      timer = setTimeout(again, everyMs * (1 + Math.random()))
      timer.unref()
    })
  }

  async function fillAll(list: List): Promise<void> {
    while (!stopped && (await fillNext(list, lists[list])));
    await prune(lists[list])
  }

  /** Puts old changes of texts into their segments, and deletes what older versions have left. */
  async function prune(tables: Tables): Promise<void> {
    const rests = resting(() => false)
    for (let isMore = true; isMore && !stopped; ) {
      const changes = await tables.oldChanges(CHANGES_KEPT, CHANGES)
      isMore = changes.length === CHANGES
      for (const [segment, some] of Map.groupBy(changes, ([, id]) => segmentOf(id, size))) {
        const terms = new Terms(size)
        for (const [, id, text] of some) terms.add(Number(id - segment * BigInt(size)), wordsOf(text ?? ''))
        const ids = some.map(([change]) => change)
        await tables.fold(ids, segment, [...terms.entries()])
        await rests()
      }
    }
    if (monotonic() - startedAt < OLDER_KEPT_MS) return
    while (!stopped && (await tables.deleteOlder(TERMS))) await rests()
  }

  /** Resolves with whether there was a segment to fill. */
  async function fillNext(list: List, tables: Tables): Promise<boolean> {
    const { first, last } = await tables.end()
    onUnindexed?.(list, first === undefined || last === undefined ? 0 : Number(last - first) + 1)
    if (first === undefined || last === undefined) return false
    const whole = BigInt(size)
    const segment = segmentOf(first, size)
    const end = (segment + 1n) * whole
    if (last < end) return false
    const rests = resting(() => demand.isFresh())
    const terms = new Terms(size)
    for (let row = first; row < end && !stopped; await rests()) {
      const { rows } = await tables.news({ segment: NEVER, row, change: NEVER }, ROWS)
      for (const [id, text] of rows) {
        if (id < end) terms.add(Number(id - segment * whole), wordsOf(text))
        await rests()
      }
      row = (rows.at(-1)?.[0] ?? end) + 1n
    }
    const entries = terms.entries()
    for (let isLast = false, some = take(entries); !isLast && !stopped; await rests()) {
      const next = take(entries)
      isLast = next.length === 0
      if (!(await tables.write(segment, some, isLast))) break
      some = next
    }
    return !stopped
  }

  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await filling
    },
  }
}

function take<Of>(items: Iterator<Of>): Of[] {
  const taken: Of[] = []
  for (let next = items.next(); !next.done; next = items.next()) if (taken.push(next.value) === TERMS) break
  return taken
}

/** No segment and no change is greater. */
const NEVER = 2n ** 63n - 1n
