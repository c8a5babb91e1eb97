// `petstore backup`, `petstore restore` and `petstore check-backup`, for stores that are files.

import { existsSync, realpathSync, rmSync, statSync } from 'node:fs'
import { Command } from 'commander'
import { PAGE_MAX } from '../../../contract/src/generated.ts'
import { markOf } from '../../../service/src/domain/events.ts'
import { StartError } from '../../../service/src/domain/start-error.ts'
import { gauge } from '../../../service/src/observability/prometheus.ts'
import { absolutePath } from '../../../service/src/store/absolute-path.ts'
import { kindOf, type LastEvent, type StoreFiles } from '../../../service/src/store/kinds.ts'
import { io } from '../../../service/src/system/io.ts'
import { partialsOf } from '../../../service/src/system/partial.ts'
import { startInterval, stopTimer, wallMs } from '../../../service/src/system/runtime.ts'
import { lowerPriority, startSelf } from '../child-process.ts'
import { createClient } from '../client.ts'
import { Interrupted, messageOf, NotExamined } from '../terminal/exit-codes.ts'
import { startProgress } from '../terminal/interaction.ts'
import { clientConfigOf, configOf, withClientSettings, withSettings } from '../terminal/options.ts'
import { writeFile } from '../terminal/output-file.ts'
import { duration, FOR_PEOPLE, grouped, plural, print, printLines, printNote } from '../terminal/print.ts'
import { firstSignal } from '../terminal/stop.ts'
import { requireStore } from '../with-store.ts'
import { activeKeysListing, type SkipIds, skipIdsOption, skippedIdsSentence } from './recovered.ts'

/** The backup has all events of the service. */
export const COPY_HAS_ALL = 'The service has that event, and none after it.'

export function backupCommand(): Command {
  const command = new Command('backup')
    .description('Copy the store to a new file. Services can use the store during the backup.')
    .argument('<file>', 'the new file')
    .addHelpText('after', '\nExample:\n  petstore backup /backups/petstore-monday.db')
  return withSettings(command, 'database').action(async (file: string, _options, self: Command) => {
    const { database } = configOf(self)
    const files = filesOf(database)
    requireStore(database)
    if (io().stderr.isTTY) return runWithBar('Backing up', database, file)
    lowerPriority()
    const contents = files.backUp(database, file)
    await printLines(`Backed up ${counted(contents)} to ${file}.`)
  })
}

export function restoreCommand(): Command {
  const command = new Command('restore')
    .description('Replace the store with a backup. Stop the services of the store first.')
    .argument('<file>', 'the backup; it is checked first, and kept')
    .addOption(skipIdsOption())
    .option('--if-needed', 'do nothing if the store exists or the backup does not; for use at each start', false)
    .addHelpText(
      'after',
      `
The restored store gets the same changes as with petstore recovered. The command
lists the active keys: a key that was revoked after the backup works again.

Example:
  petstore restore /backups/petstore-monday.db`,
    )
  return withSettings(command, 'database').action(
    async (file: string, { skipIds, ifNeeded }: SkipIds & { ifNeeded: boolean }, self: Command) => {
      const { database } = configOf(self)
      const files = filesOf(database)
      const kind = kindOf(database)
      if (ifNeeded && kind.exists(database)) return printLines('There is a store already; nothing was restored.')
      if (ifNeeded && !kind.exists(file)) return printLines('There is no backup; nothing was restored.')
      if (io().stderr.isTTY) return runWithBar('Restoring', file, database)
      lowerPriority()
      const { kept, known, unsynced, ...contents } = files.restore(file, database, skipIds)
      await printLines(`Restored ${counted(contents)} to ${database}.`)
      if (kept.length > 0) await printLines(`The previous store is kept as ${kept.join(' and ')}.`)
      await printLines(skippedIdsSentence(skipIds), ...activeKeysListing(known))
      if (unsynced !== undefined) {
        throw new StartError(
          `The store was restored, but may not survive a power failure: its folder could not be synced (${unsynced}).`,
        )
      }
    },
  )
}

function filesOf(database: string): StoreFiles {
  const { files } = kindOf(database)
  if (files) return files
  throw new StartError('This command is for files. Back up PostgreSQL with its own tools: petstore help backups.')
}

function counted({ pets, orders, keys, bytes }: ReturnType<StoreFiles['backUp']>): string {
  return `${plural(pets, 'pet')}, ${plural(orders, 'order')} and ${plural(keys, 'key')} (${grouped(bytes / 1e6, 1)} MB)`
}

export function checkBackupCommand(): Command {
  return withClientSettings(new Command('check-backup'))
    .description('Check whether a backup can be restored, and up to which moment. Changes nothing.')
    .argument('<file>', 'a backup, or a copy restored by another program, such as Litestream')
    .option('--metrics <file>', 'if the backup is good, write its time here, for a textfile collector')
    .addHelpText(
      'after',
      `
Checks the file, its schema, its counts and its event feed. With --url or
PETSTORE_URL, and a key, it also checks whether the service has the backup's
last event, and which event came after it.

Example:
  petstore check-backup copy.db --url http://127.0.0.1:8080/v1 \\
    --metrics copy.prom

Exit statuses:
  0  the backup is good
  1  the backup is damaged, or from another store
  2  the backup could not be checked, or a flag is wrong`,
    )
    .action(async (file: string, { metrics }: { metrics?: string }, self: Command) => {
      lowerPriority()
      try {
        const { fault, last, ...contents } = filesOf(file).check(file)
        if (fault !== undefined) throw new BadBackup(`${file} ${fault}. Do not restore it.`)
        const service = clientConfigOf(self).url ? await compare(file, last, self) : undefined
        const goodUntil = service?.goodUntil ?? last?.at
        if (metrics !== undefined && goodUntil !== undefined) await writeFile(metrics, [metricsOf(goodUntil)])
        await printLines(`${file} is good${last ? upTo(last) : ''}: ${counted(contents)}.`)
        if (service) await printLines(service.sentence)
      } catch (error) {
        if (error instanceof BadBackup) throw error
        throw new NotExamined(messageOf(error), { cause: error })
      }
    })
}

