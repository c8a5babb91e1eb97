// One piece of history on a store of its own: recorded under faults, then checked.

import { randomOf } from '../../test/support/searches.ts'
import { auditFeed } from '../event-audit.ts'
import { readFeed } from '../event-readers.ts'
import { check, type Fault } from './checker.ts'
import { Clients } from './clients.ts'
import type { Operation } from './operations.ts'
import { type BreakableSite, type Kind, openSite } from './sites.ts'
import type { Versions } from './versions.ts'

const CLIENTS = 24
/** So many operations at most come between two things that break: as dense on a machine that is busy as on one that is quiet. */
const QUIET_OPERATIONS_MAX = 4_000
const LOOK_EVERY_MS = 20

export interface Piece {
  readonly seed: number
  readonly operations: readonly Operation[]
  /** How many of them were answered, and so had to be explained. */
  readonly checked: number
  readonly versions: Versions
  readonly faults: readonly Fault[]
  /** What broke, and how often. */
  readonly broken: Readonly<Record<string, number>>
  readonly recordedMs: number
  readonly checkedMs: number
}

export interface Plan {
  readonly seed: number
  readonly operations: number
  /** What breaks, by name; when it is not given, everything that can. */
  readonly breaks?: readonly string[]
  /** The folder of the source tree whose servers are started; by default this one. */
  readonly source?: string
}

export async function recordPiece(kind: Kind, { seed, operations, breaks, source }: Plan): Promise<Piece> {
  const site = await openSite(kind, source)
  try {
    const clients = new Clients(site, seed, CLIENTS)
    const random = randomOf(seed + 1)
    const broken: Record<string, number> = {}
    const startedAt = performance.now()
    let isWorking = true
    const working = clients.work(operations).finally(() => {
      isWorking = false
    })
    const breaking = (async () => {
      const quiet = Math.min(QUIET_OPERATIONS_MAX, operations / 4)
      const faults = Object.entries(site.faults).filter(([name]) => breaks?.includes(name) ?? true)
      while (faults.length > 0) {
        const quietUntil = clients.operations.length + random() * quiet
        while (isWorking && clients.operations.length < quietUntil) await Bun.sleep(LOOK_EVERY_MS)
        if (!isWorking) return
        const [name, happen] = faults[Math.floor(random() * faults.length)] as (typeof faults)[number]
        await happen()
        broken[name] = (broken[name] ?? 0) + 1
      }
    })()
    await Promise.all([working, breaking])
    await clients.readAll()
    const recordedMs = performance.now() - startedAt
    const { tables, events } = await atRest(site)
    const checkedFrom = performance.now()
    const verdict = check(clients.operations, events)
    const checkedMs = performance.now() - checkedFrom
    const contradictions = auditFeed(events, tables).map((reason) => ({ reason }))
    const faults = [...verdict.faults, ...contradictions]
    const { checked, versions } = verdict
    return { seed, operations: clients.operations, checked, versions, faults, broken, recordedMs, checkedMs }
  } finally {
    await site.remove()
  }
}

/** The tables and the feed, once no reservation has an end any more. */
async function atRest(site: BreakableSite) {
  for (;;) {
    const { orders } = await site.tables()
    const isAtRest = orders.every(({ status, expiresAt }) => status !== 'pending' || expiresAt === null)
    // Each table is read by itself, so those that were read while a reservation ended may not agree.
    if (isAtRest) return { tables: await site.tables(), events: await readFeed({ key: site.key, urls: site.urls() }) }
    await Bun.sleep(50)
  }
}
