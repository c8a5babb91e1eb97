// Delivers the store's events while the page is open. All tabs of a browser share one long-polling request, because a
// browser opens only six connections per host. If there is no feed, no events arrive, and lists are refreshed at intervals.

import { useEffect, useMemo, useRef } from 'preact/hooks'
import { WAIT_S } from '../../../client/src/events.ts'
import { type Event, PetstoreApiError, type PetstoreClient } from '../../../client/src/petstore.ts'
import { pause } from '../../../client/src/retries.ts'
import { PAGE_MAX } from '../../../contract/src/generated.ts'
import { toFailure } from '../failures.ts'
import { Records } from './records.ts'

const BEGIN_MS = 500
/** A pause between requests, so that frequent changes are read together and do not keep the browser busy. */
const REST_MS = 200
const RETRY_MS = 1_000
const RETRY_MAX_MS = 30_000

/** After this time, the connection of the waiting request can be dead, and the request would get no response. */
const AWAY_MS = 10_000
const AWAKE = 'awake'

/** The service has no feed, or the key no longer works. */
const NO_FEED = [400, 401, 403, 404, 405]

interface Broadcast {
  events: Event[]
  gap: boolean
  cursor: string | undefined
}

type Listener = (events: readonly Event[], gap: boolean) => void

export class Feed {
  readonly #client: PetstoreClient
  readonly #listeners = new Set<Listener>()
  readonly #aborter = new AbortController()
  readonly #channel: BroadcastChannel
  /** The position after the last event that any tab broadcast. */
  #cursor: string | undefined
  #deliveredAt = Number.NEGATIVE_INFINITY
  /** Ends the waiting request, or the pause before it. */
  #waiting = new AbortController()
  #isBegun = false
  #begin: () => void
  /**
   * Resolves once events are delivered, so data read afterwards is current, or if the feed does not respond in time.
   */
  readonly begun: Promise<void>

  /** `path`: the page's, because a proxy can serve several services from one origin. */
  constructor(client: PetstoreClient, path: string) {
    this.#client = client
    const { promise, resolve } = Promise.withResolvers<void>()
    this.begun = promise
    this.#begin = () => {
      this.#isBegun = true
      resolve()
    }
    setTimeout(this.#begin, BEGIN_MS)
    const name = `petstore events ${path}`
    this.#channel = new BroadcastChannel(name)
    this.#channel.onmessage = ({ data }: MessageEvent<Broadcast | typeof AWAKE>) => {
      if (data === AWAKE) this.#waiting.abort()
      else this.#deliver(data)
    }
    this.#noticeWaking()
    this.#waitForTurn(name).catch(() => undefined)
  }

  /** True if events arrive as they happen. */
  get live(): boolean {
    return performance.now() - this.#deliveredAt < (WAIT_S + 10) * 1_000
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  stop(): void {
    this.#aborter.abort()
    this.#channel.close()
  }

  /** If this tab was hidden or offline, the tab that reads the feed asks again. */
  #noticeWaking(): void {
    let awayAt: number | undefined
    const check = () => {
      const isAway = document.visibilityState === 'hidden' || !navigator.onLine
      if (!isAway && awayAt !== undefined && Date.now() - awayAt > AWAY_MS) {
        this.#waiting.abort()
        this.#channel.postMessage(AWAKE)
      }
      awayAt = isAway ? (awayAt ?? Date.now()) : undefined
    }
    const { signal } = this.#aborter
    document.addEventListener('visibilitychange', check, { signal })
    for (const type of ['online', 'offline']) window.addEventListener(type, check, { signal })
  }

  async #waitForTurn(name: string): Promise<void> {
    const { signal } = this.#aborter
    if (navigator.locks) {
      const led = await navigator.locks.request(name, { ifAvailable: true }, (lock) => lock && this.#lead())
      if (led !== null) return
      this.#begin()
      await navigator.locks.request(name, { signal }, () => this.#lead())
      return
    }
    // Browsers have no locks on plain http to another machine. There, every visible tab polls.
    while (!signal.aborted) {
      if (document.visibilityState === 'hidden') await pause(RETRY_MS, signal)
      else if (!(await this.#lead(() => document.visibilityState === 'visible'))) return
    }
  }

  /** Polls for events and broadcasts them while `going` is true. Resolves with false if the service has no feed. */
  async #lead(going = () => true): Promise<boolean> {
    const { signal } = this.#aborter
    for (let failures = 0; going() && !signal.aborted; ) {
      const cursor = this.#cursor
      this.#waiting = new AbortController()
      const waiting = AbortSignal.any([signal, this.#waiting.signal])
      try {
        const where = cursor === undefined ? { from: 'now', limit: 1 } : { cursor, limit: PAGE_MAX, wait: WAIT_S }
        const { events, next } = await this.#client.listEvents(where, { signal: waiting, retries: 0 })
        failures = 0
        const message = { events, gap: cursor === undefined, cursor: next }
        this.#channel.postMessage(message)
        this.#deliver({ ...message, gap: message.gap && this.#isBegun })
        this.#begin()
        if (events.length > 0 && events.length < PAGE_MAX) await pause(REST_MS, signal)
      } catch (error) {
        this.#begin()
        if (signal.aborted) return true
        if (waiting.aborted) continue
        const { code, retryAfterMs = 0 } = toFailure(error)
        if (code === 'cursor_expired') this.#cursor = undefined
        else if (error instanceof PetstoreApiError && NO_FEED.includes(error.status)) return false
        const pauseMs = Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** failures++)
        await pause(Math.max(retryAfterMs, pauseMs), waiting).catch(() => undefined)
      }
    }
    return true
  }

  #deliver({ events, gap, cursor }: Broadcast): void {
    this.#cursor = cursor
    this.#deliveredAt = performance.now()
    if (events.length > 0 || gap) for (const listener of this.#listeners) listener(events, gap)
  }
}

export interface Service {
  client: PetstoreClient
  feed: Feed
  records: Records
}

export function useService(client: PetstoreClient): Service {
  const service = useMemo(() => {
    const feed = new Feed(client, new URL('.', location.href).pathname)
    const records = new Records()
    feed.listen((events, gap) => {
      if (gap) records.forget()
      records.apply(events)
    })
    return { client, feed, records }
  }, [client])
  useEffect(() => () => service.feed.stop(), [service])
  return service
}

/** Calls the `onEvents` of the last rendering. */
export function useEvents(feed: Feed, onEvents: (events: readonly Event[], gap: boolean) => void): void {
  const latest = useRef(onEvents)
  latest.current = onEvents
  useEffect(() => feed.listen((events, gap) => latest.current(events, gap)), [feed])
}
