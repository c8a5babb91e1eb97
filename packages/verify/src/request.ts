// A check's request, and the errors that end a check.

export const KEYS = { full: '$KEY', 'read-only': '$READ_ONLY_KEY', other: '$OTHER_KEY' } as const
export type KeyName = keyof typeof KEYS

export interface CheckRequest {
  method: string
  /** Below the base path, with the query, as it is sent. */
  path: string
  headers: readonly (readonly [string, string])[]
  body: Uint8Array | undefined
  /** Sent first on the same connection. */
  first?: CheckRequest | undefined
  /** The changes that the check made earlier, such as `POST /pets (id 7)`. */
  before: readonly string[]
}

/** The server does not keep the promise. */
export class Broken extends Error {
  /** `request` reproduces the failure. */
  constructor(
    readonly expected: string,
    readonly actual: string,
    readonly request: CheckRequest,
  ) {
    super(`expected ${expected}, but got ${actual}`)
  }
}

/** The promise cannot be judged here. The message is a sentence that says why. */
export class Unjudged extends Error {}

/** A gateway failed a change, which may have been made anyway. The check starts again. */
export class Uncertain extends Unjudged {}
