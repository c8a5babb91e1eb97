// One request that went between a client and a service in practice, what came back, and what that tells about the client.

import type { Fault } from '../../testing/testing.ts'
import { isOf, parametersOf } from './contract-faults/shared/requests.ts'
import { headerOf } from './messages.ts'
import type { ClientRequest, ServiceResponse } from './proxy.ts'

export interface Connection {
  first?: Exchange
  last?: Exchange
  /** When the client left it, or lost it. */
  closedAt?: number
}

/** With these, a proxy says too that another attempt may succeed. */
const TEMPORARY = [408, 429, 500, 502, 503, 504]
/** After these a change may have been made. */
const UNCERTAIN = [500, 502, 504]
/** What comes so soon on another connection may have been on its way. */
const PARALLEL_MS = 50

export class Exchange implements ClientRequest {
  readonly method: string
  readonly target: string
  readonly headers: ClientRequest['headers']
  readonly body: Buffer
  /** When all was sent that the client gets. `undefined` while it waits, and where it has left before. */
  endedAt: number | undefined
  response: ServiceResponse | undefined

  constructor(
    { method, target, headers, body }: ClientRequest,
    /** From 1, in the order in which the requests came. */
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

  /** From the end of this one to the beginning of the other. */
  pauseBefore(next: Exchange): number {
    return next.startedAt - (this.end ?? 0)
  }

  /** Whether the client had the answer when it sent the other request, as far as can be told. */
  wasKnownTo(other: Exchange): boolean {
    const { end, connection } = this
    if (end === undefined || other.startedAt < end) return false
    const isStillOpen = (connection.closedAt ?? Number.POSITIVE_INFINITY) > other.startedAt
    return connection === other.connection || !isStillOpen || other.startedAt >= end + PARALLEL_MS
  }

  /** The client closed the connection before it had its answer. */
  get hasLeft(): boolean {
    return this.endedAt === undefined && this.connection.closedAt !== undefined
  }

  /** The connection was cut before the whole answer had arrived. */
  get isLost(): boolean {
    return this.endedAt !== undefined && (this.fault?.cut !== undefined || this.fault?.truncate !== undefined)
  }

  /** Of an answer that arrived. */
  get status(): number | undefined {
    return this.endedAt === undefined || this.isLost ? undefined : this.response?.status
  }

  /** The code of an error that arrived. */
  get code(): string | undefined {
    const code = (this.status ?? 0) >= 400 && /"code":"(\w+)"/.exec(`${this.response?.body}`)?.[1]
    return code || undefined
  }

  /** In such a way that another attempt may succeed. */
  get hasFailed(): boolean {
    const isTemporary = TEMPORARY.includes(this.status ?? 0) || this.code === 'idempotency_in_flight'
    return isTemporary || this.isLost || this.hasLeft
  }

  get isCreate(): boolean {
    return isOf(this, 'POST /pets|POST /store/orders')
  }

  /** What the client asked for may have been done, and it cannot know. */
  get isUncertain(): boolean {
    return this.isLost || this.hasLeft || UNCERTAIN.includes(this.status ?? 0)
  }

  /** A correction that may undo what others have changed since, if it is sent again. */
  get isBlind(): boolean {
    return this.method === 'PATCH' && (this.header('If-Match') ?? '*') === '*'
  }

  /** Of the request. */
  header(name: string): string | undefined {
    return headerOf(this.headers, name)
  }

  /** Of the answer. */
  answerHeader(name: string): string | undefined {
    return this.response && headerOf(this.response.headers, name)
  }

  /** The parameters of the link to the next page, where the answer has one. */
  get nextPage(): URLSearchParams | undefined {
    const [, target] = /<([^<>]*)>;\s*rel="next"/.exec(this.answerHeader('Link') ?? '') ?? []
    return target === undefined ? undefined : parametersOf({ target })
  }
}
