// The requests of clients in practice with their responses: what they show about a client, and their record.

import type { Socket } from 'node:net'
import type { Fault } from '../../testing/testing.ts'
import { headerOf, linkIn } from '../../verify/src/headers.ts'
import { isOf, parametersOf } from './contract-faults/shared/requests.ts'
import { isSentSlowly } from './network-faults/inject.ts'
import { type ClientRequest, type ServiceResponse, write } from './proxy.ts'

export interface Connection {
  /** When the client closed the connection, or lost it. */
  closedAt?: number
}

/** Another attempt can succeed after these statuses, even if a proxy returned them. */
const TEMPORARY = [408, 429, 500, 502, 503, 504]
/** After these statuses, a change may have been made. */
const UNCERTAIN = [500, 502, 504]
/** A request that arrives so soon on another connection may have been sent before the response arrived. */
const PARALLEL_MS = 50

export class Exchange implements ClientRequest {
  readonly method: string
  readonly target: string
  readonly headers: ClientRequest['headers']
  readonly body: Buffer
  /** When the whole response was sent. `undefined` while the client waits, or if it left before. */
  endedAt: number | undefined
  response: ServiceResponse | undefined

  constructor(
    { method, target, headers, body }: ClientRequest,
    /** Counts from 1, in the order of arrival. */
    readonly number: number,
    readonly connection: Connection,
    /** Milliseconds of the machine's monotonic clock. */
    readonly startedAt: number,
    public fault: Fault | undefined,
  ) {
    this.method = method
    this.target = target
    this.headers = headers
    this.body = body
  }

  get end(): number | undefined {
    return this.endedAt ?? this.connection.closedAt
  }

  /** Returns the time from the end of this exchange to the start of `next`. */
  pauseBefore(next: Exchange): number {
    return next.startedAt - (this.end ?? 0)
  }

  /** Whether the client probably had this response when it sent the other request. */
  wasKnownTo(other: Exchange): boolean {
    const { end, connection } = this
    if (end === undefined || other.startedAt < end) return false
    const isStillOpen = (connection.closedAt ?? Number.POSITIVE_INFINITY) > other.startedAt
    return connection === other.connection || !isStillOpen || other.startedAt >= end + PARALLEL_MS
  }

  /** Whether the client can have sent both requests at once. It closes its connections, or has several. */
  isParallelTo(next: Exchange): boolean {
    return this.connection !== next.connection && this.pauseBefore(next) < PARALLEL_MS
  }

  /** The client closed the connection before it had its response. */
  get hasLeft(): boolean {
    return this.endedAt === undefined && this.connection.closedAt !== undefined
  }

  /** The connection was cut before the whole response arrived. */
  get isLost(): boolean {
    return this.endedAt !== undefined && (this.fault?.cut !== undefined || this.fault?.truncate !== undefined)
  }

  /** The status, if the response arrived. */
  get status(): number | undefined {
    return this.endedAt === undefined || this.isLost ? undefined : this.response?.status
  }

  /** The error code, if an error arrived. */
  get code(): string | undefined {
    const code = (this.status ?? 0) >= 400 && /"code":"(\w+)"/.exec(`${this.response?.body}`)?.[1]
    return code || undefined
  }

  /** Failed in a way that another attempt can fix. */
  get hasFailed(): boolean {
    const isTemporary = TEMPORARY.includes(this.status ?? 0) || this.code === 'idempotency_in_flight'
    return isTemporary || this.isLost || this.hasLeft
  }

  get isCreate(): boolean {
    return isOf(this, 'POST /pets|POST /store/orders')
  }

  /** The request may have been carried out, and the client cannot know. */
  get isUncertain(): boolean {
    return this.isLost || this.hasLeft || UNCERTAIN.includes(this.status ?? 0)
  }

  /** A PATCH that can undo another client's change if it is sent again. */
  get isBlind(): boolean {
    return this.method === 'PATCH' && (this.header('If-Match') ?? '*') === '*'
  }

  /** Returns a header of the request. */
  header(name: string): string | undefined {
    return headerOf(this.headers, name)
  }

  /** Returns a header of the response. */
  answerHeader(name: string): string | undefined {
    return this.response && headerOf(this.response.headers, name)
  }

  /** The parameters of the link to the next page, if there is one. */
  get nextPage(): URLSearchParams | undefined {
    const target = linkIn(this.response?.headers ?? [], 'next')
    return target === undefined ? undefined : parametersOf({ target })
  }
}

/** After this many bytes, requests are not recorded. */
const BYTES_MAX = 64 * 2 ** 20
/** The size of an exchange without its bodies. */
const EXCHANGE_BYTES = 2_000
/** A closed client resets the connection within this time after a response. */
const RESET_MS = 10

export class Recorder {
  exchanges: Exchange[] = []
  private bytes = 0
  /** How many requests came after the last recorded one. */
  unrecorded = 0
  private readonly connections = new WeakMap<Socket, Connection>()

  constructor(readonly now: () => number) {}

  clear(): void {
    this.exchanges = []
    this.bytes = 0
    this.unrecorded = 0
  }

  begin(request: ClientRequest, client: Socket, fault: Fault | undefined): Exchange {
    const number = this.exchanges.length + 1
    const connection = this.connectionOf(client)
    const exchange = new Exchange(request, number, connection, this.now(), fault)
    if (this.bytes < BYTES_MAX) this.exchanges.push(exchange)
    else this.unrecorded++
    this.bytes += EXCHANGE_BYTES + request.body.length
    return exchange
  }

  /** Returns the response with a `send` that records when it was sent. */
  answer(exchange: Exchange, response: ServiceResponse): ServiceResponse {
    exchange.response = response
    this.bytes += response.body.length
    const send = async (client: Socket, bytes: Buffer) => {
      const startedAt = this.now()
      await (response.send ?? write)(client, bytes)
      if (exchange.connection.closedAt !== undefined) {
        // The client can have half-closed its connection, and still wait for the response.
        await Bun.sleep(RESET_MS)
        if (client.destroyed) return
      }
      // The client has a response sent in one write before this process continues, so its pause starts before the
      // write.
      exchange.endedAt = exchange.fault && isSentSlowly(exchange.fault) ? this.now() : startedAt
    }
    return { ...response, send }
  }

  private connectionOf(client: Socket): Connection {
    const known = this.connections.get(client)
    if (known) return known
    const connection: Connection = {}
    const close = () => {
      connection.closedAt ??= this.now()
    }
    client.once('end', close).once('close', close)
    this.connections.set(client, connection)
    return connection
  }
}
