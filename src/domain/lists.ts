// Lists: what one may be asked for, and its pages.

/**
 * The parameters of a list in the contract, and where its page begins. None may be left out: a parameter that somebody forgets, between the
 * request and the statement, does not compile.
 */
export type ListFilter<Parameters> = Query<Parameters> & {
  /** Only rows with a greater id: the last one of the page before. */
  readonly after: bigint | undefined
}

/** What the link to the next page repeats. */
export type Query<Parameters, Asked = Omit<Parameters, 'cursor'>> = {
  readonly [Name in keyof Asked]-?: undefined extends Asked[Name] ? Asked[Name] | undefined : Asked[Name]
}

export interface Page {
  /** The rows as a JSON array, as the contract writes them. */
  readonly json: string
  /** The next page starts after this id; `undefined` on the last page. */
  readonly next: bigint | undefined
}
