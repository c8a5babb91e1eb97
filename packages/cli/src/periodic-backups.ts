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
  const { backupDir, backupEvery, backupKeep } = config
  if (backupDir === undefined) return { stop: async () => undefined, overdueSeconds: undefined }
  const folder = absolutePath(backupDir)
  let child: Bun.Subprocess | undefined
  let checking: Promise<void> | undefined
  let failedAt = Number.NEGATIVE_INFINITY
  let warned = ''
  const startedAt = now()
  /** Whether each backup in the folder is ours. Backups never change. */
  let known = new Map<string, boolean>()
  let isFirst = true

  /**
   * Returns our backups, newest first. Ignores backups dated in the future, because the clock was wrong then or is
   * wrong now.
   */
  function ours(): string[] {
    const past = [...known].flatMap(([name, isOurs]) => (isOurs && timeOf(name) <= now() ? name : []))
    return past.sort().reverse()
  }

  /** Updates `known` from the folder. */
  async function look(): Promise<void> {
    const found = new Map<string, boolean>()
    for (const name of readdirSync(folder).filter((name) => NAME.test(name)))
      found.set(name, known.get(name) ?? (await isOurs(join(folder, name))))
    known = found
  }

  function warnOfOthers(): void {
    const others = [...known].flatMap(([name, isOurs]) => (isOurs ? [] : name)).sort()
    if (others.length > 0) log.warn({ folder, count: others.length, newest: others.at(-1) }, 'backups of another store')
  }

  /** Takes a backup if one is due, and then deletes the oldest ones. */
  async function check(): Promise<void> {
    // Absolute, because the clock may have been set back.
    if (Math.abs(now() - failedAt) < RETRY_MS) return
    let name = nameAt(now())
    try {
      await look()
      if (isFirst) warnOfOthers()
      isFirst = false
      const [newest] = ours()
      const dueAt = newest ? timeOf(newest) + backupEvery : now()
      if (now() < dueAt) return
      // All services of the store choose the same name, so the slower one finds an existing backup.
      if (now() < dueAt + ON_TIME_MS && !known.has(nameAt(dueAt))) name = nameAt(dueAt)
      for (const file of removeAbandoned(folder, (target) => NAME.test(target))) {
        log.info({ file }, 'unfinished backup removed')
      }
      const taken = await take(name)
      // Also if the child was stopped, which may happen right after the backup got its name.
      await look()
      for (const old of ours().slice(backupKeep)) rmSync(join(folder, old), { force: true })
      if (!taken) return
      log.info({ backup: name }, 'backup')
      warnOfOthers()
    } catch (error) {
      failedAt = now()
      log.error({ backup: name, reason: (error as Error).message }, 'backup failed')
    }
  }

  /** Resolves with `false` if another service was faster, or if a signal stopped the child. */
  async function take(name: string): Promise<boolean> {
    const file = join(folder, name)
    child = startSelf(['backup', file, '--database', config.database], { stdio: ['ignore', 'ignore', 'pipe'] })
    const { pid } = child
    const [message, status] = await Promise.all([new Response(child.stderr as ReadableStream).text(), child.exited])
    const { signalCode } = child
    child = undefined
    if (status === 0) {
      // Each backup repeats the same warning, for example that the system refuses a lower priority.
      if (message !== warned) log.warn({ reason: message.trim() }, 'backup warning')
      warned = message
      return true
    }
    for (const partial of partialsOf(file, pid)) rmSync(partial, { force: true })
    if (STOPPING.includes(signalCode) || existsSync(file)) return false
    throw new Error(message.trim() || `The backup process ended with ${signalCode ?? status}.`)
  }

  const timer = startInterval(() => {
    checking ??= check().finally(() => {
      checking = undefined
    })
  }, CHECK_EVERY_MS)
  return {
    overdueSeconds(): number {
      const [newest] = ours()
      return Math.max(0, now() - (newest ? timeOf(newest) + backupEvery : startedAt)) / 1000
    },
    async stop(): Promise<void> {
      stopTimer(timer)
      child?.kill()
      await checking
    },
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
 * store that was set back.
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
