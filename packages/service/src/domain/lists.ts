// Lists: their parameters and their pages.

/**
 * The parameters of a list in the contract, and where its page lies. None may be left out: a parameter that somebody forgets, between the
 * request and the statement, does not compile.
 */
export type ListFilter<Parameters> = Query<Parameters> & PagePosition

/** What the links to other pages repeat. */
export type Query<Parameters, Given = Omit<Parameters, 'cursor'>> = {
  readonly [Name in keyof Given]-?: undefined extends Given[Name] ? Given[Name] | undefined : Given[Name]
}

export interface PagePosition {
  /** The page begins between this id and the next greater one; `undefined`: at the start of the list. */
  readonly after: bigint | undefined
  /** The page ends there instead, and holds the rows right before. */
  readonly back: boolean
}

export interface Page {
  /** The rows as a JSON array, as the contract writes them. */
  readonly json: string
  /** Where the next page begins, as `PagePosition.after`; `undefined` when nothing follows. */
  readonly next: bigint | undefined
  /** Where the page before ends, as `PagePosition.after`; `undefined` when the list has nothing before. */
  readonly prev: bigint | undefined
}
