// One connection to a host with the driver pg: TLS, password, parameters and value types. The address has all
// settings; only PGPASSWORD is read from the environment, and no password file.

import Driver, { type QueryResult } from 'pg/lib/client.js'
import { DatabaseError } from 'pg-protocol'
import { io } from '../../../system/io.ts'
import { monotonicMs } from '../../../system/runtime.ts'
import { type Host, type PostgresAddress, tlsOf } from '../address.ts'
import { codeOf, StoreFailure } from './errors.ts'
import { CONNECT_TIMEOUT_MS, inTime, withTimeout } from './time-limits.ts'

const KEEP_ALIVE_MS = 60_000

/** The `application_name` of our connections. */
const APPLICATION = 'petstore'
/** Finds our connections in pg_stat_activity. PgBouncer can add the client's address to the name. */
export const IS_OURS = `datname = current_database() AND starts_with(application_name, '${APPLICATION}')`

export type Parameter = string | number | bigint | boolean | null

interface ClientOptions {
  /** No limit by default, even if the role has one. */
  statementTimeoutMs?: number
  /** Called when a commit stops waiting for its synchronous standby, so it is only on this host. */
  onUnreplicated?: () => void
  /** Called when an opened connection has ended. */
  onClose?: () => void
}

/** The driver would also parse JSON, dates and bytes. Types that are not listed stay text. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === 't',
  20: BigInt,
  21: Number,
  23: Number,
  701: Number,
}
const asText = (text: string) => text
const TYPES = { getTypeParser: (oid: number) => PARSERS[oid] ?? asText }

/**
 * Limits the prepared statements of a connection. Requests determine which ones there are, and each takes about 150 kB
 * on the server.
 */
const PREPARED_MAX = 300

export class Client {
  /** Names of prepared statements by text, most recently used last. */
  private readonly prepared = new Map<string, string>()
  private named = 0

  private constructor(private readonly driver: Driver) {}

  /** Throws the error of the server or the system, or a StoreFailure. */
  static async open(address: PostgresAddress, target: Host, options: ClientOptions = {}): Promise<Client> {
    const deadline = monotonicMs() + CONNECT_TIMEOUT_MS
    const tls = tlsOf(address, target)
    const openWith = (ssl: object | false) => connect(driverOf(address, target, options, ssl), options, deadline)
    const opening = openWith(tls).catch((error) => {
      if (address.sslMode !== 'prefer' || !mayBePlain(error)) throw error
      return openWith(false)
    })
    return new Client(await opening.catch(rethrow))
  }

  /** The process number that the server sent at the start. */
  get processID(): number | null {
    return this.driver.processID
  }

  /**
   * Runs one statement, or several without parameters. `prepares` a statement with parameters once per connection.
   * Throws like `open`.
   */
  run<Row>(text: string, values: readonly Parameter[] = [], prepares = false): Promise<QueryResult<Row>> {
    const named = prepares && values.length > 0 ? { name: this.nameOf(text) } : {}
    return this.driver.query<Row>({ text, values, ...named }).catch(rethrow)
  }

  private nameOf(text: string): string {
    const { driver, prepared } = this
    const name = prepared.get(text) ?? `s${this.named++}`
    prepared.delete(text)
    prepared.set(text, name)
    const oldest = prepared.entries().next().value
    if (prepared.size > PREPARED_MAX && oldest) {
      // Deallocates it before the next statement runs. The name cannot be reused.
      driver.connection.close({ type: 'S', name: oldest[1] })
      delete driver.connection.parsedStatements[oldest[1]]
      prepared.delete(oldest[0])
    }
    return name
  }

  /** Ends the connection. Waits at most `timeoutMs` for the server. */
  async close(timeoutMs: number): Promise<void> {
    await inTime(this.driver.end(), timeoutMs).catch(() => destroy(this.driver))
  }
}

function driverOf(
  { user, database, password }: PostgresAddress,
  { host, port }: Host,
  { statementTimeoutMs = 0 }: ClientOptions,
  ssl: object | false,
): Driver {
  const driver = new Driver({
    ...{ host, port, user, database, ssl, types: TYPES },
    ...{ keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_MS },
    // A function, because without a password the driver would look for a password file.
    password: () => {
      const given = password || io().env.PGPASSWORD
      if (!given) throw new StoreFailure('28P01', 'the server asks for a password')
      return given
    },
    // Sends statements without waiting for earlier responses, which arrive in order.
    pipeline: true,
    sslnegotiation: 'postgres',
    scramMaxIterations: 0,
  })
  // Replaces the driver's parameters, which depend on environment variables.
  driver.getStartupConf = () => ({
    ...{ user, database, application_name: APPLICATION },
    statement_timeout: String(statementTimeoutMs),
  })
  return driver
}

async function connect(driver: Driver, { onUnreplicated, onClose }: ClientOptions, deadline: number): Promise<Driver> {
  // This function name in PostgreSQL's source identifies the warning. Its SQLSTATE differs between a cancelled and a
  // terminated wait, and its text depends on the server's language.
  driver.on('notice', ({ routine }) => {
    if (routine === 'SyncRepWaitForLSN') onUnreplicated?.()
  })
  driver.on('error', () => destroy(driver))
  try {
    await withTimeout(deadline - monotonicMs(), driver.connect(), 'CONNECT_TIMEOUT', 'the connection took too long')
    driver.on('end', () => onClose?.())
    return driver
  } catch (error) {
    destroy(driver)
    throw error
  }
}

function destroy({ connection }: Driver): void {
  connection.stream.destroy()
}

/** The driver's errors without a code mean that the connection ended or received something unexpected. */
function rethrow(error: unknown): never {
  throw codeOf(error) === '' ? new StoreFailure('CONNECTION_LOST', 'the connection was lost', { cause: error }) : error
}

/** Whether to retry without TLS: the server or pg_hba.conf does not support it, or the handshake failed. */
function mayBePlain(error: unknown): boolean {
  return codeOf(error) === '28000' || !(error instanceof DatabaseError || error instanceof StoreFailure)
}
