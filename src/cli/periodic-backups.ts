// Backups that a running service takes by itself: every so often, the last so many of them kept. Each is taken by a process
// of its own, so that requests do not wait for it, and no lock on the store is lost (see store/sqlite/wal-index.ts).

import { mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { StartError } from '../errors.ts'
import type { Log } from '../log.ts'
import { startSelf } from './self.ts'

/** Only files of this form are ever counted or removed. */
const NAME = /^petstore-(\d{8}T\d{6}Z)\.db$/
const LOOK_EVERY_MS = 1_000

/**
 * Nothing happens without a folder in the configuration. Throws StartError when no file can be made in it. `stop` ends a backup
 * that is being taken, without a trace.
 */
export function startPeriodicBackups(config: Config, log: Log, now: () => number): { stop(): Promise<void> } {
  const { backupDir, backupEvery, backupKeep } = config
  if (backupDir === undefined) return { stop: async () => undefined }
  const folder = resolve(backupDir)
  checkWritable(folder)
  let child: Bun.Subprocess | undefined
  let failedAt = Number.NEGATIVE_INFINITY

  /** Takes a backup when one is due, and then forgets those that are too many. */
  async function look(): Promise<void> {
    if (child || now() < failedAt + backupEvery) return
    const name = nameAt(now())
    try {
      const [newest] = backupsIn(folder)
      if (newest && now() < timeOf(newest) + backupEvery) return
      await take(name)
      for (const old of backupsIn(folder).slice(backupKeep)) rmSync(join(folder, old), { force: true })
      log.info({ backup: name }, 'backup')
    } catch (error) {
      failedAt = now()
      log.error({ backup: name, reason: (error as Error).message }, 'backup failed')
    }
  }

  async function take(name: string): Promise<void> {
    const file = join(folder, name)
    child = startSelf(['backup', file, '--database', config.database], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const said = new Response(child.stderr as ReadableStream).text()
    const status = await child.exited
    child = undefined
    if (status === 0) return
    rmSync(`${file}.partial`, { force: true })
    throw new Error((await said).trim())
  }

  const looking = setInterval(look, LOOK_EVERY_MS)
  return {
    async stop() {
      clearInterval(looking)
      const running = child
      running?.kill()
      await running?.exited
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

/** Newest first. */
function backupsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => NAME.test(name))
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
