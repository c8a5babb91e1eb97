// Why a call of the system failed, in words, for starts and commands.

import { getSystemErrorMap } from 'node:util'
import { StartError } from './start-error.ts'

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
