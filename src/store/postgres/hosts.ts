// The hosts of an address: connects to them, and finds the one that accepts writes.

import { readFileSync } from 'node:fs'
import postgres from 'postgres'
import { StartError } from '../../domain/errors.ts'
import type { PostgresAddress } from './address.ts'
import { codeOf, StoreFailure } from './errors.ts'
import { withTimeout } from './timeout.ts'

type Host = PostgresAddress['hosts'][number]
export type Sql = postgres.Sql<{ bigint: bigint }>

const CONNECT_TIMEOUT_MS = 1_500
/** How long a start or a command waits, where nobody waits for an answer yet: */
const START_WAIT_MS = 10_000
const AGAIN_MS = 100
/** for a database server that is starting, for its standby, and for one that is slow to connect, as on a busy machine. */
const MAY_COME = ['57P03', 'NOT_REPLICATED', 'CONNECT_TIMEOUT', 'NO_ANSWER']
/** How long to wait for the other hosts after one that accepts writes has responded. */
const RIVAL_WAIT_MS = 100

/** What the database calls our connections. */
export const APPLICATION = 'petstore'

export interface ClientOptions {
  /** By default there is no limit. */
  statementTimeoutMs?: number
  onnotice?: (notice: postgres.Notice) => void
  onclose?: () => void
}

/** A host that accepted writes when it was asked. */
export interface WritableHost extends Host {
  /** Eight hexadecimal digits. A promotion starts a new, greater timeline. */
  timeline: string
  /** The default isolation level of transactions. */
  isolation: string
}

/** Each statement sees everything that was committed before it started. The lock for adding pets depends on that. */
export const ISOLATION = 'read committed'

/**
 * Connections to one host, opened on demand. The driver's own check for a writable host is not used: it trusts what the server
 * reports when a connection is opened, and a pooler repeats that long after the host behind it has changed.
 */
export function openClient(
  address: PostgresAddress,
  { host, port, isolation = ISOLATION }: Host & Partial<WritableHost>,
  options: ClientOptions = {},
): Sql {
  const { statementTimeoutMs, onnotice = () => {}, onclose = () => {} } = options
  const settings: Record<string, string | number> = {
    application_name: APPLICATION,
    ...(statementTimeoutMs === undefined ? {} : { statement_timeout: statementTimeoutMs }),
    // Only when it is necessary: PgBouncer refuses a connection with this parameter.
    ...(isolation === ISOLATION ? {} : { default_transaction_isolation: ISOLATION }),
  }
  return postgres({
    // As lists: the driver would split a string with an IPv6 address at its colons.
    host: [host] as unknown as string,
    port: [port] as unknown as number,
    database: address.database,
    username: address.user,
    ...(address.password === undefined ? {} : { password: address.password }),
    ssl: ssl(address),
    max: 1,
    connect_timeout: CONNECT_TIMEOUT_MS / 1000,
    max_lifetime: null,
    // The only type here that the driver does not know.
    fetch_types: false,
    types: { bigint: postgres.BigInt },
    connection: settings,
    onnotice,
    onclose,
  })
}

/** Does the work, which connects to hosts, again until it can be done. Throws its last error, and each that waiting does not change. */
export async function atStart<Result>(work: () => Promise<Result>): Promise<Result> {
  for (const deadline = performance.now() + START_WAIT_MS; ; await Bun.sleep(AGAIN_MS)) {
    try {
      return await work()
    } catch (error) {
      if (!MAY_COME.includes(codeOf(error)) || performance.now() >= deadline) throw error
    }
  }
}

/** The host that accepts writes. When two do, as after a careless failover, the one with the later timeline. */
export async function writableHost(address: PostgresAddress): Promise<WritableHost> {
  const found: WritableHost[] = []
  const asked = address.hosts.map(async (host) => found.push(await askHost(address, host)))
  try {
    await Promise.any(asked)
  } catch (error) {
    throw mostTelling((error as AggregateError).errors)
  }
  await Promise.race([Promise.allSettled(asked), Bun.sleep(RIVAL_WAIT_MS)])
  return found.reduce((best, other) => (other.timeline > best.timeline ? other : best))
}

/** Whether both are the same host, and it was not promoted in between. */
export function isSame(one: WritableHost, other: WritableHost): boolean {
  return one.host === other.host && one.port === other.port && one.timeline === other.timeline
}

async function askHost(address: PostgresAddress, host: Host): Promise<WritableHost> {
  const name = `${host.host}:${host.port}`
  const sql = openClient(address, host, { statementTimeoutMs: CONNECT_TIMEOUT_MS })
  try {
    // Without parameters or a name: PgBouncer keeps what has a name.
    const asked = sql.unsafe<(Omit<WritableHost, keyof Host> & { writable: boolean })[]>(`
      SELECT CASE WHEN pg_is_in_recovery() THEN '' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline,
             current_setting('transaction_read_only') = 'off' AS writable,
             current_setting('transaction_isolation') AS isolation`)
    const [answer] = await withTimeout(
      CONNECT_TIMEOUT_MS,
      asked,
      () => new StoreFailure('NO_ANSWER', `${name} does not respond`),
    )
    if (!answer?.writable) throw new StoreFailure('STANDBY', `${name} does not accept writes`)
    const { timeline, isolation } = answer
    return { ...host, timeline, isolation }
  } finally {
    sql.end({ timeout: 0 }).catch(() => {})
  }
}

/** The error of a host that responds says more than that of one that cannot be reached. */
function mostTelling(errors: readonly unknown[]): unknown {
  return (
    errors.find((error) => error instanceof postgres.PostgresError) ??
    errors.find((error) => error instanceof StoreFailure && error.code === 'STANDBY') ??
    errors[0]
  )
}

/** As in libpq (https://www.postgresql.org/docs/current/libpq-ssl.html). */
function ssl({ sslMode, sslRootCert }: PostgresAddress): false | 'prefer' | object {
  if (sslMode === 'disable') return false
  if (sslMode === 'prefer') return 'prefer'
  if (sslMode === 'require') return { rejectUnauthorized: false }
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
