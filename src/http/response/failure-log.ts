// What the log says of failures: each kind once in full, then how often. A store that is gone fails thousands of requests a
// second for one reason; a stack for each of them would fill the disk.

import type { PetstoreError } from '../../domain/errors.ts'
import type { Log } from '../../observability/log.ts'

/** So many are told apart at once; what comes then is told apart by its code alone. */
const KINDS_MAX = 100

interface Kind {
  code: string
  /** Of the first one. */
  message: string
  /** Since they were last told. */
  failures: number
}

export class FailureLog {
  private readonly kinds = new Map<string, Kind>()

  constructor(private readonly log: Log) {}

  /** `request` gives what names the request in the log. */
  add(error: PetstoreError, request: () => Record<string, unknown>): void {
    const { code, cause: thrown = error } = error
    const { message = String(thrown), stack = '' } = thrown instanceof Error ? thrown : {}
    // Where it was made tells apart faults that have the same message; how it was called differs from request to request.
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

  /** To be called every few seconds: a line for each kind that failed again since. One that did not is new when it comes back. */
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
