// Takes event after event from the feed to the receiver: the next one only when that has taken the one before and the place behind it is
// on disk. So none is lost, their order is kept, and what is sent twice is only that whose answer was lost.

import { eventReader, followPages } from '../../client/events.ts'
import { pause } from '../../client/request.ts'
import type { Sender } from '../../client/sender.ts'
import { StartError } from '../../domain/errors.ts'
import { decodeEventCursor, encodeEventCursor } from '../../http/request/event-cursor.ts'
import { int64FromJson } from '../../json/int64.ts'
import { type Json, JsonNumber, stringifyJson } from '../../json/json.ts'
import type { Log } from '../../observability/log.ts'
import type { Place } from './place.ts'
import { type Message, type Outcome, post } from './receiver.ts'

const RETRY_MS = 1_000
const RETRY_MAX_MS = 60_000
/** The most that a timer can. */
const PAUSE_MAX_MS = 2 ** 31 - 1
const REPORT_EVERY_MS = 10_000

export interface Receiver {
  url: URL
  secrets: readonly Uint8Array[]
}

/** What it needs to know of an event, and the event as the feed has it, fields that this version does not know included. */
interface Item {
  id: bigint
  at: number
  body: string
}

export class Forwarder {
  private taken = 0
  private last: Item | undefined
  /** How old the last event was when it was taken. */
  private lagMs = 0

  /** `stop` ends it between two attempts; `giveUp` ends an attempt, too. */
  constructor(
    private readonly receiver: Receiver,
    private readonly place: Place,
    private readonly log: Log,
    private readonly stop: AbortSignal,
    private readonly giveUp: AbortSignal,
  ) {}

  /** Resolves when it was stopped. Rejects with what ends the feed, and with StartError when the receiver wants no more. */
  async run(service: Sender, from: string | undefined): Promise<void> {
    const { cursor } = this.place
    const reporting = setInterval(() => this.report(), REPORT_EVERY_MS)
    try {
      for await (const { items, next } of followPages(eventReader(service, toItem), {
        cursor,
        from,
        signal: this.stop,
      })) {
        const { epoch } = decodeEventCursor(next)
        for (const item of items) {
          if (!(await this.deliver(item, epoch))) return
          this.place.keep(encodeEventCursor({ epoch, id: item.id }))
        }
        // Where nothing has happened yet, too: what happens from now on is not missed when this process ends.
        this.place.keep(next)
      }
    } finally {
      clearInterval(reporting)
      this.report()
    }
  }

  /** Tries until the event is taken. Resolves with `false` when it was stopped before that. */
  private async deliver(item: Item, epoch: bigint): Promise<boolean> {
    const message: Message = { id: `evt_${epoch}_${item.id}`, body: item.body }
    for (let attempt = 1; !this.stop.aborted; attempt++) {
      const outcome = await post(this.receiver.url, this.receiver.secrets, message, this.giveUp)
      if (outcome === 'taken') {
        this.taken++
        this.last = item
        this.lagMs = Date.now() - item.at
        return true
      }
      if (outcome === 'gone') {
        throw new StartError(
          `The receiver answered 410 to event ${item.id}: it wants no more. The next start sends it that event again.`,
        )
      }
      await this.waitAfter(outcome, item, attempt)
    }
    return false
  }

  private async waitAfter(
    { reason, retryAfterMs }: Exclude<Outcome, string>,
    { id, at }: Item,
    attempt: number,
  ): Promise<void> {
    const backoffMs = Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** (attempt - 1)) * (1 + Math.random() / 4)
    const pauseMs = Math.min(PAUSE_MAX_MS, Math.max(retryAfterMs, backoffMs))
    const lagSeconds = inSeconds(Date.now() - at)
    const fields = { event: Number(id), reason, attempt, retrySeconds: inSeconds(pauseMs), lagSeconds }
    this.log.warn(fields, 'the receiver did not take an event')
    await pause(pauseMs, this.stop).catch(() => undefined)
  }

  /** How many were taken since the last report, and how far behind the last one was. */
  private report(): void {
    if (!this.last || this.taken === 0) return
    const fields = { events: this.taken, last: Number(this.last.id), lagSeconds: inSeconds(this.lagMs) }
    this.log.info(fields, 'events forwarded')
    this.taken = 0
  }
}

function toItem(json: Json): Item {
  const [id, at] = json instanceof Map ? [json.get('id'), json.get('at')] : []
  const exact = id instanceof JsonNumber ? int64FromJson(id.text) : undefined
  if (typeof exact !== 'bigint' || typeof at !== 'string') throw new SyntaxError('expected an event')
  return { id: exact, at: Date.parse(at), body: stringifyJson(json) }
}

function inSeconds(ms: number): number {
  return Math.max(0, Math.round(ms) / 1000)
}
