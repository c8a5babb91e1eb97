// Logs each kind of failure once with its stack, and then how often it repeats. If the store is unreachable,
// thousands of requests a second can fail for the same reason, and logging each stack would fill the disk.

import type { PetstoreError } from '../../domain/petstore-error.ts'
import type { Log } from '../../observability/log.ts'

/** The limit of kinds. Further failures are grouped by code. */
const KINDS_MAX = 100

export class FailureLog {
  /** `failures`: since the last report, without the first failure. */
  private readonly kinds = new Map<string, { code: string; message: string; failures: number }>()

  constructor(private readonly log: Log) {}

  /** `request` returns the log fields that identify the request. */
  add(error: PetstoreError, request: () => Record<string, unknown>): void {
    const { code, cause: thrown = error } = error
    const { message = String(thrown), stack = '' } = thrown instanceof Error ? thrown : {}
    // The first line of the stack distinguishes faults with the same message. The other lines can differ between
    // requests.
    const place = stack.split('\n').find((line) => line.trimStart().startsWith('at '))
    let name = `${code} ${message} ${place}`
    if (this.kinds.size >= KINDS_MAX && !this.kinds.has(name)) name = code
    const known = this.kinds.get(name)
    if (known) {
      known.failures++
      return
    }
    this.kinds.set(name, { code, message, failures: 0 })
    this.log.error({ ...request(), code, err: thrown }, 'failed')
  }

  /**
   * Call this every few seconds. Logs the kinds that failed again and forgets the others, so that their next failure
   * is logged in full.
   */
  report(): void {
    for (const [name, kind] of this.kinds) {
      if (kind.failures === 0) {
        this.kinds.delete(name)
        continue
      }
      const { code, message, failures } = kind
      this.log.error({ code, failures, reason: message }, 'failed again')
      kind.failures = 0
    }
  }
}
