// The request of a check, and the two ways in which it may end without the promise being held.

export const KEYS = { full: '$KEY', 'read-only': '$READ_ONLY_KEY', other: '$OTHER_KEY' } as const
export type KeyName = keyof typeof KEYS

/** One request of a check. */
export interface CheckRequest {
  method: string
  /** Behind the base path, with the query; as it is sent. */
  path: string
  headers: readonly (readonly [string, string])[]
  body: Uint8Array | undefined
  /** The request that is sent first, on the same connection. */
  first?: CheckRequest | undefined
  /** What the check had changed before. */
  before: readonly Step[]
}

/** A request that may have changed something, and the id in its answer. */
export interface Step {
  request: CheckRequest
  id: string | undefined
}

/** The server does not keep the promise. */
export class Broken extends Error {
  /** `request` shows it by itself. */
  constructor(
    readonly expected: string,
    readonly actual: string,
    readonly request: CheckRequest,
  ) {
    super(`expected ${expected}, but got ${actual}`)
  }
}

/** Nothing can be said about the promise here and now, for this reason: a sentence. */
export class Unjudged extends Error {}

/** A gateway answered a change, which may have been made. The check starts again. */
export class Uncertain extends Unjudged {}
