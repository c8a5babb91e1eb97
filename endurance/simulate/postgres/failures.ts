// The failures of simulated database hosts. Each resolves when it is over.

import { sleep } from '../../../packages/service/src/system/runtime.ts'
import type { Cluster } from './cluster.ts'
import { failed, type Instance } from './instance.ts'

const SHORT_MS_MAX = 1_500
const DELAY_MS_MAX = 4_000
/** Longer than a server may take to respond. */
const FROZEN_CONNECTION_MS_MAX = 20_000
const DOWN_MS_MAX = 3_000
const AWAY_MS_MAX = 12_000
/** The servers have connections to the primary again, and no commit is late. */
const SETTLED_MS = 3_000
/** Longer than the servers wait for a response, so that they notice it. */
const FROZEN_MS = 5_000
const PROMOTED_MS_MAX = 2_000

export const FAILURES = [
  'response delayed',
  'response lost before the commit',
  'response lost after the commit',
  'connection cut',
  'connection frozen',
  'connections refused',
  'host read-only',
  'host restarted',
  'standby away',
  'wait cancelled',
  'failover',
  'failover of a frozen host',
  'failover without the last commits',
  'old primary returns',
] as const
export type Failure = (typeof FAILURES)[number]

interface Failover {
  /** Whether the standby has not received the last commits. */
  readonly isBehind?: boolean
  readonly isFrozen?: boolean
  /** Whether the old primary accepts writes again for a while. */
  readonly returns?: boolean
}

export function failuresOf(cluster: Cluster): Readonly<Record<Failure, () => Promise<void>>> {
  const { random } = cluster
  const upTo = (ms: number) => sleep(random() * ms)
  const draw = <Of>(some: Iterable<Of>): Of | undefined => {
    const all = [...some]
    return all[Math.floor(random() * all.length)]
  }

  async function restart(instance: Instance, ms: number): Promise<void> {
    instance.stop()
    await upTo(ms)
    instance.state = 'starting'
    await upTo(SHORT_MS_MAX)
    instance.start()
  }

  async function standbyAway(isCancelled: boolean): Promise<void> {
    cluster.calm()
    await sleep(SETTLED_MS)
    cluster.loseStandby()
    const from = cluster.now
    // A longer wait is seldom cancelled while its caller still waits.
    await upTo(isCancelled ? DELAY_MS_MAX : AWAY_MS_MAX)
    const cancelledAt = cluster.now
    if (isCancelled) {
      cluster.cancelWaits()
      await upTo(SHORT_MS_MAX)
    }
    cluster.awayWindows.push({ from, to: cluster.now, cancelledAt })
    cluster.regainStandby()
  }

  async function failover({ isBehind, isFrozen, returns }: Failover): Promise<void> {
    const old = cluster.primary
    if (isBehind) {
      cluster.loseStandby()
      await upTo(SHORT_MS_MAX)
      // Commits that waited are visible after a restart, although the standby lacks them.
      if (random() < 0.5) await restart(old, 0)
      await upTo(SHORT_MS_MAX)
    }
    if (isFrozen) old.frozenUntil = cluster.now + FROZEN_MS
    else old.stop()
    await upTo(PROMOTED_MS_MAX)
    cluster.promote()
    if (isFrozen) await sleep(FROZEN_MS)
    if (returns) {
      // A server that starts while only the old primary responds uses it.
      await sleep(SETTLED_MS)
      old.hasStandby = false
      old.start()
      await upTo(DOWN_MS_MAX)
      await restart(cluster.primary, DOWN_MS_MAX)
    }
    await upTo(DOWN_MS_MAX)
    cluster.rejoin(old)
  }

  return {
    'response delayed': async () => {
      cluster.delayMs = random() * DELAY_MS_MAX
      cluster.delaysTransaction = random() < 0.5
    },
    'response lost before the commit': async () => {
      cluster.primary.losesCommit = 'before'
    },
    'response lost after the commit': async () => {
      cluster.primary.losesCommit = 'after'
    },
    'connection cut': async () => draw(cluster.primary.sessions)?.end(),
    'connection frozen': async () => {
      const session = draw(cluster.primary.sessions)
      if (session) session.frozenUntil = cluster.now + random() * FROZEN_CONNECTION_MS_MAX
    },
    'connections refused': async () => {
      const { primary } = cluster
      primary.refusal = failed(draw(['53300', '28P01', '57P03']) as string)
      draw(primary.sessions)?.end()
      await upTo(SHORT_MS_MAX)
      primary.refusal = undefined
    },
    'host read-only': async () => {
      const { primary } = cluster
      primary.isReadOnly = true
      await upTo(SHORT_MS_MAX)
      primary.isReadOnly = false
    },
    'host restarted': () => restart(cluster.primary, DOWN_MS_MAX),
    'standby away': () => standbyAway(false),
    'wait cancelled': () => standbyAway(true),
    failover: () => failover({}),
    'failover of a frozen host': () => failover({ isFrozen: true }),
    'failover without the last commits': () => failover({ isBehind: true }),
    'old primary returns': () => failover({ isBehind: random() < 0.5, returns: true }),
  }
}
