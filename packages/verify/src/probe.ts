// Sends the requests of a check, each on a new connection. Waits for rate limits and overloaded gateways.

import { stringifyJson } from '../../contract/src/json.ts'
import { Answer, memberOf } from './answer.ts'
import { exchange, NoAnswer, NotExaminable, type Received, type Sent } from './exchange.ts'
import { Broken, type CheckRequest, type KeyName, Uncertain, Unjudged } from './request.ts'

export interface Target {
  /** Ends in /v1. */
  baseUrl: URL
  keys: { full: string } & Partial<Record<KeyName, string>>
  /** Whether checks can add pets. */
  write: boolean
  /** For one request. */
  timeoutMs: number
  /** For the whole examination. */
  totalMs: number
}

export interface RequestOptions {
  /** Undefined headers are not sent. */
  headers?: Record<string, string | undefined>
  body?: string | Uint8Array | undefined
  /** `none` sends no key. */
  key?: KeyName | 'none'
  /** Values for the Authorization header, instead of `key`. */
  authorization?: readonly string[]
  /** Sends the same request with the key first, on the same connection if the server keeps it open. */
  afterKey?: boolean
  /** Accepts a redirect, which is a valid response for a path without an operation. */
  mayRedirect?: boolean
}

/** One request, or the whole examination, ran out of time. The message continues "The server …". */
export class TimeUp extends Error {}

/** State that all checks of an examination share. */
export interface Run {
  target: Target
  /** By performance.now(). */
  endsAt: number
  /** Every response so far. */
  seen: Answer[]
  shared: Map<string, Promise<unknown>>
  /** The ids of the orders that the checks placed, and the requests in flight, whose orders can exist already. */
  orders: { placed: Set<string>; inFlight: Set<Promise<unknown>> }
  /** The previous request. Set once the server has limited the rate; requests then run one at a time. */
  queue?: Promise<unknown>
  /** The status that the server returns for every request, even after waiting. */
  outage?: number
}

export const JSON_TYPE = { 'Content-Type': 'application/json' }
const RETRY_AFTER_DEFAULT_S = 1
const TOO_SLOW = 'is too slow to be examined in the time allowed'
/** Statuses of gateways and of temporary overload. */
const TEMPORARY = [502, 503, 504]
/** How many times a request waits after one of these statuses. */
const WAITS_MAX = 5

export class Probe {
  private readonly changes: string[] = []
  /** `attempt` is how many times the check was started before. */
  constructor(
    private readonly run: Run,
    private readonly attempt = 0,
  ) {}

  get target(): Target {
    return this.run.target
  }

  /** Every response of the examination so far. */
  get seen(): readonly Answer[] {
    return this.run.seen
  }

  /** The time of the newest response that has one, in milliseconds since 1970, by the clock of the server. */
  get serverDate(): number | undefined {
    const date = this.run.seen.findLast((answer) => answer.header('Date') !== undefined)?.header('Date')
    return date === undefined ? undefined : Date.parse(date)
  }

  get orders(): Run['orders'] {
    return this.run.orders
  }

  /** `line` is a method and a path below the base URL: `GET /pets`. */
  async ask(line: string, options: RequestOptions = {}): Promise<Answer> {
    const space = line.indexOf(' ')
    const request: CheckRequest = {
      method: line.slice(0, space),
      path: line.slice(space + 1),
      headers: [...this.authorization(options), ...headersOf(options)],
      body: typeof options.body === 'string' ? new TextEncoder().encode(options.body) : options.body,
      before: [...this.changes],
    }
    if (options.afterKey) request.first = { ...request, headers: this.authorization({}) }
    const answer = await this.inTurn(request, options.mayRedirect ?? false)
    this.run.seen.push(answer)
    const id = memberOf(answer.text, 'id')
    if (!READS.includes(request.method)) this.changes.push(id === undefined ? line : `${line} (id ${id})`)
    return answer
  }

  get(path: string, headers: Record<string, string> = {}, options: RequestOptions = {}): Promise<Answer> {
    return this.ask(`GET ${path}`, { ...options, headers })
  }

  /** Gets the path and expects 200. */
  async read(path: string): Promise<Answer> {
    return (await this.get(path)).expectStatus(200)
  }

  /** Sends JSON, unless `options` set another Content-Type. */
  post(path: string, body: string | Uint8Array | undefined, options: RequestOptions = {}): Promise<Answer> {
    return this.ask(`POST ${path}`, { ...options, headers: { ...JSON_TYPE, ...options.headers }, body })
  }

  /** `change` is a body, or its fields. */
  patch(path: string, change: Record<string, unknown> | string, options: RequestOptions = {}): Promise<Answer> {
    const body = typeof change === 'string' ? change : stringifyJson(change)
    return this.ask(`PATCH ${path}`, { ...options, headers: { ...JSON_TYPE, ...options.headers }, body })
  }

