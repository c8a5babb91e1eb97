// How far a forwarder is, in its log and in its metrics.

import type { Log } from '../../service/src/observability/log.ts'
import { counter, gauge } from '../../service/src/observability/text-format.ts'

export class Progress {
  private taken = 0
  private reported = 0
  private last: { id: bigint; lagMs: number } | undefined
  private behindSince: number | undefined

  constructor(private readonly log: Log) {}

  /** The time of the event that waits for the receiver; `undefined`: it has all that is known. */
  waits(since: number | undefined): void {
    this.behindSince = since
  }

  /** Whatever happens from now on is not known. */
  feedFails(): void {
    this.behindSince ??= Date.now()
  }

  takes({ id, at }: { id: bigint; at: number }): void {
    this.taken++
    this.last = { id, lagMs: Date.now() - at }
  }

  report(): void {
    if (!this.last || this.taken === this.reported) return
    const { id, lagMs } = this.last
    const fields = { events: this.taken - this.reported, last: Number(id), lagSeconds: inSeconds(lagMs) }
    this.log.info(fields, 'events forwarded')
    this.reported = this.taken
  }

  /** The metrics, in Prometheus' text format. */
  text(): string {
    const { taken, behindSince } = this
    return [
      gauge(
        'petstore_forward_lag_seconds',
        'For how long the first event that the receiver has not taken has waited, or the feed could not be read.',
        behindSince === undefined ? 0 : inSeconds(Date.now() - behindSince),
      ),
      counter('petstore_forward_events_total', 'Events that the receiver has taken.', taken),
    ].join('')
  }
}

export function inSeconds(ms: number): number {
  return Math.max(0, Math.round(ms) / 1000)
}
