// Scenes with Litestream: it runs, is stopped, killed or frozen, or its disk is full, while the service gets as many creates as it answers.
// Afterwards the copy has to equal the store.

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
/** Few connections, so that each commit has few creates. */
const BEHIND_CONNECTIONS = 8
/** As docs/backups.md says. */
const LOG_MB_MAX = 64
/** The least rate of creates, as a share of the rate without Litestream. */
export const SHARE_MIN = 0.6
/** Litestream sends once a second, so after this time a send has failed. */
const FAILED_MS = 2_500

/** The load without Litestream. */
const fullLoad: Prepare = (stage) => ({
  streams: fullCreates(stage.store, CONNECTIONS),
  happen: () => lasting(stage),
  judge: judged,
})

/** Every create must succeed. */
const judged = ({ figures }: Waits) => Object.values(figures).flatMap(wrongAnswers)

interface Beside {
  connections?: number
  /** Puts the copies on a separate disk. */
  hasDisk?: boolean
  /** `alone` is the same load without Litestream. `generations` counts the full copies that Litestream started. */
  judge?(measured: Waits, alone: Waits, generations: number): string[]
}

/** A scene that runs `work` during the load and Litestream. */
const withLitestream =
  (work: (copier: Copier, stage: Stage, disk?: SmallDisk) => Promise<unknown>, how: Beside = {}): Prepare =>
  async (stage): Promise<Scene> => {
    await installLitestream()
    const folder = join(stage.store.folder, `copies-${Bun.nanoseconds()}`)
    mkdirSync(folder)
    const disk = how.hasDisk ? smallDisk(`size=${stage.plan.behind > 10_000 ? '2g' : '256m'}`, folder) : undefined
    const copier = new Copier(stage.store.database, folder)
    await copier.start()
    const before = copier.generations
    return {
      streams: fullCreates(stage.store, how.connections ?? CONNECTIONS),
      happen: () => work(copier, stage, disk),
      async judge(measured, rows) {
        const alone = rows.find(({ beside }) => beside === FULL) ?? measured
        const faults = [...judged(measured), ...longWaits(measured, alone)]
        faults.push(...(how.judge?.(measured, alone, copier.generations - before) ?? []))
        return [...faults, ...(await copier.finish().catch((error) => [`${error}`]))]
      },
      async after() {
        await copier.end('SIGKILL')
        disk?.[Symbol.dispose]()
      },
    }
  }

const runs = withLitestream((_, stage) => lasting(stage), {
  judge({ figures, log, took }, alone, generations) {
    const creates = (of: Waits['figures']) => (of.creates ? rateOf(of.creates) : 0)
    const share = creates(figures) / creates(alone.figures)
    // More than one full copy a minute would fill the disk.
    const isWrong = {
      [`only ${(100 * share).toFixed(0)} % of the rate of creates`]: share < SHARE_MIN,
      [`Litestream started ${generations} full copies in ${took.toFixed(0)} s`]: generations > Math.ceil(took / 60),
      [`a log of ${log.most.toFixed(0)} MB`]: log.most > LOG_MB_MAX,
    }
    return Object.keys(isWrong).filter((what) => isWrong[what])
  },
})

const restarted = (signal: NodeJS.Signals) =>
  withLitestream(async (copier, stage) => {
    await copier.end(signal)
    await lasting(stage)
    await copier.start()
  })

const frozen = withLitestream(async (copier, { plan, store }) => {
  const megabytes = () => store.logBytes() / 1e6
  await copier.freeze()
  await until('the log is long', () => megabytes() >= plan.frozen)
  copier.resume()
  await until('the log is short again', () => megabytes() <= LOG_MB_MAX)
})

const full = withLitestream(
  async (copier, stage, disk) => {
    const { plan, store } = stage
    const last = () => store.number('SELECT max(id) FROM pets')
    const before = await last()
    disk?.fill()
    await Bun.sleep(FAILED_MS)
    await until(`${plan.behind} pets are created`, async () => (await last()) - before >= plan.behind)
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
  'Litestream stopped': restarted('SIGTERM'),
  'Litestream killed': restarted('SIGKILL'),
  'Litestream frozen': frozen,
  ...(canMount && { 'Litestream without room': full }),
}
