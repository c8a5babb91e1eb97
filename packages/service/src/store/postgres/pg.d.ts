// The parts of the driver that `client.ts` uses. Its package has no types of its own, and its main module would load `pg-native` where the
// environment says so.

declare module 'pg/lib/connection.js' {
  import type { EventEmitter } from 'node:events'
  import type { Socket } from 'node:net'

  /** The messages of the protocol, over one socket. */
  export default class Connection extends EventEmitter {
    constructor(options: { ssl: object | false; keepAlive: boolean; keepAliveInitialDelayMillis: number })
    readonly stream: Socket
    connect(port: number, host: string): void
    /** Reads what comes as messages. */
    attachListeners(stream: Socket): void
  }
}

declare module 'pg/lib/client.js' {
  import type { EventEmitter } from 'node:events'
  import type Connection from 'pg/lib/connection.js'
  import type { NoticeMessage } from 'pg-protocol/dist/messages.js'

  export interface QueryResult<Row> {
    rows: Row[]
    /** The first word of what the server says of it. */
    command: string
  }

  export default class Client extends EventEmitter<{ notice: [NoticeMessage]; error: [Error]; end: [] }> {
    constructor(options: {
      connection: Connection
      host: string
      port: number
      database: string
      user: string
      password: () => string
      ssl: object | false
      pipeline: boolean
      sslnegotiation: 'postgres'
      scramMaxIterations: number
      types: { getTypeParser(oid: number): (text: string) => unknown }
    })
    readonly connection: Connection
    /** The number that the server greets with. */
    readonly processID: number | null
    connect(): Promise<this>
    getStartupConf(): Record<string, string>
    query<Row>(query: { text: string; values: readonly unknown[]; name?: string }): Promise<QueryResult<Row>>
    /** A statement in progress fails. */
    end(): Promise<void>
  }
}
