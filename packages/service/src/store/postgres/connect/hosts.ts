// Connects to the hosts of an address, finds the one that accepts writes, and checks that it is suitable for a store.

import { DatabaseError } from 'pg-protocol'
import { StartError } from '../../../domain/start-error.ts'
import { sleep } from '../../../system/runtime.ts'
import { describeHost, type Host, type PostgresAddress } from '../address.ts'
import { checkSettings } from '../start-checks.ts'
import { Client } from './client.ts'
import { codeOf, isGone, StoreFailure } from './errors.ts'
import { Session } from './session.ts'
import { CONNECT_TIMEOUT_MS, RIVAL_WAIT_MS, withTimeout } from './time-limits.ts'

/** The timeline of a primary. Fails on a standby. */
export const TIMELINE = 'left(pg_walfile_name(pg_current_wal_lsn()), 8)'

/** A host that accepted writes when it was probed. */
export interface WritableHost extends Host {
  /** Eight hexadecimal digits. A promotion starts a new, greater timeline. */
  timeline: string
  /** Differs between two servers, and after a restart. Two addresses can lead to the same server. */
  server: string
}

interface Search {
  /** If its probe fails without showing that it is down, it counts as found: statements on its connections check it. */
  used?: WritableHost | undefined
  /** How long to wait for the other hosts after the first one that accepts writes has responded. */
  rivalWaitMs?: number
  /** Receives each host that responds later. */
  onLate?: (host: WritableHost) => void
}

/**
 * Returns the host that accepts writes: with the latest timeline, if there are several, for example after a failed
 * failover. Throws StartError if another server accepts writes on the same timeline.
 */
export async function writableHost(
  address: PostgresAddress,
  { used, rivalWaitMs = RIVAL_WAIT_MS, onLate }: Search = {},
): Promise<WritableHost> {
  const found: WritableHost[] = []
  let isOver = false
  const probes = address.hosts.map(async (host) => {
    const writable = await probeHost(address, host).catch((error) => {
      if (!isGone(error) && used?.host === host.host && used.port === host.port) return used
      throw error
    })
    if (isOver) onLate?.(writable)
    else found.push(writable)
  })
  try {
    await Promise.any(probes)
  } catch (error) {
    throw mostTelling((error as AggregateError).errors)
  }
  await Promise.race([Promise.allSettled(probes), sleep(rivalWaitMs)])
  isOver = true
  const primary = found.reduce((best, other) => (other.timeline > best.timeline ? other : best))
  const rival = found.find(({ timeline, server }) => timeline === primary.timeline && server !== primary.server)
  if (rival) throw twoPrimaries(rival, primary)
  return primary
}

/** Neither can be used: both assign the same ids. */
function twoPrimaries(one: WritableHost, other: WritableHost): StartError {
  const names = [one, other].map(describeHost).sort().join(' and ')
  return new StartError(
    `${names} both accept writes on timeline ${Number.parseInt(one.timeline, 16)}, and assign the same ids. Stop the one that must not be the primary, and make it a standby again with pg_rewind or a new base backup`,
  )
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

/** Whether both lead to the same server, without a promotion or a restart in between. */
export function isSameHost(one: WritableHost, other: WritableHost): boolean {
  return one.server === other.server && one.timeline === other.timeline
}

async function probeHost(address: PostgresAddress, host: Host): Promise<WritableHost> {
  const name = describeHost(host)
  const client = await Client.open(address, host, { statementTimeoutMs: CONNECT_TIMEOUT_MS })
  try {
    // No parameters and no name, because PgBouncer keeps named statements.
    const answering = client.run<{ timeline: string; server: string; writable: boolean }>(`
      SELECT CASE WHEN pg_is_in_recovery() THEN '' ELSE ${TIMELINE} END AS timeline,
             concat(system_identifier, ' ', extract(epoch FROM pg_postmaster_start_time())) AS server,
             current_setting('transaction_read_only') = 'off' AS writable FROM pg_control_system()`)
    const { rows } = await withTimeout(CONNECT_TIMEOUT_MS, answering, 'NO_ANSWER', `${name} does not respond`)
    const [answer] = rows
    if (!answer?.timeline) throw new StoreFailure('STANDBY', `${name} is a standby`)
    if (!answer.writable) throw new StoreFailure('READ_ONLY', `${name} has default_transaction_read_only`)
    return { ...host, timeline: answer.timeline, server: answer.server }
  } finally {
    void client.close(CONNECT_TIMEOUT_MS)
  }
}

/** An error from a host that responds is more useful than one from an unreachable host. */
function mostTelling(errors: readonly unknown[]): unknown {
  const found = ['READ_ONLY', 'STANDBY'].map((code) => errors.find((error) => codeOf(error) === code))
  return errors.find((error) => error instanceof DatabaseError) ?? found[0] ?? found[1] ?? errors[0]
}