  /** Calls `make` only the first time for each name, and shares its result. */
  shared<Value>(name: string, make: (probe: Probe) => Promise<Value>): Promise<Value> {
    const known = this.run.shared.get(name) as Promise<Value> | undefined
    if (known) return known
    const value = make(new Probe(this.run, this.attempt))
    this.run.shared.set(name, value)
    value.catch((error) => error instanceof Uncertain && this.run.shared.delete(name))
    return value
  }

  private authorization({ key = 'full', authorization }: RequestOptions): (readonly [string, string])[] {
    if (authorization) return authorization.map((value) => ['Authorization', value])
    return key === 'none' ? [] : [['Authorization', `Bearer ${this.target.keys[key]}`]]
  }

  /** For a promise that cannot be judged here. The reason is a sentence. */
  unjudged(reason: string): Unjudged {
    return new Unjudged(reason)
  }

  get isRateLimited(): boolean {
    return this.run.queue !== undefined
  }

  private inTurn(request: CheckRequest, mayRedirect: boolean): Promise<Answer> {
    if (!this.run.queue) return this.patiently(request, mayRedirect)
    const received = this.run.queue.then(() => this.patiently(request, mayRedirect))
    this.run.queue = received.catch(() => undefined)
    return received
  }

  private async patiently(request: CheckRequest, mayRedirect: boolean): Promise<Answer> {
    for (let waits = this.attempt; ; ) {
      const answer = new Answer(request, await this.send(request))
      refuse(answer, mayRedirect)
      const { status } = answer
      if (status !== 429 && !TEMPORARY.includes(status)) return answer
      const after = answer.header('Retry-After')
      const isRefused = status === 429 || (status === 503 && after !== undefined)
      if (status !== 429 && waits++ >= WAITS_MAX) {
        if (await this.isOut(status)) throw new TimeUp(`answers ${status}`)
        return answer
      }
      if (isRefused) {
        this.run.queue ??= Promise.resolve()
        this.run.seen.push(answer)
      }
      const waitMs = (Number(after) || RETRY_AFTER_DEFAULT_S) * 1000
      if (performance.now() + waitMs > this.run.endsAt) throw new TimeUp('allows no more requests for now')
      await Bun.sleep(waitMs)
      if (!isRefused && !READS.includes(request.method)) throw new Uncertain(`The server answers ${status}.`)
    }
  }

  /** Returns whether the server responds to a list with a temporary status, too. If so, sets the outage to `status`. */
  private async isOut(status: number): Promise<boolean> {
    const list = { method: 'GET', path: '/pets', headers: this.authorization({}), body: undefined, before: [] }
    if (TEMPORARY.includes((await this.send(list)).status)) this.run.outage = status
    return this.run.outage !== undefined
  }

  /** If the connection of a read breaks, sends it once more, because a gateway can close idle connections. */
  private async send(request: CheckRequest, again = READS.includes(request.method)): Promise<Received> {
    const { baseUrl, timeoutMs } = this.target
    const leftMs = Math.ceil(this.run.endsAt - performance.now())
    if (this.run.outage !== undefined) throw new TimeUp(`answers ${this.run.outage}`)
    if (leftMs <= 0) throw new TimeUp(TOO_SLOW)
    const sent = ({ method, path, headers, body }: CheckRequest): Sent => ({
      method,
      target: baseUrl.pathname + path,
      headers: [...headers, ['Accept', '*/*'], ['Accept-Encoding', 'identity']],
      body,
    })
    const startedAt = performance.now()
    try {
      const before = request.first && sent(request.first)
      return await exchange(baseUrl, sent(request), Math.min(timeoutMs, leftMs), before)
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      if (performance.now() >= this.run.endsAt) throw new TimeUp(TOO_SLOW)
      if (performance.now() - startedAt >= timeoutMs) throw new TimeUp(error.message)
      if (again) return this.send(request, false)
      throw new Broken('a response', `The server ${error.message}.`, request)
    }
  }
}

function headersOf({ headers = {} }: RequestOptions): (readonly [string, string])[] {
  return Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
}

const READS = ['GET', 'HEAD', 'OPTIONS']

/** Throws NotExaminable if the response is a redirect or compressed. */
function refuse(answer: Answer, mayRedirect: boolean): void {
  const { status, request } = answer
  const coding = answer.header('Content-Encoding')
  if (status >= 300 && status < 400 && status !== 304 && !mayRedirect) {
    const location = answer.header('Location')
    throw new NotExaminable(
      `redirects ${request.method} ${request.path} to ${location}, and redirects are not followed`,
    )
  }
  if (coding !== undefined && coding !== 'identity')
    throw new NotExaminable(`sent a compressed response (${coding}) that the request does not accept`)
}
