// Reports beside the responses: logs changes and failures, and saves counts every few seconds.

import type { OperationId } from '../../../contract/src/contract.ts'
import { OVERLOADED, type PetstoreError } from '../domain/petstore-error.ts'
import type { Store } from '../domain/store.ts'
import type { Log } from '../observability/log.ts'
import type { Metrics } from '../observability/metrics.ts'
import { startInterval, stopTimer } from '../system/runtime.ts'
import type { Context } from './context.ts'
import { KeyUses } from './request/key-uses.ts'
import { DeprecatedCallTally } from './response/deprecation.ts'
import { isServerFailure } from './response/error-answer.ts'
import { FailureLog } from './response/failure-log.ts'

const REPORT_EVERY_MS = 5_000

export interface ReportOptions {
  readonly store: Store
  readonly log: Log
  readonly metrics?: Metrics | undefined
}

export class Reports {
  private readonly failures: FailureLog
  readonly keyUses = new KeyUses()
  readonly deprecatedCalls = new DeprecatedCallTally()
  /** Requests refused because of overload since the last report. */
  private shed = 0
  private readonly reporting = startInterval(() => this.report(), REPORT_EVERY_MS)

  constructor(private readonly options: ReportOptions) {
    this.failures = new FailureLog(options.log)
    options.metrics?.watch({ deprecatedCalls: () => this.deprecatedCalls.all() })
  }

  changed(operation: OperationId, logged: Record<string, string>, context: Context): void {
    const requestId = context.ensureRequestId()
    this.options.log.change({ requestId, ...context.trace(), keyId: String(context.caller?.id), ...logged }, operation)
  }

  failed(error: PetstoreError, context: Context): void {
    if (error === OVERLOADED) this.shed++
    else if (isServerFailure(error)) {
      this.failures.add(error, () => ({ requestId: context.ensureRequestId(), ...context.trace() }))
    }
  }

  /** Call this after the last response. */
  async close(): Promise<void> {
    stopTimer(this.reporting)
    await this.report(true)
  }

  /** Logs the counts since the last report. Saves last uses of keys and counts of deprecated calls. */
  private async report(last = false): Promise<void> {
    const { store, log } = this.options
    this.failures.report()
    if (this.shed > 0) log.warn({ shed: this.shed }, 'overloaded')
    this.shed = 0
    await Promise.all([
      this.save(
        'when keys were last used',
        this.keyUses.saveDue((uses) => store.saveKeyUses(uses), last),
      ),
      this.save(
        'the tally of deprecated calls',
        this.deprecatedCalls.save((calls) => store.countDeprecatedCalls(calls)),
      ),
    ])
  }

  private async save(what: string, saving: Promise<void>): Promise<void> {
    try {
      await saving
    } catch (error) {
      this.options.log.warn({ err: error }, `could not save ${what}; will retry`)
    }
  }
}
