// Clients of several servers on one store. They send all operations and record each call. The seed determines the requests, but not their
// timing.

import { monotonicMs, sleep, startTimer, stopTimer, wallMs } from '../../packages/service/src/system/runtime.ts'
import { randomOf } from '../../test/support/search-rules.ts'
import { type Choices, Chooser, WAITING } from './chooser.ts'
import { Known, RESERVED_MS_MAX } from './known.ts'
import {
  type Answer,
  type Asked,
  isUnanswered,
  type ListAsk,
  type Operation,
  rowsOf,
  type Seen,
  tagsOf,
} from './operations.ts'
import { linkOf, requestOf, targetOf } from './requests.ts'
import { EXPIRY_MS } from './windows.ts'

/** The share of requests whose connection is cut before the response arrives. */
const CUT_SHARE = 0.005
const CUT_MS_MAX = 30
/** Longer than any failure. */
const ANSWER_MS_MAX = 20_000
/** The pause after a request without a response, so that clients do not flood a store that is down. */
const PAUSE_MS = 50
/** The final reads happen without failures. */
const SILENT_MS_MAX = 60_000
/** The longest time until a reservation shows as expired. */
const EXPIRED_MS_MAX = RESERVED_MS_MAX + EXPIRY_MS
const NO_ANSWER: Answer = { status: 0, text: '', links: '', tag: undefined, replayed: false }
/** API keys, repeated by how often each is used. Keys that the site lacks are left out. */
const KEYS = [
  ...['first', 'first', 'first', 'first', 'first', 'second', 'second', 'second', 'reader'],
  ...['leaver', 'leaver 2', 'leaver 3', 'leaver 4'],
]
const WRONG_SHARE = 0.005

export interface Site {
  /** By name. The store does not know `wrong`. */
  readonly keys: Readonly<Record<string, string>>
  /** The base address of each server, ending in /v1. It changes when the server restarts. */
  urls(): string[]
  /** Sends a request to the address of a server; by default `fetch`. */
  readonly fetch?: (url: URL, init: RequestInit) => Promise<Response>
  /** Resolves when the client may send its next request; by default at once. */
  readonly ready?: (client: number) => Promise<void>
}

interface Crowd {
  readonly clients: number
  /** How many of them always wait for events. */
  readonly waiting: number
  /** By default everything. */
  readonly choices?: Choices
  /** The number of pets and orders that most requests are about. */
  readonly hot?: number
}

export class Clients {
  readonly operations: Operation[] = []
  readonly known: Known
  private readonly choosers: Chooser[]
  private readonly random: () => number

  constructor(
    private readonly site: Site,
    seed: number,
    { clients, waiting, choices, hot }: Crowd,
  ) {
    this.random = randomOf(seed)
    this.known = new Known(
      KEYS.filter((name) => name in site.keys),
      hot,
    )
    this.choosers = Array.from({ length: clients }, (_, n) => {
      return new Chooser(this.known, randomOf(seed * 1000 + n), choices, n < waiting ? WAITING : undefined)
    })
  }

  /** Resolves after this number of operations, or after `stop`. */
  async work(operations: number): Promise<void> {
    const client = async (chooser: Chooser, number: number) => {
      while (this.operations.length < operations) {
        await this.site.ready?.(number)
        const operation = await this.send(chooser.next(), number)
        if (isUnanswered(operation)) await sleep(PAUSE_MS)
        else chooser.learn(operation)
      }
    }
    await Promise.all(this.choosers.map(client))
  }

  /** Waits until all reservations have expired, and reads all lists from each server. Call it when no other request runs. */
  async readAll(lateMs: number): Promise<void> {
    const whole = { kind: 'list', newest: false, limit: 100, back: false } as const
    const until = wallMs() + EXPIRED_MS_MAX + lateMs
    for (const server of this.site.urls().keys()) {
      for (;;) {
        const orders = await this.readList({ ...whole, list: 'orders', status: 'pending' }, server)
        const ends = orders.flatMap(({ expiresAt }) => expiresAt ?? [])
        if (ends.length === 0 || wallMs() > until) break
        await sleep(PAUSE_MS)
      }
      await this.readList({ ...whole, list: 'pets' }, server)
      await this.readList({ ...whole, list: 'orders' }, server)
      await this.sendUntilAnswered(requestOf({ kind: 'inventory' }), server)
    }
  }

