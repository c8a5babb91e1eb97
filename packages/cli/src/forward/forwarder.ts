// Forwards events from the feed to the receiver, one at a time: the next event follows only when the receiver has
// accepted the one before and its cursor is on disk. So no event is lost or reordered, and only events whose response
// was lost are sent twice.

import { eventReader, followPages } from '../../../client/src/events.ts'
import { toEvent } from '../../../client/src/responses.ts'
import { pause } from '../../../client/src/retries.ts'
import type { Sender } from '../../../client/src/sender.ts'
import { type Json, stringifyJson } from '../../../contract/src/json.ts'
import { decodeEventCursor, encodeEventCursor, markOf } from '../../../service/src/domain/events.ts'
import { StartError } from '../../../service/src/domain/start-error.ts'
import type { Log } from '../../../service/src/observability/log.ts'
import { counter, gauge } from '../../../service/src/observability/prometheus.ts'
import { throughProxy } from '../terminal/plain-fetch.ts'
import { type Failed, type Message, post, type Receiver } from './receiver.ts'
import type { SavedCursor } from './saved-cursor.ts'

const RETRY_MS = 1_000
const RETRY_MAX_MS = 60_000
/** A receiver with a wrong clock, or one that is temporarily blocked, must not stop the feed for days. */
const RETRY_AFTER_MAX_MS = 3_600_000

/** An event of the feed. `body` includes fields that this version does not know. */
interface Item {
  id: bigint
  at: number
  mark: number
  body: string
}

export class Forwarder {
  /** `stop` ends it between attempts; `giveUp` also ends an attempt. */
  constructor(
    private readonly receiver: Receiver,
    private readonly saved: SavedCursor,
    private readonly progress: Progress,
    private readonly log: Log,
    private readonly stop: AbortSignal,
    private readonly giveUp: AbortSignal,
  ) {}

  /** Resolves when it is stopped. Rejects with errors of the feed, and with StartError if the receiver responds with 410. */
  async run(service: Sender, from: string | undefined): Promise<void> {
    const { cursor } = this.saved
    const pages = followPages(eventReader(service, toItem), { cursor, from, signal: this.stop })
    for await (const { items, next } of pages) {
      const { epoch } = decodeEventCursor(next)
      for (const item of items) {
        this.progress.setOldestWaiting(item.at)
        if (!(await this.deliver(item, epoch))) return
        this.saved.keep(encodeEventCursor({ epoch, id: item.id, mark: item.mark }))
        this.progress.countAccepted(item)
      }
      this.progress.setOldestWaiting(undefined)
      // Also for an empty page, so that no later event is missed if this process ends.
      this.saved.keep(next)
    }
  }

  /** Retries until the receiver accepts the event. Resolves with `false` if it was stopped first. */
  private async deliver(item: Item, epoch: bigint): Promise<boolean> {
    const message: Message = { id: `evt_${epoch}_${item.id}`, body: item.body }
    for (let attempt = 1; !this.stop.aborted; attempt++) {
      const outcome = await post(this.receiver, message, this.giveUp)
      if (outcome === 'accepted') return true
      if (outcome === 'removed') {
        throw new StartError(
          `The receiver answered 410 to event ${item.id}, so forwarding stopped. The next start sends it again.`,
        )
      }
      await this.waitAfter(outcome, item, attempt)
    }
    return false
  }

  private async waitAfter({ reason, retryAfterMs }: Failed, { id, at }: Item, attempt: number): Promise<void> {
    const backoffMs = Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** (attempt - 1)) * (1 + Math.random() / 4)
    const pauseMs = Math.max(Math.min(RETRY_AFTER_MAX_MS, retryAfterMs), backoffMs)
    const lagSeconds = seconds(Date.now() - at)
    const why = [reason, throughProxy(this.receiver.url.href)].filter(Boolean).join(', ')
    const fields = { event: Number(id), reason: why, attempt, retrySeconds: seconds(pauseMs), lagSeconds }
    this.log.warn(fields, 'the receiver did not take an event')
    await pause(pauseMs, this.stop).catch(() => undefined)
  }
}

function toItem(json: Json): Item {
  const event = toEvent(json)
  const at = Date.parse(event.at)
  return { id: event.id, at, mark: markOf({ ...event, at }), body: stringifyJson(json) }
}

// The progress of a forwarder, for its log and metrics.

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

function seconds(ms: number): number {
  return Math.max(0, Math.round(ms) / 1000)
}
