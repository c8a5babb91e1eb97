// The parameters and pages of lists.

import type { Sort } from '../../../contract/src/generated.ts'

/** Whether each order of a list has ascending ids. */
export const ASCENDS: Readonly<Record<Sort, boolean>> = { oldest: true, newest: false }

/**
 * The contract's parameters of a list, and the page's position. All are required, so code that forgets one between
 * request and SQL does not compile.
 */
export type ListFilter<Parameters> = Query<Parameters> & PagePosition

/** The parameters that links to other pages repeat. */
export type Query<Parameters, Given = Omit<Parameters, 'cursor'>> = {
  readonly [Name in keyof Given]-?: undefined extends Given[Name] ? Given[Name] | undefined : Given[Name]
}

export interface PagePosition {
  /** The page starts between this id and the next greater one; `undefined` means at the start of the list. */
  readonly after: bigint | undefined
  /** The page ends at that position instead, with the rows right before it. */
  readonly back: boolean
}

export interface Page {
  /** The rows as a JSON array, as defined by the contract. */
  readonly json: string
  /** The `after` of the next page, or `undefined` on the last page. */
  readonly next: bigint | undefined
  /** The `after` of the previous page, which is read with `back`, or `undefined` on the first page. */
  readonly prev: bigint | undefined
}
