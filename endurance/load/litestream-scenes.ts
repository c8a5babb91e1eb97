// What happens beside the load on a file that Litestream copies: it runs, is stopped, killed and frozen, and its disk is full. The load is
// as many creates as the service answers. Afterwards the copy has to be the store.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { installLitestream } from '../../test/support/litestream.ts'
import { canMount, type SmallDisk, smallDisk } from '../../test/support/small-disk.ts'
import { Copier } from './copies.ts'
import { lasting, type Prepare, type Scene, type Stage, wrongAnswers } from './scenes.ts'
import { until } from './stores.ts'
import { fullCreates, longWaits, rateOf, type Waits } from './watch.ts'

export const FULL = 'full load'
const CONNECTIONS = 64
/** So few that a commit has few creates, as when they arrive over an hour. */
const BEHIND_CONNECTIONS = 8
/** As docs/backups.md says. */
const LOG_MB_MAX = 64
/** Of the creates without Litestream. */
export const SHARE_MIN = 0.6
/** It sends once a second: then it has failed to. */
const FAILED_MS = 2_500

/** The same load without Litestream. */
const fullLoad: Prepare = (stage) => ({
  streams: fullCreates(stage.store, CONNECTIONS),
  happen: () => lasting(stage),
  judge: judged,
})

/** Each create is answered. */
const judged = ({ figures }: Waits) => Object.values(figures).flatMap(wrongAnswers)

interface Beside {
  connections?: number
  /** Puts the copies on a separate disk. */
  hasDisk?: boolean
  /** `alone`: the same load without Litestream; `begun`: how many whole copies. */
  judge?(measured: Waits, alone: Waits, begun: number): string[]
}

/** `work` runs under the load, beside Litestream. */
const besides =
  (work: (copier: Copier, stage: Stage, disk?: SmallDisk) => Promise<unknown>, how: Beside = {}): Prepare =>
  async (stage): Promise<Scene> => {
    await installLitestream()
    const folder = join(stage.store.folder, `copies-${Bun.nanoseconds()}`)
    mkdirSync(folder)
    const disk = how.hasDisk ? smallDisk('size=2g', folder) : undefined
    const copier = new Copier(stage.store.database, folder)
    await copier.start()
    const before = copier.whole
    return {
      streams: fullCreates(stage.store, how.connections ?? CONNECTIONS),
      happen: () => work(copier, stage, disk),
      async judge(measured, rows) {
        const alone = rows.find(({ beside }) => beside === FULL) ?? measured
        const faults = [...judged(measured), ...longWaits(measured, alone)]
        faults.push(...(how.judge?.(measured, alone, copier.whole - before) ?? []))
        return [...faults, ...(await copier.finish().catch((error) => [`${error}`]))]
      },
      async after() {
        await copier.end('SIGKILL')
        disk?.[Symbol.dispose]()
      },
    }
  }

const runs = besides((_, stage) => lasting(stage), {
  judge({ figures, log, took }, alone, begun) {
    const creates = (of: Waits['figures']) => (of.creates ? rateOf(of.creates) : 0)
    const share = creates(figures) / creates(alone.figures)
    // More than one whole copy a minute would fill a disk.
    const isWrong = {
      [`${(100 * share).toFixed(0)} % of the creates are left`]: share < SHARE_MIN,
      [`${begun} whole copies were begun in ${took.toFixed(0)} s`]: begun > Math.ceil(took / 60),
      [`a log of ${log.most.toFixed(0)} MB`]: log.most > LOG_MB_MAX,
    }
    return Object.keys(isWrong).filter((what) => isWrong[what])
  },
})

const startedAgain = (signal: NodeJS.Signals) =>
  besides(async (copier, stage) => {
    await copier.end(signal)
    await lasting(stage)
    await copier.start()
  })

const frozen = besides(async (copier, { plan, store }) => {
  const megabytes = () => store.logBytes() / 1e6
  await copier.freeze()
  await until('the log is long', () => megabytes() >= plan.frozen)
  copier.goOn()
  await until('the log is short again', () => megabytes() <= LOG_MB_MAX)
})

const full = besides(
  async (copier, stage, disk) => {
    const { plan, store } = stage
    const last = () => store.number('SELECT max(id) FROM pets')
    const before = await last()
    disk?.fill()
    await Bun.sleep(FAILED_MS)
    await until('so many pets are created', async () => (await last()) - before >= plan.behind)
    disk?.empty()
    await lasting(stage)
    await copier.end('SIGKILL')
    await copier.start()
  },
  { connections: BEHIND_CONNECTIONS, hasDisk: true },
)

export const LITESTREAM: Record<string, Prepare> = {
  [FULL]: fullLoad,
  Litestream: runs,
  'Litestream stopped': startedAgain('SIGTERM'),
  'Litestream killed': startedAgain('SIGKILL'),
  'Litestream frozen': frozen,
  ...(canMount && { 'Litestream without room': full }),
}
