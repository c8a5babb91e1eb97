// What the index of search asks of a store, for one list. The index is segments of ids, which are written once and never change, and whatever
// comes behind them, which is read from the rows.

import type { Range } from './terms.ts'

/** What a search knows already of the store. */
export interface Known {
  /** The last segment, or the first that there may be. */
  readonly segment: bigint
  /** The last id, or the first that a row may have. */
  readonly row: bigint
  /** The last change of a text. */
  readonly change: bigint
}

export interface News {
  readonly segments: readonly bigint[]
  /** From the known one on, each with its searched text, in the order of the ids. */
  readonly rows: readonly (readonly [id: bigint, text: string])[]
  readonly changes: readonly Change[]
}

/** A row whose text has changed; without it where the row is gone. */
export type Change = readonly [change: bigint, id: bigint, text: string | null]

export interface FoundRow {
  readonly id: bigint
  readonly text: string
  readonly json: string
}

export interface Walked {
  /** How many rows were looked at, up to the limit, and the last of them. */
  readonly looked: number
  readonly last: bigint | undefined
  /** Those that may have the word, in their order. */
  readonly rows: readonly (readonly [id: bigint, text: string])[]
}

/** A row that was walked to, in JSON: the id as text, since it may have more digits than a number. */
export function walkedRows(json: string): [id: bigint, text: string][] {
  return (JSON.parse(json) as [string, string][]).map(([id, text]) => [BigInt(id), text])
}

/** Where the index ends. */
export interface End {
  /** The first id behind the last segment, and the last id of all; `undefined` where there is none. */
  readonly first: bigint | undefined
  readonly last: bigint | undefined
}

export interface SearchTables<Filter> {
  /** From what is known on, itself included, up to `limit` of the rows and of the changes. Includes every commit before the call. */
  news(known: Known, limit: number): Promise<News>

  /** The ids of each term in the range, with its segment. */
  idsOf(segments: readonly bigint[], range: Range): Promise<(readonly [segment: bigint, ids: Uint8Array])[]>

  /** Those of the rows that the filters let pass, in any order. */
  rows(ids: readonly bigint[], filter: Filter): Promise<FoundRow[]>

  /** Looks at the rows that the filters let pass above `after`, or up to it, the nearest first. */
  walk(filter: Filter, after: bigint, up: boolean, limit: number, word: string): Promise<Walked>

  end(): Promise<End>

  /** Adds terms to a segment, or replaces them; with the last of them the segment is there. `false` when it was there before. */
  write(segment: bigint, terms: readonly (readonly [string, Uint8Array])[], isLast: boolean): Promise<boolean>
}

/** What nobody needs any more. */
export interface Pruning {
  /**
   * Up to `limit` of the oldest changes, but for the newest `kept` of all, whose rows are in a segment that is there; none while there are
   * segments of another folding, whose servers need them.
   */
  oldChanges(kept: number, limit: number): Promise<readonly Change[]>

  /** Adds ids to the terms of a segment that is there, and forgets the changes that they come from. */
  fold(changes: readonly bigint[], segment: bigint, terms: readonly (readonly [string, Uint8Array])[]): Promise<void>

  /** Deletes segments of older foldings, and up to `limit` of their terms. Gives whether there were any. */
  deleteOlder(limit: number): Promise<boolean>
}
