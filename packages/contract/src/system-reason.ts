// Describes failed system calls in words, for messages of starts and commands.

import { getSystemErrorMap } from 'node:util'

/** By error code, including codes that the runtime does not describe. */
const REASONS = new Map<string, string>([
  ...getSystemErrorMap().values(),
  ['EDQUOT', 'disk quota exceeded'],
  ['ENOTFOUND', 'no such host'],
  ['ESTALE', 'stale file handle'],
])

/** Returns, for example, `no such file or directory` for ENOENT. */
export function systemReason(error: unknown): string {
  // The code of an aborted call is a number.
  const { code } = (error ?? {}) as { code?: unknown }
  if (typeof code !== 'string') return 'unknown reason'
  return REASONS.get(code) ?? code.replace(/^ERR_/, '').replaceAll('_', ' ').toLowerCase()
}
