// The error that ends a start or a command.

import { systemReason } from '../../../contract/src/system-reason.ts'

/** The user sees only the message, so it says what to do. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

export function noStoreAt(path: string, advice = ''): StartError {
  return new StartError(`There is no store at ${path}.${advice}`)
}

/** Returns the result of `work`. If a system call fails, throws a StartError with `sentence(reason)`. */
export function orStartError<Result>(work: () => Result, sentence: (reason: string) => string): Result {
  try {
    return work()
  } catch (cause) {
    if (cause instanceof StartError) throw cause
    throw new StartError(sentence(systemReason(cause)), { cause })
  }
}