  private async readList(ask: ListAsk, server: number): Promise<{ expiresAt?: string }[]> {
    const rows: { expiresAt?: string }[] = []
    for (let asked: Asked | undefined = requestOf(ask); asked; ) {
      const operation = await this.sendUntilAnswered(asked, server)
      rows.push(...rowsOf<{ expiresAt?: string }>(operation))
      asked = linkOf(operation, 'next')
    }
    return rows
  }

  /** Reads all events. */
  async readFeed(): Promise<Seen[]> {
    const events: Seen[] = []
    for (let path = '/store/events?limit=100'; ; ) {
      const asked = { ...requestOf({ kind: 'events', limit: 100 }), path }
      const operation = await this.sendUntilAnswered(asked, 0, false)
      const page = rowsOf<Seen>(operation)
      events.push(...page)
      const next = targetOf(operation.links, 'next')
      if (page.length === 0 || next === undefined) return events
      path = next
    }
  }

  private async sendUntilAnswered(asked: Asked, server: number, isRecorded = true): Promise<Operation> {
    for (const until = monotonicMs() + SILENT_MS_MAX; monotonicMs() < until; await sleep(PAUSE_MS)) {
      const operation = await this.send({ ...asked, key: 'first' }, server, isRecorded)
      // Everything is compared with the feed, so it must be read to its end.
      if (isRecorded ? !isUnanswered(operation) && operation.status !== 429 : operation.status === 200) return operation
    }
    throw new Error(`Server ${server} does not respond.`)
  }

  private async send(asked: Asked, client: number, isRecorded = true): Promise<Operation> {
    const servers = this.site.urls().length
    // A reader of the feed can continue on any server.
    const server = asked.ask.kind === 'events' ? Math.floor(this.random() * servers) : client % servers
    const { keys } = this.known
    const name = asked.key ?? (this.random() < WRONG_SHARE ? 'wrong' : keys[Math.floor(this.random() * keys.length)])
    const key = name ?? 'first'
    const [startedAt, from] = [monotonicMs(), wallMs()]
    const answer = await this.fetch(asked, key, server)
    const isOver = !isUnanswered(answer)
    const settledAt = monotonicMs()
    const [endedAt, to] = isOver ? [settledAt, wallMs()] : [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    const n = this.operations.length
    const operation = { ...asked, n, client, server, key, startedAt, endedAt, settledAt, from, to, ...answer }
    if (isRecorded) this.operations.push(operation)
    return operation
  }

  private async fetch(asked: Asked, key: string, server: number): Promise<Answer> {
    const { method, path, body, idempotencyKey, ifMatch, ifNoneMatch } = asked
    const given = {
      Authorization: `Bearer ${this.site.keys[key]}`,
      'Content-Type': body && 'application/json',
      'Idempotency-Key': idempotencyKey && `"${idempotencyKey}"`,
      'If-Match': ifMatch && tagsOf(ifMatch),
      'If-None-Match': ifNoneMatch && tagsOf(ifNoneMatch),
    }
    const headers = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const url = new URL(`/v1${path}`, this.site.urls()[server])
    const cut = new AbortController()
    const timer = startTimer(
      () => cut.abort(),
      this.random() < CUT_SHARE ? 1 + this.random() * CUT_MS_MAX : ANSWER_MS_MAX,
    )
    try {
      const init = { method, headers, signal: cut.signal, ...(body && { body }) }
      const response = await (this.site.fetch ?? fetch)(url, init)
      const { status } = response
      const header = (name: string) => response.headers.get(name) ?? undefined
      const tag = header('ETag')
      const sentTag = status === 304 ? ifNoneMatch?.find((one) => one.tag === tag) : undefined
      const known = sentTag ?? { text: await response.text(), links: header('Link') ?? '' }
      const replayed = header('Idempotency-Replayed') !== undefined
      return { status, text: known.text, links: known.links, tag, replayed }
    } catch {
      return NO_ANSWER
    } finally {
      stopTimer(timer)
    }
  }
}
