// Records the exchanges between clients and a service in practice, for the report.

import type { Socket } from 'node:net'
import type { Fault } from '../../testing/testing.ts'
import { type Connection, Exchange } from './exchange.ts'
import { isSentSlowly } from './network-faults/inject.ts'
import { type ClientRequest, type ServiceResponse, write } from './proxy.ts'

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
