// The errors of the service: one class with the contract's codes, beside the one for starts and commands. http/response/error-answer.ts turns
// them into responses.

import { constants } from 'node:os'
import { getSystemErrorMessage } from 'node:util'
import type { ErrorCode } from '../contract/generated.ts'

export { StartError } from './start-error.ts'

/** `message` is for the caller: without keys, SQL, paths or stacks. `cause` is for the operator's log. */
export class PetstoreError extends Error {
  override readonly name = 'PetstoreError'
  constructor(
    readonly code: ErrorCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options)
  }
}

/**
 * The request was refused before anything was done. One shared object, so that a refusal costs almost nothing and can be distinguished
 * from a failure of the store.
 */
export const OVERLOADED = new PetstoreError('unavailable', 'The service is overloaded; try again.')

/** A search came before the index was built. Nothing has failed, so nobody is woken for it. */
export class NotIndexed extends PetstoreError {
  constructor(percent: bigint) {
    super('unavailable', `The index of search is being built, ${percent} % of it is there. Lists without search work.`)
  }
}

/** Why a call of the system failed, in its own words: `no such file or directory` for ENOENT. */
export function systemReason(error: unknown): string {
  const { code = 'unknown reason' } = (error ?? {}) as NodeJS.ErrnoException
  const number = constants.errno[code as keyof typeof constants.errno]
  return number === undefined ? code : getSystemErrorMessage(-number)
}
