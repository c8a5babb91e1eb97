// What happens beside the load on a file that Litestream copies: it runs, is stopped, killed and frozen, and its disk is full. The load is
// as many creates as the service answers. Afterwards the copy has to be the store.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Copying, freeze, installLitestream, startCopying, toFolder } from '../../test/support/litestream.ts'
import { differences, diskAt, sent } from './copies.ts'
import { lasting, type Prepare, type Scene, type Stage, wrongAnswers } from './scenes.ts'
import { until } from './stores.ts'
import { fullCreates, type Waits } from './watch.ts'

const CONNECTIONS = 64
/** So few that a commit has few creates, as when they arrive over an hour. */
const BEHIND_CONNECTIONS = 8
/** As docs/backups.md says. */
const LOG_MB_MAX = 64
const OWN_MS_MAX = 50
const STOP_MS_MAX = 3_000
/** It sends once a second: then it has failed to. */
const FAILED_MS = 2_500

/** The same load without Litestream. */
export const fullLoad: Prepare = (stage) => ({
  streams: fullCreates(stage.store, CONNECTIONS),
  happen: () => lasting(stage),
  judge: judged,
})

/** Each create is answered, and no request waits long for the service itself. */
function judged({ figures, own }: Waits): string[] {
  const faults = Object.values(figures).flatMap(wrongAnswers)
  return own.own > OWN_MS_MAX ? [...faults, `a wait of ${own.own.toFixed(0)} ms for the service itself`] : faults
}

class Copier {
  readonly disk: ReturnType<typeof diskAt>
  private readonly copies: string
  private readonly copying: Copying
  private process!: Bun.Subprocess

  constructor({ store: { folder, database } }: Stage) {
    this.copies = join(folder, `copies-${Bun.nanoseconds()}`)
    this.disk = diskAt(this.copies)
    this.copying = toFolder(join(folder, 'litestream.yml'), database, this.copies)
  }

  async start(): Promise<void> {
    this.process = await startCopying(this.copying)
  }

  /** Stopped while it sends, it may hang: then it is killed, as by its unit. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.process.kill(signal)
    const hangs = setTimeout(() => this.process.kill('SIGKILL'), STOP_MS_MAX)
    await this.process.exited
    clearTimeout(hangs)
  }

  freeze(): Promise<void> {
    return freeze(this.process, this.copying)
  }

  goOn(): void {
    this.process.kill('SIGCONT')
  }

  /** How many whole copies were begun. */
  get whole(): number {
    return readdirSync(join(this.copies, 'generations')).length
  }

  /** Ends it when all is sent. Resolves with the differences between the copy and the store. */
  async finish(): Promise<string[]> {
    await sent(this.copies)
    await this.end()
    return differences(this.copying, `${this.copies}.db`)
  }

  /** Also when something went wrong. */
  async remove(): Promise<void> {
    await this.end('SIGKILL')
    this.disk.remove()
  }
}

/** `work` runs under the load, beside Litestream. */
const besides =
  (work: (copier: Copier, stage: Stage) => Promise<unknown>, connections = CONNECTIONS): Prepare =>
  async (stage): Promise<Scene> => {
    await installLitestream()
    const copier = new Copier(stage)
    await copier.start()
    return {
      streams: fullCreates(stage.store, connections),
      happen: () => work(copier, stage),
      judge: async (measured) => [...judged(measured), ...(await copier.finish())],
      after: () => copier.remove(),
    }
  }

/** Begun anew more often than once a minute, copies would fill a disk. */
const runs: Prepare = async (stage) => {
  let [whole, minutes] = [0, 0]
  const scene = await besides(async (copier) => {
    const [before, startedAt] = [copier.whole, performance.now()]
    await lasting(stage)
    whole = copier.whole - before
    minutes = (performance.now() - startedAt) / 60_000
  })(stage)
  return {
    ...scene,
    async judge(measured) {
      const faults = (await scene.judge?.(measured)) ?? []
      if (whole > Math.ceil(minutes)) faults.push(`${whole} whole copies were begun in ${minutes.toFixed(1)} minutes`)
      if (measured.log.most > LOG_MB_MAX) faults.push(`a log of ${measured.log.most.toFixed(0)} MB`)
      return faults
    },
  }
}

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

const full = besides(async (copier, stage) => {
  const { plan, store } = stage
  const last = async () => Number((await store.query('SELECT max(id) AS last FROM pets'))[0]?.last)
  const before = await last()
  copier.disk.fill()
  await Bun.sleep(FAILED_MS)
  await until('so many pets are created', async () => (await last()) - before >= plan.behind)
  copier.disk.free()
  await lasting(stage)
  await copier.end('SIGKILL')
  await copier.start()
}, BEHIND_CONNECTIONS)

export const LITESTREAM: Record<string, Prepare> = {
  Litestream: runs,
  'Litestream stopped': startedAgain('SIGTERM'),
  'Litestream killed': startedAgain('SIGKILL'),
  'Litestream frozen': frozen,
  'Litestream without room': full,
}
