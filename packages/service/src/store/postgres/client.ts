// One connection to a host, by the driver pg: how it is opened (TLS, password, parameters) and what values become. Nothing of the
// environment but PGPASSWORD is read, and no file with passwords: an address says everything.

import { readFileSync } from 'node:fs'
import Driver, { type QueryResult } from 'pg/lib/client.js'
import Connection from 'pg/lib/connection.js'
import { StartError } from '../../domain/start-error.ts'
import type { PostgresAddress } from './address.ts'
import { codeOf, StoreFailure } from './errors.ts'
import { CONNECT_TIMEOUT_MS, withTimeout } from './time-limits.ts'

const KEEP_ALIVE_MS = 60_000

/** What the database calls our connections. */
export const APPLICATION = 'petstore'

/** Each statement sees everything that was committed before it started. The lock for adding pets depends on that. */
export const ISOLATION = 'read committed'

export type Parameter = string | number | bigint | boolean | null

export interface Target {
  host: string
  port: number
  /** The default isolation level of transactions there, where it is known. */
  isolation?: string
}

interface ClientOptions {
  /** By default there is no limit. */
  statementTimeoutMs?: number
  /** Called when a commit stopped waiting for its synchronous standby: it is on this host only. */
  onUnreplicated?: () => void
  /** Called when the connection has ended, if it was opened. */
  onClose?: () => void
}

/** The driver would parse JSON, dates and bytes, too. What is not here is its text. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === 't',
  20: BigInt,
  21: Number,
  23: Number,
  701: Number,
}
const asText = (text: string) => text
const TYPES = { getTypeParser: (oid: number) => PARSERS[oid] ?? asText }

/** The server's answer to who asks for TLS and can have none. */
const NO_TLS = 'N'

export class Client extends Driver {
  private constructor(
    address: PostgresAddress,
    target: Target,
    private readonly parameters: Record<string, string>,
  ) {
    const { user, database, password, sslMode } = address
    const { host, port } = target
    const ssl = tlsOf(address)
    super({
      connection: new Wire(ssl, sslMode === 'prefer'),
      ...{ host, port, user, database, ssl, types: TYPES },
      // As a function, or the driver would look for a file with passwords where there is none.
      password: () => {
        const given = password || process.env.PGPASSWORD
        if (!given) throw new StoreFailure('28P01', 'the server asks for a password')
        return given
      },
      // A statement is sent at once; answers come in the order of the statements.
      pipeline: true,
      sslnegotiation: 'postgres',
      scramMaxIterations: 0,
    })
  }

  /** Throws the error of the server or the system, or a StoreFailure. */
  static async open(address: PostgresAddress, target: Target, options: ClientOptions = {}): Promise<Client> {
    const { statementTimeoutMs, onUnreplicated, onClose } = options
    const { isolation = ISOLATION } = target
    const client = new Client(address, target, {
      application_name: APPLICATION,
      ...(statementTimeoutMs === undefined ? {} : { statement_timeout: String(statementTimeoutMs) }),
      // Only when it is necessary: PgBouncer refuses a connection with this parameter.
      ...(isolation === ISOLATION ? {} : { default_transaction_isolation: ISOLATION }),
    })
    // The function of PostgreSQL's source tells this warning from all others; its SQLSTATE differs between a cancelled and a terminated wait,
    // and its text is in the language of the server.
    client.on('notice', ({ routine }) => {
      if (routine === 'SyncRepWaitForLSN') onUnreplicated?.()
    })
    client.on('error', () => client.destroy())
    try {
      const late = () => new StoreFailure('CONNECT_TIMEOUT', 'the connection took too long')
      await withTimeout(CONNECT_TIMEOUT_MS, client.connect(), late)
      client.on('end', () => onClose?.())
      return client
    } catch (error) {
      client.destroy()
      throw lost(error)
    }
  }

  /** All of them: the driver's own would follow variables of the environment. */
  override getStartupConf(): Record<string, string> {
    const { user, database } = this as unknown as PostgresAddress
    return { user, database, ...this.parameters }
  }

  /** Runs one statement, or several without parameters. With a name it is prepared once for this connection. Throws as `open` does. */
  async run<Row>(text: string, values: readonly Parameter[] = [], name?: string): Promise<QueryResult<Row>> {
    try {
      return await this.query<Row>({ text, values, ...(name === undefined ? {} : { name }) })
    } catch (error) {
      throw lost(error)
    }
  }

  /** Says goodbye, and waits for the server's no longer than `timeoutMs`. */
  async close(timeoutMs: number): Promise<void> {
    await withTimeout(timeoutMs, this.end(), () => new Error('no goodbye')).catch(() => this.destroy())
  }

  private destroy(): void {
    this.connection.stream.destroy()
  }
}

/** What the driver throws without a code is about a connection that ended, or that said something unexpected. */
function lost(error: unknown): unknown {
  return codeOf(error) === '' ? new StoreFailure('CONNECTION_LOST', 'the connection was lost', { cause: error }) : error
}

/** Goes on without TLS where the server has none, if it may; the driver itself cannot. */
class Wire extends Connection {
  constructor(
    ssl: object | false,
    private readonly mayBePlain: boolean,
  ) {
    super({ ssl, keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_MS })
  }

  override connect(port: number, host: string): void {
    super.connect(port, host)
    if (!this.mayBePlain) return
    const { stream } = this
    const [negotiate] = stream.listeners('data')
    stream.removeAllListeners('data')
    stream.once('data', (answer) => {
      if (answer.toString() !== NO_TLS) return negotiate?.(answer)
      this.attachListeners(stream)
      this.emit('sslconnect')
    })
  }
}

/** As in libpq (https://www.postgresql.org/docs/current/libpq-ssl.html). */
function tlsOf({ sslMode, sslRootCert }: PostgresAddress): false | object {
  if (sslMode === 'disable') return false
  if (sslMode === 'prefer' || sslMode === 'require') return { rejectUnauthorized: false }
  return {
    rejectUnauthorized: true,
    ...(sslRootCert === undefined ? {} : { ca: readCertificate(sslRootCert) }),
    ...(sslMode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
  }
}

function readCertificate(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new StartError(`the file in sslrootcert, ${path}, cannot be read`, { cause })
  }
}
