// The errors of the service: one class with the contract's codes, beside the one for starts and commands. http/response/error-answer.ts turns
// them into responses.

import { getSystemErrorMap } from 'node:util'
import type { ErrorCode } from '../../../contract/src/generated.ts'
import { StartError } from './start-error.ts'

export { StartError }

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

/** The words of the system's codes, and of those that the runtime has no words for. */
const REASONS = new Map<string, string>([
  ...getSystemErrorMap().values(),
  ['EDQUOT', 'disk quota exceeded'],
  ['ENOTFOUND', 'no such host'],
  ['ESTALE', 'stale file handle'],
])

/** What `work` gives. Where the system refuses it, throws the StartError that `sentence` makes of the reason. */
export function orStartError<Result>(work: () => Result, sentence: (reason: string) => string): Result {
  try {
    return work()
  } catch (cause) {
    if (cause instanceof StartError) throw cause
    throw new StartError(sentence(systemReason(cause)), { cause })
  }
}

/** Why a call of the system failed, in words: `no such file or directory` for ENOENT. */
export function systemReason(error: unknown): string {
  // An aborted call has a number.
  const { code } = (error ?? {}) as { code?: unknown }
  if (typeof code !== 'string') return 'unknown reason'
  return REASONS.get(code) ?? code.replace(/^ERR_/, '').replaceAll('_', ' ').toLowerCase()
}
