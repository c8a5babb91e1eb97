// Clients of several servers on one store that ask for everything the service has, and record each call. What they ask is random, by a
// seed; when it happens is not.

import { randomOf } from '../../test/support/searches.ts'
import { type Answer, type Asked, linkOf, WHOLE } from './asked.ts'
import { Chooser } from './chooser.ts'
import { isUnanswered, type Operation } from './operations.ts'

/** Of so many requests the connection is cut before the answer has come. */
const CUT_SHARE = 0.005
const CUT_MS_MAX = 30
/** Longer than any fault lasts. */
const ANSWER_MS_MAX = 20_000
/** The pause after a request without an answer, so that clients do not flood a store that is down. */
const PAUSE_MS = 50
/** When everything is read, nothing breaks any more. */
const SILENT_MS_MAX = 60_000
const NO_ANSWER: Answer = { status: 0, text: '', links: '', replayed: false }

export interface Site {
  readonly key: string
  /** The base address of each server, ending in /v1. A start changes it. */
  urls(): string[]
}

export class Clients {
  readonly operations: Operation[] = []
  private readonly choosers: Chooser[]
  private readonly random: () => number
  private stopping = false

  constructor(
    private readonly site: Site,
    seed: number,
    count: number,
  ) {
    this.random = randomOf(seed)
    const known = { pets: [], orders: [], keyed: [], names: [], count: 0 }
    this.choosers = Array.from({ length: count }, (_, n) => new Chooser(known, randomOf(seed * 1000 + n)))
  }

  /** Resolves when so many operations are recorded, or `stop` was called. */
  async work(operations: number): Promise<void> {
    const client = async (chooser: Chooser, number: number) => {
      while (!this.stopping && this.operations.length < operations) {
        const asked = chooser.next()
        const { answer, tag } = await this.send(asked, number)
        if (isUnanswered(answer)) await Bun.sleep(PAUSE_MS)
        else chooser.learn(asked, answer, tag)
      }
    }
    await Promise.all(this.choosers.map(client))
  }

  stop(): void {
    this.stopping = true
  }

  /** The lists of each server from their beginning to their end, while nothing else is asked. */
  async readAll(): Promise<void> {
    const until = performance.now() + SILENT_MS_MAX
    for (const server of this.site.urls().keys()) {
      for (const first of WHOLE) {
        for (let asked: Asked | undefined = first; asked; ) {
          const { answer } = await this.send(asked, server)
          if (performance.now() > until) throw new Error(`server ${server} does not answer`)
          if (isUnanswered(answer)) await Bun.sleep(PAUSE_MS)
          else asked = linkOf(asked, answer, 'next')
        }
      }
    }
  }

  private async send(asked: Asked, client: number): Promise<{ answer: Answer; tag?: string | undefined }> {
    const urls = this.site.urls()
    const server = client % urls.length
    const startedAt = performance.now()
    const { answer, tag } = await this.fetch(asked, urls[server] as string)
    const endedAt = isUnanswered(answer) ? Number.POSITIVE_INFINITY : performance.now()
    const { ask, method, path, body = '', headers = {} } = asked
    const line = [method, path, body, ...Object.entries(headers).map((header) => header.join(': '))].join(' ')
    this.operations.push({ n: this.operations.length, client, server, startedAt, endedAt, ask, line, ...answer })
    return { answer, tag }
  }

  private async fetch({ method, path, body, headers = {}, of }: Asked, url: string) {
    const isCut = this.random() < CUT_SHARE
    try {
      const response = await fetch(url + path, {
        method,
        headers: {
          Authorization: `Bearer ${this.site.key}`,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body }),
        signal: AbortSignal.timeout(isCut ? 1 + this.random() * CUT_MS_MAX : ANSWER_MS_MAX),
      })
      const text = await response.text()
      const { status } = response
      const links = response.headers.get('Link') ?? ''
      const replayed = response.headers.has('Idempotency-Replayed')
      const answer = status === 304 && of ? { ...of, status } : { status, text, links, replayed }
      return { answer, tag: response.headers.get('ETag') ?? undefined }
    } catch {
      return { answer: NO_ANSWER, tag: undefined }
    }
  }
}
