// One connection to a host, by the driver pg: how it is opened (TLS, password, parameters) and what values become. Nothing of the
// environment but PGPASSWORD is read, and no file with passwords: an address says everything.

import { readFileSync } from 'node:fs'
import Driver, { type QueryResult } from 'pg/lib/client.js'
import { DatabaseError } from 'pg-protocol'
import { StartError } from '../../../domain/start-error.ts'
import { io } from '../../../system/io.ts'
import { monotonicMs } from '../../../system/runtime.ts'
import type { PostgresAddress } from './address.ts'
import { codeOf, StoreFailure } from './errors.ts'
import { CONNECT_TIMEOUT_MS, withTimeout } from './time-limits.ts'

const KEEP_ALIVE_MS = 60_000

/** What the database calls our connections. */
export const APPLICATION = 'petstore'

export type Parameter = string | number | bigint | boolean | null

export interface Target {
  host: string
  port: number
}

interface ClientOptions {
  /** By default there is no limit, also if the role has one. */
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

export class Client {
  private constructor(private readonly driver: Driver) {}

  /** Throws the error of the server or the system, or a StoreFailure. */
  static async open(address: PostgresAddress, target: Target, options: ClientOptions = {}): Promise<Client> {
    const deadline = monotonicMs() + CONNECT_TIMEOUT_MS
    const tls = tlsOf(address, target)
    const openWith = (ssl: object | false) => connect(driverOf(address, target, options, ssl), options, deadline)
    try {
      const opening = openWith(tls).catch((error) => {
        if (address.sslMode !== 'prefer' || !mayBePlain(error)) throw error
        return openWith(false)
      })
      return new Client(await opening)
    } catch (error) {
      throw lost(error)
    }
  }

  /** The process number that the server sent when the connection was opened. */
  get processID(): number | null {
    return this.driver.processID
  }

  /** Runs one statement, or several without parameters. With a name it is prepared once for this connection. Throws as `open` does. */
  async run<Row>(text: string, values: readonly Parameter[] = [], name?: string): Promise<QueryResult<Row>> {
    try {
      return await this.driver.query<Row>({ text, values, ...(name === undefined ? {} : { name }) })
    } catch (error) {
      throw lost(error)
    }
  }

  /** Deallocates a prepared statement, with the next one that is run. Its name cannot be used again. */
  deallocate(name: string): void {
    const { connection } = this.driver
    connection.close({ type: 'S', name })
    delete connection.parsedStatements[name]
  }

  /** Ends the connection, and waits for the server to do so no longer than `timeoutMs`. */
  async close(timeoutMs: number): Promise<void> {
    await withTimeout(timeoutMs, this.driver.end(), () => new Error('no goodbye')).catch(() => destroy(this.driver))
  }
}

function driverOf(
  { user, database, password }: PostgresAddress,
  { host, port }: Target,
  { statementTimeoutMs = 0 }: ClientOptions,
  ssl: object | false,
): Driver {
  const driver = new Driver({
    ...{ host, port, user, database, ssl, types: TYPES },
    ...{ keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_MS },
    // A function, because without a password the driver would look for a file with passwords.
    password: () => {
      const given = password || io().env.PGPASSWORD
      if (!given) throw new StoreFailure('28P01', 'the server asks for a password')
      return given
    },
    // Sends a statement before the last one is answered; the answers arrive in the same order.
    pipeline: true,
    sslnegotiation: 'postgres',
    scramMaxIterations: 0,
  })
  // All of them: the driver's own would follow variables of the environment.
  driver.getStartupConf = () => ({
    ...{ user, database, application_name: APPLICATION },
    statement_timeout: String(statementTimeoutMs),
  })
  return driver
}

async function connect(driver: Driver, { onUnreplicated, onClose }: ClientOptions, deadline: number): Promise<Driver> {
  // The function of PostgreSQL's source tells this warning from all others; its SQLSTATE differs between a cancelled and a terminated wait,
  // and its text is in the language of the server.
  driver.on('notice', ({ routine }) => {
    if (routine === 'SyncRepWaitForLSN') onUnreplicated?.()
  })
  driver.on('error', () => destroy(driver))
  try {
    const late = () => new StoreFailure('CONNECT_TIMEOUT', 'the connection took too long')
    await withTimeout(deadline - monotonicMs(), driver.connect(), late)
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

/** What the driver throws without a code is about a connection that ended, or that said something unexpected. */
function lost(error: unknown): unknown {
  return codeOf(error) === '' ? new StoreFailure('CONNECTION_LOST', 'the connection was lost', { cause: error }) : error
}

/** As in libpq (https://www.postgresql.org/docs/current/libpq-ssl.html), but a file that is named must be there. */
function tlsOf({ sslMode, sslRootCert }: PostgresAddress, { host }: Target): object | false {
  if (sslMode === 'disable' || host.startsWith('/')) return false
  return {
    rejectUnauthorized: sslMode.startsWith('verify') || sslRootCert !== undefined,
    ...(sslRootCert === undefined ? {} : { ca: readCertificate(sslRootCert) }),
    ...(sslMode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  }
}

/** Whether a connection with TLS may be opened without it: the server or pg_hba.conf has none, or the handshake failed. */
function mayBePlain(error: unknown): boolean {
  return codeOf(error) === '28000' || !(error instanceof DatabaseError || error instanceof StoreFailure)
}

function readCertificate(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new StartError(`the file in sslrootcert, ${path}, cannot be read`, { cause })
  }
}
