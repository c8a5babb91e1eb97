// The progress of a forwarder, for its log and metrics.

import type { Log } from '../../../service/src/observability/log.ts'
import { counter, gauge } from '../../../service/src/observability/prometheus.ts'

export class Progress {
  private accepted = 0
  private reported = 0
  private last: { id: bigint; lagMs: number } | undefined
  private behindSince: number | undefined

  constructor(private readonly log: Log) {}

  /** Sets the time of the event to deliver; `undefined` if the receiver has all known events. */
  setOldestWaiting(since: number | undefined): void {
    this.behindSince = since
  }

  /** Starts to count the lag, because new events are unknown. */
  feedUnreadable(): void {
    this.behindSince ??= Date.now()
  }

  countAccepted({ id, at }: { id: bigint; at: number }): void {
    this.accepted++
    this.last = { id, lagMs: Date.now() - at }
  }

  report(): void {
    if (!this.last || this.accepted === this.reported) return
    const { id, lagMs } = this.last
    const fields = { events: this.accepted - this.reported, last: Number(id), lagSeconds: seconds(lagMs) }
    this.log.info(fields, 'events forwarded')
    this.reported = this.accepted
  }

  /** Returns the metrics in Prometheus' text format. */
  text(): string {
    const { accepted, behindSince } = this
    return [
      gauge(
        'petstore_forward_lag_seconds',
        'How long the oldest undelivered event has waited, or the feed could not be read.',
        behindSince === undefined ? 0 : seconds(Date.now() - behindSince),
      ),
      counter('petstore_forward_events_total', 'Events that the receiver has accepted.', accepted),
    ].join('')
  }
}

export function seconds(ms: number): number {
  return Math.max(0, Math.round(ms) / 1000)
}
