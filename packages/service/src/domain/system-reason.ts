// Describes failed system calls in words, for messages of starts and commands.

import { getSystemErrorMap } from 'node:util'
import { StartError } from './start-error.ts'

/** By error code, including codes that the runtime does not describe. */
const REASONS = new Map<string, string>([
  ...getSystemErrorMap().values(),
  ['EDQUOT', 'disk quota exceeded'],
  ['ENOTFOUND', 'no such host'],
  ['ESTALE', 'stale file handle'],
])

/** Returns the result of `work`. If a system call fails, throws a StartError with `sentence(reason)`. */
export function orStartError<Result>(work: () => Result, sentence: (reason: string) => string): Result {
  try {
    return work()
  } catch (cause) {
    if (cause instanceof StartError) throw cause
    throw new StartError(sentence(systemReason(cause)), { cause })
  }
}

/** Returns, for example, `no such file or directory` for ENOENT. */
export function systemReason(error: unknown): string {
  // The code of an aborted call is a number.
  const { code } = (error ?? {}) as { code?: unknown }
  if (typeof code !== 'string') return 'unknown reason'
  return REASONS.get(code) ?? code.replace(/^ERR_/, '').replaceAll('_', ' ').toLowerCase()
}