class BadBackup extends StartError {}

/** Compares the backup with the service. Throws BadBackup if the service does not have the backup's last event. */
async function compare(file: string, last: LastEvent | undefined, command: Command) {
  const client = createClient(command)
  const askedAt = wallMs()
  const reached = ({ id }: { id: bigint }) => last === undefined || id >= last.id
  let page = await client.listEvents({ ...(last && { from: new Date(last.at).toISOString() }), limit: PAGE_MAX })
  while (page.events.length > 0 && !page.events.some(reached))
    page = await client.listEvents({ limit: PAGE_MAX, cursor: page.next })
  const events = page.events.filter(reached)
  if (last) {
    const event = events.shift()
    if (event?.id !== last.id || markOf({ ...event, at: Date.parse(event.at) }) !== last.mark) {
      throw new BadBackup(
        `The service does not have event ${last.id} of ${file}: ` +
          'the backup is from another store, or the store was set back.',
      )
    }
  }
  const next = events[0] ?? (await client.listEvents({ limit: 1, cursor: page.next })).events[0]
  const start = last ? 'The service has that event' : 'The backup has no event'
  if (next === undefined) {
    const sentence = last ? COPY_HAS_ALL : 'Neither the backup nor the service has an event.'
    return { goodUntil: askedAt, sentence }
  }
  const goodUntil = Date.parse(next.at)
  return { goodUntil, sentence: `${start}. The first one after it is ${age(goodUntil)} old.` }
}

function upTo({ id, at }: LastEvent): string {
  return ` up to event ${id}, of ${new Date(at).toISOString()}, ${age(at)} ago`
}

const age = (at: number) => duration(wallMs() - at, 1)

/** Returns the metric in Prometheus' text format. */
export function metricsOf(goodUntil: number): string {
  return gauge(
    'petstore_copy_good_until_seconds',
    'A checked backup has all changes acknowledged before this time, in seconds since 1970.',
    goodUntil / 1000,
  )
}

// Runs a backup or restore at a terminal. SQLite blocks its thread until it is done, so a child process does the work
// while this one shows progress and handles Ctrl-C. A thread could not be stopped: `terminate` waits until a statement
// of SQLite has ended, so the thread could still replace the store after the command has said that it did not.

const LOOK_EVERY_MS = 100

/**
 * Runs the command again without a terminal, so that it does the work itself, and prints its output. The unfinished
 * file is next to `to`. Throws StartError with the child's message, or Interrupted.
 */
async function runWithBar(what: string, from: string, to: string): Promise<void> {
  const [source, target] = [realPath(from), realPath(to)]
  const before = fileAt(target)?.ino
  const env = io().stdout.isTTY ? { ...io().env, [FOR_PEOPLE]: '' } : io().env
  const child = startSelf(process.argv.slice(2), { stdio: ['ignore', 'pipe', 'pipe'], env })
  const bytes = fileAt(source)?.size
  const progress = startProgress(what, bytes)
  const timer = startInterval(() => {
    const done = Math.max(0, ...partialsOf(target, child.pid).map((file) => fileAt(file)?.size ?? 0))
    const isCopied = bytes !== undefined && done >= bytes
    progress.update(isCopied ? bytes : done, isCopied ? 'checking' : `${(done / 1e6).toFixed(1)} MB`)
  }, LOOK_EVERY_MS)
  void firstSignal().then(() => child.kill())
  try {
    const [output, message, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    progress.stop()
    if (status === 0) {
      if (message !== '') printNote(...message.trimEnd().split('\n'))
      return await print(output)
    }
    if (child.signalCode === null) {
      await print(output)
      throw new StartError(message.replace(/^petstore: /, '').trimEnd())
    }
    // After a restore has exchanged the files, the unfinished name belongs to the previous store
    // (store/sqlite/file/restore.ts).
    if (fileAt(target)?.ino !== before) throw new Interrupted(`Interrupted. ${to} was already replaced.`)
    for (const file of partialsOf(target, child.pid)) rmSync(file, { force: true })
    const left = before === undefined ? `${to} does not exist` : `${to} was not changed`
    throw new Interrupted(`Interrupted. Unfinished files were removed: ${left}.`)
  } finally {
    stopTimer(timer)
    progress.stop()
  }
}

function fileAt(path: string) {
  // The child reports unreachable files.
  return existsSync(path) ? statSync(path, { throwIfNoEntry: false }) : undefined
}

function realPath(path: string): string {
  const absolute = absolutePath(path)
  return existsSync(absolute) ? realpathSync(absolute) : absolute
}
