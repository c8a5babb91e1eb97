// Types for the parts of the driver that `connect/client.ts` uses; the package has none. Its main module would load
// `pg-native` if an environment variable demands it.

declare module 'pg/lib/client.js' {
  import type { EventEmitter } from 'node:events'
  import type { NoticeMessage } from 'pg-protocol/dist/messages.js'

  export interface QueryResult<Row> {
    rows: Row[]
    /** The first word of the server's command tag. */
    command: string
  }

  export default class Client extends EventEmitter<{ notice: [NoticeMessage]; error: [Error]; end: [] }> {
    constructor(options: object)
    readonly connection: {
      readonly stream: { destroy(): void }
      /** The texts of the prepared statements by name. */
      readonly parsedStatements: Record<string, string>
      /** Sends Close without Sync. */
      close(statement: { type: 'S'; name: string }): void
    }
    readonly processID: number | null
    getStartupConf: () => Record<string, string>
    connect(): Promise<this>
    query<Row>(query: { text: string; values: readonly unknown[]; name?: string }): Promise<QueryResult<Row>>
    /** A statement in progress fails. */
    end(): Promise<void>
  }
}
