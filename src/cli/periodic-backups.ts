// Backups that a running service takes by itself: every so often, the last so many of them kept. Each is taken by a process
// of its own, so that requests do not wait for it, and no lock on the store is lost (see store/sqlite/file.ts).

import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { StartError } from '../domain/errors.ts'
import type { Log } from '../observability/log.ts'
import { absolutePath } from '../store/absolute-path.ts'
import { startSelf } from './self.ts'

/** Only files of this form are ever counted or removed. */
const NAME = /^petstore-(\d{8}T\d{6}Z)\.db$/
const LOOK_EVERY_MS = 1_000
/** After a failure. */
const RETRY_MS = 60_000
/** A backup that is taken at most so late is named after the time when it was due. */
const ON_TIME_MS = 10_000

/**
 * Nothing happens without a folder in the configuration. Services may share the folder: each period's backup is taken by
 * whichever comes first. Throws StartError when no file can be made in it. `stop` ends a backup that is being taken,
 * without a trace.
 */
export function startPeriodicBackups(config: Config, log: Log, now: () => number): { stop(): Promise<void> } {
  const { backupDir, backupEvery, backupKeep } = config
  if (backupDir === undefined) return { stop: async () => undefined }
  const folder = absolutePath(backupDir)
  checkWritable(folder)
  let child: Bun.Subprocess | undefined
  let looking: Promise<void> | undefined
  let failedAt = Number.NEGATIVE_INFINITY

  /** Takes a backup when one is due, and then removes those that are too many. */
  async function look(): Promise<void> {
    // Also when the clock was set back since.
    if (Math.abs(now() - failedAt) < RETRY_MS) return
    let name = nameAt(now())
    try {
      const [newest] = backupsIn(folder, now())
      const dueAt = newest ? timeOf(newest) + backupEvery : now()
      if (now() < dueAt) return
      // The same name in every service, so that one of them finds that the other's backup is there.
      if (now() < dueAt + ON_TIME_MS) name = nameAt(dueAt)
      if (!(await take(name))) return
      for (const old of backupsIn(folder, now()).slice(backupKeep)) rmSync(join(folder, old), { force: true })
      log.info({ backup: name }, 'backup')
    } catch (error) {
      failedAt = now()
      log.error({ backup: name, reason: (error as Error).message }, 'backup failed')
    }
  }

  /** Whether it was taken: not when another service was quicker, nor when the process was told to stop. */
  async function take(name: string): Promise<boolean> {
    const file = join(folder, name)
    child = startSelf(['backup', file, '--database', config.database], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const { pid } = child
    const [said, status] = await Promise.all([new Response(child.stderr as ReadableStream).text(), child.exited])
    const { signalCode } = child
    child = undefined
    if (status === 0) return true
    removePartials(folder, name, pid)
    // Who stops the service may signal all its processes, as a terminal and systemd do.
    if (signalCode === 'SIGTERM' || signalCode === 'SIGINT' || existsSync(file)) return false
    throw new Error(said.trim() || `The process that took it ended with ${signalCode ?? status}.`)
  }

  const timer = setInterval(() => {
    looking ??= look().finally(() => {
      looking = undefined
    })
  }, LOOK_EVERY_MS)
  return {
    async stop() {
      clearInterval(timer)
      child?.kill()
      await looking
    },
  }
}

/** Makes it when it is not there. */
function checkWritable(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true })
    rmdirSync(mkdtempSync(join(folder, '.petstore-')))
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new StartError(`Backups cannot be written to ${folder} (${code}). Choose another PETSTORE_BACKUP_DIR.`, {
      cause,
    })
  }
}

/** What a killed process leaves: store/sqlite/backup.ts names its unfinished files after the process. */
function removePartials(folder: string, name: string, pid: number): void {
  for (const file of readdirSync(folder)) {
    if (file.startsWith(`${name}.${pid}-`)) rmSync(join(folder, file), { force: true })
  }
}

/** Newest first. What is dated in the future is none: a clock was wrong when it was taken, or is wrong now. */
function backupsIn(folder: string, now: number): string[] {
  return readdirSync(folder)
    .filter((name) => NAME.test(name) && timeOf(name) <= now)
    .sort()
    .reverse()
}

function nameAt(at: number): string {
  return `petstore-${new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '')}.db`
}

function timeOf(name: string): number {
  const [, stamp = ''] = NAME.exec(name) ?? []
  return Date.parse(stamp.replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z'))
}
