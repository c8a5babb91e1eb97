// What went between clients and a service in practice, kept as data, of which the report is made.

import type { Socket } from 'node:net'
import type { Fault } from '../../testing/testing.ts'
import { type Connection, Exchange } from './exchange.ts'
import { isSentSlowly } from './network-faults/inject.ts'
import { type ClientRequest, type ServiceResponse, write } from './proxy.ts'

/** Requests after so many bytes are not recorded. */
const BYTES_MAX = 64 * 2 ** 20
/** What an exchange takes beside its bodies. */
const EXCHANGE_BYTES = 2_000
/** A client that has closed its connection resets it within this time after it gets an answer. */
const RESET_MS = 10

export class Recorder {
  private recorded: Exchange[] = []
  private bytes = 0
  /** How many requests came after the last that is recorded. */
  unrecorded = 0
  private readonly connections = new WeakMap<Socket, Connection>()

  constructor(readonly now: () => number) {}

  get exchanges(): readonly Exchange[] {
    return this.recorded
  }

  clear(): void {
    this.recorded = []
    this.bytes = 0
    this.unrecorded = 0
  }

  begin(request: ClientRequest, client: Socket, fault: Fault | undefined): Exchange {
    const number = this.recorded.length + 1
    const connection = this.connectionOf(client)
    const exchange = new Exchange(request, number, connection, this.now(), fault)
    connection.first ??= exchange
    connection.last = exchange
    if (this.bytes < BYTES_MAX) this.recorded.push(exchange)
    else this.unrecorded++
    this.bytes += EXCHANGE_BYTES + request.body.length
    return exchange
  }

  /** The answer, which notes when it has been sent. */
  answer(exchange: Exchange, response: ServiceResponse): ServiceResponse {
    exchange.response = response
    this.bytes += response.body.length
    const send = async (client: Socket, bytes: Buffer) => {
      const startedAt = this.now()
      await (response.send ?? write)(client, bytes)
      if (exchange.connection.closedAt !== undefined) {
        // A client may have ended its side alone, and wait for the answer.
        await Bun.sleep(RESET_MS)
        if (client.destroyed) return
      }
      // The client has what is sent at once before this process goes on, however busy the machine is: a pause begins then.
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
