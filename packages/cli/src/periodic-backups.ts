// Takes periodic backups while a service runs, and keeps the newest. A child process takes each backup, so that
// requests do not wait and no lock on the store is lost (store/sqlite/file/checks.ts).

import { existsSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { systemReason } from '../../contract/src/system-reason.ts'
import type { Config } from '../../service/src/config/read-config.ts'
import { PetstoreError } from '../../service/src/domain/petstore-error.ts'
import { StartError } from '../../service/src/domain/start-error.ts'
import type { Store } from '../../service/src/domain/store.ts'
import type { Log } from '../../service/src/observability/log.ts'
import { absolutePath } from '../../service/src/store/absolute-path.ts'
import { kindOf } from '../../service/src/store/kinds.ts'
import { makeFolder, ownershipAdvice } from '../../service/src/system/files.ts'
import { partialsOf, removeAbandoned } from '../../service/src/system/partial.ts'
import { startInterval, stopTimer } from '../../service/src/system/runtime.ts'
import { startSelf } from './child-process.ts'

/** Only backups of this store with such a name are counted or deleted. */
const NAME = /^petstore-(\d{8}T\d{6}Z)\.db$/
const CHECK_EVERY_MS = 1_000
/** The pause after a failure. */
const RETRY_MS = 60_000
/** Terminals and systemd send the stop signal to all processes of the service. */
const STOPPING: unknown[] = ['SIGTERM', 'SIGINT', 'SIGHUP']
/** A backup that is at most this late is named after its due time. */
const ON_TIME_MS = 10_000

/** Resolves with whether the file is a backup of this store. */
type IsOurs = (file: string) => Promise<boolean>

/**
 * Does nothing if the configuration has no backup folder. Services of one store can share a folder: the first one
 * takes the backup of each period. `stop` cancels a running backup and removes its files.
 */
export function startPeriodicBackups(config: Config, log: Log, now: () => number, isOurs: IsOurs) {
  if (config.backupDir === undefined) return { stop: async () => undefined, overdueSeconds: undefined }
  const backups = new PeriodicBackups(absolutePath(config.backupDir), config, log, now, isOurs)
  return { stop: () => backups.stop(), overdueSeconds: () => backups.overdueSeconds() }
}

class PeriodicBackups {
  private child: Bun.Subprocess | undefined
  private checking: Promise<void> | undefined
  private failedAt = Number.NEGATIVE_INFINITY
  private warned = ''
  /** Whether each backup in the folder is ours. Backups never change. */
  private known = new Map<string, boolean>()
  private isFirst = true
  private readonly startedAt: number
  private readonly timer: ReturnType<typeof startInterval>

  constructor(
    private readonly folder: string,
    private readonly config: Config,
    private readonly log: Log,
    private readonly now: () => number,
    private readonly isOurs: IsOurs,
  ) {
    this.startedAt = now()
    this.timer = startInterval(() => {
      this.checking ??= this.check().finally(() => {
        this.checking = undefined
      })
    }, CHECK_EVERY_MS)
  }

  overdueSeconds(): number {
    const [newest] = this.ours()
    return Math.max(0, this.now() - (newest ? timeOf(newest) + this.config.backupEvery : this.startedAt)) / 1000
  }

  async stop(): Promise<void> {
    stopTimer(this.timer)
    this.child?.kill()
    await this.checking
  }

  /**
   * Returns our backups, newest first. Ignores backups dated in the future, because the clock was wrong then or is
   * wrong now.
   */
  private ours(): string[] {
    const past = [...this.known].flatMap(([name, isOurs]) => (isOurs && timeOf(name) <= this.now() ? name : []))
    return past.sort().reverse()
  }

  /** Updates `known`. */
  private async readFolder(): Promise<void> {
    const found = new Map<string, boolean>()
    for (const name of readdirSync(this.folder).filter((name) => NAME.test(name)))
      found.set(name, this.known.get(name) ?? (await this.isOurs(join(this.folder, name))))
    this.known = found
  }

  private warnOfOthers(): void {
    const others = [...this.known].flatMap(([name, isOurs]) => (isOurs ? [] : name)).sort()
    if (others.length === 0) return
    this.log.warn({ folder: this.folder, count: others.length, newest: others.at(-1) }, 'backups of another store')
  }

  /** Takes a backup if one is due, and then deletes the oldest ones. */
  private async check(): Promise<void> {
    const { folder, log, now } = this
    const { backupEvery, backupKeep } = this.config
    // Absolute, because the clock may have been moved back.
    if (Math.abs(now() - this.failedAt) < RETRY_MS) return
    let name = nameAt(now())
    try {
      await this.readFolder()
      if (this.isFirst) this.warnOfOthers()
      this.isFirst = false
      const [newest] = this.ours()
      const dueAt = newest ? timeOf(newest) + backupEvery : now()
      if (now() < dueAt) return
      // All services of the store choose the same name, so the slower one finds an existing backup.
      if (now() < dueAt + ON_TIME_MS && !this.known.has(nameAt(dueAt))) name = nameAt(dueAt)
      for (const file of removeAbandoned(folder, (target) => NAME.test(target))) {
        log.info({ file }, 'unfinished backup removed')
      }
      const taken = await this.take(name)
      // Also if the child was stopped, which may happen right after the backup got its name.
      await this.readFolder()
      for (const old of this.ours().slice(backupKeep)) rmSync(join(folder, old), { force: true })
      if (!taken) return
      log.info({ backup: name }, 'backup')
      this.warnOfOthers()
    } catch (error) {
      this.failedAt = now()
      log.error({ backup: name, reason: (error as Error).message }, 'backup failed')
    }
  }

  /** Resolves with `false` if another service was faster, or if a signal stopped the child. */
  private async take(name: string): Promise<boolean> {
    const file = join(this.folder, name)
    const args = ['backup', file, '--database', this.config.database]
    const child = startSelf(args, { stdio: ['ignore', 'ignore', 'pipe'] })
    this.child = child
    const [message, status] = await Promise.all([new Response(child.stderr).text(), child.exited])
    this.child = undefined
    if (status === 0) {
      // Each backup repeats the same warning, for example that the system rejects a lower priority.
      if (message !== this.warned) this.log.warn({ reason: message.trim() }, 'backup warning')
      this.warned = message
      return true
    }
    for (const partial of partialsOf(file, child.pid)) rmSync(partial, { force: true })
    if (STOPPING.includes(child.signalCode) || existsSync(file)) return false
    throw new Error(message.trim() || `The backup process ended with ${child.signalCode ?? status}.`)
  }
}

/** Creates the folder if it does not exist. Throws StartError if files cannot be created in it. */
export function checkBackupFolder({ backupDir }: Config): void {
  if (backupDir === undefined) return
  const folder = absolutePath(backupDir)
  try {
    makeFolder(folder)
    rmdirSync(mkdtempSync(join(folder, '.petstore-')))
  } catch (cause) {
    const advice = `${ownershipAdvice(folder, cause)}Choose another PETSTORE_BACKUP_DIR.`
    throw new StartError(`Backups cannot be written to ${folder} (${systemReason(cause)}). ${advice}`, { cause })
  }
}

/**
 * Returns whether the store has the backup's first key and last event. Other stores have other ones, and so does a
 * store that was moved back.
 */
export async function isBackupOf(store: Store, file: string, { database }: Config): Promise<boolean> {
  const origin = kindOf(database).files?.origin(file, database)
  const [key] = await store.listKeys()
  if (origin?.firstKey?.id !== key?.id || origin?.firstKey?.createdAt !== key?.createdAt) return false
  if (!origin?.last) return origin !== undefined
  const { epoch } = await store.findEnd()
  const all = { limit: 1, petId: undefined, orderId: undefined, type: undefined, to: undefined } as const
  try {
    await store.listEvents({ ...all, sort: 'oldest', from: 'beginning', after: { epoch, ...origin.last } })
    return true
  } catch (error) {
    if (error instanceof PetstoreError && error.code === 'cursor_expired') return false
    throw error
  }
}

/** Returns the name of a backup of this time, truncated to seconds. */
export function nameAt(at: number): string {
  return `petstore-${new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '')}.db`
}

function timeOf(name: string): number {
  const [, stamp = ''] = NAME.exec(name) ?? []
  return Date.parse(stamp.replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z'))
}
