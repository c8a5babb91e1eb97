// Connects to the hosts of an address and finds the one that accepts writes.

import { DatabaseError } from 'pg-protocol'
import { monotonicMs, sleep } from '../../../system/runtime.ts'
import { describeHost, type Host, type PostgresAddress } from './address.ts'
import { Client } from './client.ts'
import { codeOf, isGone, StoreFailure } from './errors.ts'
import { checkSettings } from './server-check.ts'
import { Session } from './session.ts'
import { CONNECT_TIMEOUT_MS, RIVAL_WAIT_MS, START_WAIT_MS, withTimeout } from './time-limits.ts'

const START_AGAIN_MS = 100
/** Can change soon: a server or standby starts, a disk catches up, a connection becomes free or opens. */
const MAY_COME = ['57P03', '53300', 'NOT_REPLICATED', 'SLOW_COMMIT', 'CONNECT_TIMEOUT', 'NO_ANSWER']

/** The timeline of a primary. Fails on a standby. */
export const TIMELINE = 'left(pg_walfile_name(pg_current_wal_lsn()), 8)'

/** A host that accepted writes when it was probed. */
export interface WritableHost extends Host {
  /** Eight hexadecimal digits. A promotion starts a new, greater timeline. */
  timeline: string
}

/** Retries `work`, which connects to hosts, for START_WAIT_MS. Throws immediately if waiting cannot help. */
export async function atStart<Result>(work: () => Promise<Result>): Promise<Result> {
  for (const deadline = monotonicMs() + START_WAIT_MS; ; await sleep(START_AGAIN_MS)) {
    try {
      return await work()
    } catch (error) {
      if (!MAY_COME.includes(codeOf(error)) || monotonicMs() >= deadline) throw error
    }
  }
}

/**
 * Returns the host that accepts writes. If two do, for example after a failed failover, returns the one with the later
 * timeline. If the probe of `used` fails without showing that it is down, `used` counts as found: statements on its
 * open connections check it.
 */
export async function writableHost(address: PostgresAddress, used?: WritableHost): Promise<WritableHost> {
  const found: WritableHost[] = []
  const probe = (host: Host) =>
    probeHost(address, host).catch((error) => {
      if (!isGone(error) && used?.host === host.host && used.port === host.port) return used
      throw error
    })
  const probes = address.hosts.map(async (host) => found.push(await probe(host)))
  try {
    await Promise.any(probes)
  } catch (error) {
    throw mostTelling((error as AggregateError).errors)
  }
  await Promise.race([Promise.allSettled(probes), sleep(RIVAL_WAIT_MS)])
  return found.reduce((best, other) => (other.timeline > best.timeline ? other : best))
}

/** Opens a separate connection to the host that accepts writes, without a time limit for its statements. */
export async function openSession(address: PostgresAddress, host?: WritableHost): Promise<Session> {
  const found = host ?? (await writableHost(address))
  const session = new Session(() => Client.open(address, found))
  try {
    await checkSettings(session.execute)
    return session
  } catch (error) {
    await session.close()
    throw error
  }
}

/** Whether both are the same host, without a promotion in between. */
export function isSameHost(one: WritableHost, other: WritableHost): boolean {
  return one.host === other.host && one.port === other.port && one.timeline === other.timeline
}

async function probeHost(address: PostgresAddress, host: Host): Promise<WritableHost> {
  const name = describeHost(host)
  const client = await Client.open(address, host, { statementTimeoutMs: CONNECT_TIMEOUT_MS })
  try {
    // No parameters and no name, because PgBouncer keeps named statements.
    const answering = client.run<{ timeline: string; writable: boolean }>(`
      SELECT CASE WHEN pg_is_in_recovery() THEN '' ELSE ${TIMELINE} END AS timeline,
             current_setting('transaction_read_only') = 'off' AS writable`)
    const late = () => new StoreFailure('NO_ANSWER', `${name} does not respond`)
    const { rows } = await withTimeout(CONNECT_TIMEOUT_MS, answering, late)
    const [answer] = rows
    if (!answer?.timeline) throw new StoreFailure('STANDBY', `${name} is a standby`)
    if (!answer.writable) throw new StoreFailure('READ_ONLY', `${name} has default_transaction_read_only`)
    return { ...host, timeline: answer.timeline }
  } finally {
    void client.close(CONNECT_TIMEOUT_MS)
  }
}

/** An error from a host that responds is more useful than one from an unreachable host. */
function mostTelling(errors: readonly unknown[]): unknown {
  const found = ['READ_ONLY', 'STANDBY'].map((code) => errors.find((error) => codeOf(error) === code))
  return errors.find((error) => error instanceof DatabaseError) ?? found[0] ?? found[1] ?? errors[0]
}
