// Records one history with failures on a new store, and checks it.

import { type Broken, breakAtRandom, LOOK_EVERY_MS } from './breaks.ts'
import { check, type Fault } from './checker.ts'
import { Clients } from './clients.ts'
import { longestOf, type Operation } from './operations.ts'
import { AHEAD_MS } from './servers.ts'
import { type BreakableSite, CLOCKS, type Kind, openSite } from './sites.ts'
import { type Circumstances, KEYS, type World } from './world.ts'

const CLIENTS = 24
/** How late an expiry can be when servers and databases fail. */
export const BROKEN_MS = 30_000

interface Piece {
  readonly seed: number
  readonly operations: readonly Operation[]
  /** How many had a response, and so were checked. */
  readonly checked: number
  readonly world: World
  readonly faults: readonly Fault[]
  readonly broken: readonly Broken[]
  readonly recordedMs: number
  readonly checkedMs: number
}

export interface Plan {
  readonly seed: number
  readonly operations: number
  /** Failures by name; all by default. */
  readonly breaks?: readonly string[] | undefined
}

export async function recordPiece(kind: Kind, plan: Plan): Promise<Piece> {
  const { seed, operations, breaks } = plan
  const site = await openSite(kind, breaks?.length !== 0)
  try {
    const clients = new Clients(site, seed, { clients: CLIENTS, waiting: site.urls().length })
    const startedAt = performance.now()
    let isWorking = true
    const isOver = () => !isWorking || clients.operations.length >= operations
    const working = clients.work(operations).finally(() => {
      isWorking = false
    })
    const [broken, revoked] = await Promise.all([
      breakAtRandom(site.faults, plan, () => clients.operations.length, isOver),
      revokeAt(operations / 2, site, clients, isOver),
      working,
    ])
    const recordedMs = performance.now() - startedAt
    const isSteady = broken.length === 0
    const lateMs = isSteady ? longestOf(clients.operations) : BROKEN_MS
    const clockErrorMs = broken.some(({ name }) => CLOCKS.includes(name)) ? AHEAD_MS : 0
    const keys = { ...KEYS, readOnly: ['reader'], revoked }
    const { checked, world, checkedMs, faults } = await judge(clients, { keys, lateMs, isSteady, clockErrorMs })
    return { seed, operations: clients.operations, checked, world, faults, broken, recordedMs, checkedMs }
  } finally {
    await site.remove()
  }
}

/** Call it after the last failure. */
export async function judge(clients: Clients, circumstances: Circumstances) {
  await clients.readAll(circumstances.lateMs)
  const events = await clients.readFeed()
  const checkedFrom = performance.now()
  const verdict = check(clients.operations, events, circumstances)
  return { ...verdict, checkedMs: performance.now() - checkedFrom }
}

/** Revokes a key in the middle of the history. */
async function revokeAt(
  operations: number,
  site: BreakableSite,
  clients: Clients,
  isOver: () => boolean,
): Promise<Circumstances['keys']['revoked']> {
  while (!isOver() && clients.operations.length < operations) await Bun.sleep(LOOK_EVERY_MS)
  const from = performance.now()
  await site.revoke()
  return { leaver: [from, performance.now()] }
}
