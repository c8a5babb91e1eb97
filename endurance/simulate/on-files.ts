// What `petstore serve` and `petstore events forward` do with files, in a simulated process: periodic backups, and the cursor of a forwarder.

import { Database } from 'bun:sqlite'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Forwarder, Progress } from '../../packages/cli/src/forward/forwarder.ts'
import { SavedCursor } from '../../packages/cli/src/forward/saved-cursor.ts'
import { isBackupOf, startPeriodicBackups } from '../../packages/cli/src/periodic-backups.ts'
import { Sender } from '../../packages/client/src/sender.ts'
import type { Config } from '../../packages/service/src/config/read-config.ts'
import type { Store } from '../../packages/service/src/domain/store.ts'
import type { Log } from '../../packages/service/src/observability/log.ts'
import { APPLICATION_ID } from '../../packages/service/src/store/sqlite/file/checks.ts'
import { sleep, wallMs } from '../../packages/service/src/system/runtime.ts'
import { beginFiles, closeFiles, openFiles } from './file-system.ts'
import type { Files } from './messages.ts'
import { draw, send } from './step.ts'

const BACKUP_EVERY_MS = 2_000
const RESTART_MS = 500
/** Long, so that the forwarder often ends before it has the response. */
const ANSWER_MS_MAX = 20
const LOST_SHARE = 0.01
const REFUSED_SHARE = 0.03

/** The backups that were logged, oldest first, with a digest of their contents. */
let finished: { name: string; digest: bigint | number }[] = []
let isKnown = ''

const digestOf = (path: string) => Bun.hash(readFileSync(path))

/** Starts backups, and a forwarder if there is a key. */
export function startOnFiles(
  { folder, keep, key, isPowerFailure }: Files,
  database: string,
  { store, log, respond }: { store: Store; log: Log; respond: (request: Request) => Promise<Response> },
) {
  const config = { database, backupDir: join(folder, 'backups'), backupEvery: BACKUP_EVERY_MS, backupKeep: keep }
  for (const part of ['backups', 'state']) mkdirSync(join(folder, part), { recursive: true })
  if (isKnown !== folder) finished = []
  isKnown = folder
  beginFiles(folder, isPowerFailure)
  const wrong = () => [...problemsOf(config.backupDir, keep, epochOf(database))]
  const problems = wrong()
  const noting: Log = {
    ...log,
    info(fields, message) {
      log.info(fields, message)
      const { backup: name } = fields as { backup?: string }
      if (message === 'backup' && name) finished.push({ name, digest: digestOf(join(config.backupDir, name)) })
    },
  }
  const backups = startPeriodicBackups(config as Config, noting, wallMs, (file) =>
    isBackupOf(store, file, config as Config),
  )
  const stop = new AbortController()
  const forwarding = key ? forward(join(folder, 'state/cursor'), key, log, respond, stop.signal) : undefined
  return {
    problems,
    /** Resolves with the problems in the folders after a good backup. */
    left(hasFuture: boolean): string[] {
      const names = readdirSync(config.backupDir)
      return [
        ...wrong(),
        ...names.filter((name) => name.endsWith('.partial')).map(() => 'an unfinished backup is left'),
        ...(names.length > keep && !hasFuture ? [`${names.length} backups instead of ${keep} are left`] : []),
      ]
    },
    async stopForwarding(): Promise<void> {
      stop.abort()
      await forwarding
    },
    /** Resolves with the problems. */
    async stop(): Promise<string[]> {
      stop.abort()
      await Promise.all([forwarding, backups.stop()])
      return openFiles() > 0 ? [`${openFiles()} files are open after a stop`] : []
    },
  }
}

function* problemsOf(folder: string, keep: number, storesEpoch: unknown) {
  const complete = readdirSync(folder).filter((name) => name.endsWith('.db'))
  for (const name of complete) {
    const epoch = epochOf(join(folder, name))
    if (epoch === undefined) yield `the backup ${name} is incomplete`
    if (epoch === storesEpoch) yield `cursors are valid in the store and in the backup ${name}`
  }
  if (complete.length < Math.min(keep, finished.length)) yield `only ${complete.length} backups are left`
  const last = finished.at(-1)?.name ?? ''
  // If the clock was moved back, an earlier backup can be dated later.
  const isNewest = finished.every(({ name }) => name <= last)
  // A newer one may have been taken right before its process ended.
  if (last && isNewest && complete.every((name) => name < last)) yield 'the last backup is lost'
  for (const { name, digest } of finished)
    if (complete.includes(name) && digestOf(join(folder, name)) !== digest) yield `${name} has changed`
}

/** Returns the epoch of the store or backup, or `undefined` if it is incomplete. */
function epochOf(path: string): unknown {
  try {
    using database = new Database(path, { readonly: true })
    const first = (sql: string) => Object.values(database.query<object, []>(sql).get() ?? {})[0]
    const isComplete = first('PRAGMA application_id') === APPLICATION_ID && first('PRAGMA integrity_check') === 'ok'
    return isComplete ? first('SELECT epoch FROM event_epoch') : undefined
  } catch {
    return undefined
  }
}

/** Starts the forwarder again if its disk failed. */
async function forward(
  state: string,
  apiKey: string,
  log: Log,
  respond: (request: Request) => Promise<Response>,
  stop: AbortSignal,
): Promise<void> {
  const fetch = (url: string, init: RequestInit) => {
    const { promise: lost, reject } = Promise.withResolvers<never>()
    init.signal?.addEventListener('abort', () => reject(init.signal?.reason))
    return Promise.race([respond(new Request(url, init)), lost])
  }
  globalThis.fetch = receive as typeof globalThis.fetch
  const service = new Sender({ baseUrl: 'http://127.0.0.1/v1', apiKey, fetch })
  const receiver = { url: new URL('http://127.0.0.1/hook'), secrets: [new Uint8Array(24)] }
  while (!stop.aborted) {
    try {
      const saved = SavedCursor.open(state)
      await new Forwarder(receiver, saved, new Progress(log), log, stop, stop).run(service, 'beginning')
    } catch (error) {
      if (!String(error).includes('cannot be used (')) {
        send({ crashed: `forwarding: ${error}` })
        return
      }
      await sleep(RESTART_MS)
      closeFiles('state')
    }
  }
}

/** The receiver of the events. Requests and responses can get lost. */
async function receive(_: URL, { headers }: { headers: Record<string, string> }): Promise<Response> {
  const lost = () => draw() < LOST_SHARE
  await sleep(draw() * ANSWER_MS_MAX)
  if (lost()) throw new Error('connection lost')
  const isTaken = draw() >= REFUSED_SHARE
  send({ event: Number(headers['webhook-id']?.split('_')[2]), isTaken })
  await sleep(draw() * ANSWER_MS_MAX)
  if (lost()) throw new Error('connection lost')
  return new Response(null, { status: isTaken ? 204 : 500 })
}
