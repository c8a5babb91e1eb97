// Logs failures: each kind once with its stack, then how often it happened again. When the store is unreachable, thousands of
// requests a second fail for one reason, and a stack for each would fill the disk.

import type { PetstoreError } from '../../domain/petstore-error.ts'
import type { Log } from '../../observability/log.ts'

/** The maximum number of kinds. Further failures are grouped by their code. */
const KINDS_MAX = 100

interface Kind {
  code: string
  /** Of the first failure. */
  message: string
  /** Since the last report, without the first one. */
  failures: number
}

export class FailureLog {
  private readonly kinds = new Map<string, Kind>()

  constructor(private readonly log: Log) {}

  /** `request` gives the fields that identify the request in the log. */
  add(error: PetstoreError, request: () => Record<string, unknown>): void {
    const { code, cause: thrown = error } = error
    const { message = String(thrown), stack = '' } = thrown instanceof Error ? thrown : {}
    // The first line of the stack distinguishes faults with the same message; the other lines can differ between requests.
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

  /** Call it every few seconds. Logs each kind that failed again, and forgets the others: their next failure is logged in full. */
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
