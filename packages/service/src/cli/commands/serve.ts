// `petstore serve`: opens the store, listens, creates the first API key, and stops in order.

import { Command, Option } from 'commander'
import { type Config, unknownVariables, withoutEffect } from '../../config/read-config.ts'
import { numberFrom } from '../../config/setting-parsers.ts'
import { Names } from '../../domain/names.ts'
import { checkFree } from '../../http/listen.ts'
import { startServer } from '../../http/server.ts'
import { startAdmin } from '../../http/web/admin.ts'
import { createLog, type Log } from '../../observability/log.ts'
import { absolutePath } from '../../store/absolute-path.ts'
import { kindOf, MEMORY } from '../../store/kinds.ts'
import { io } from '../../system/io.ts'
import { wallMs } from '../../system/runtime.ts'
import { configOf, parsedBy, withSettings } from '../../terminal/options.ts'
import { firstSignal, npxEnds, stopInOrder } from '../../terminal/stop.ts'
import { readCategories } from '../category-file.ts'
import { isBackupOf, startPeriodicBackups } from '../periodic-backups.ts'
import { addFirstKey, fillWithSamples, openWatched, resettable } from '../served-store.ts'
import { announcement, printOrLog } from '../welcome.ts'
import { parentCloses, STORE_VARIABLE, startWorkers, WORKER_READY } from '../workers.ts'

/** When the service stops: the time for requests in flight, and for the workers to stop. The whole stop takes under 10 s. */
const REQUESTS_GRACE_MS = 8_300
const WORKERS_GRACE_MS = 9_000

export function serveCommand(): Command {
  const command = new Command('serve')
    .description('Serve the store over HTTP until SIGTERM or SIGINT.')
    .option('--ephemeral', 'keep everything in memory, and print the API key as `key: …`; for tests', false)
    .option('--demo', 'start with sample pets; only with --ephemeral', false)
    .option('--json', 'print one line, {"url": …, "apiKey": …}, instead of text; apiKey where a key was created', false)
    .option(
      '--stdin',
      'stop when standard input ends, and empty the store at each line `reset`; only with --ephemeral',
      false,
    )
    .option(
      '--practice',
      'as --stdin, and misbehave at your word: petstore help practice; only with --ephemeral',
      false,
    )
    .option(
      '--workers <number>',
      'number of processes that serve one port and one store',
      parsedBy(numberFrom(1, 99)),
      1,
    )
    .addOption(new Option('--worker').hideHelp())
    .addHelpText(
      'after',
      `
Examples:
  petstore serve
  petstore serve --port 0 --ephemeral
  petstore serve --ephemeral --demo
  petstore serve --workers 4
  PETSTORE_HOST=0.0.0.0 petstore serve --database /var/lib/petstore/petstore.db

More settings are environment variables: petstore help settings.`,
    )
  withSettings(command, 'host', 'port', 'database', 'environment')
  return command.action(async (options: ServeOptions, self: Command) => {
    const { ephemeral, demo, stdin, practice, workers, database } = options
    if (demo && !ephemeral) {
      self.error('--demo needs --ephemeral. To add sample pets to a running service, use petstore demo.')
    }
    if (stdin && !ephemeral) self.error('--stdin can empty the store. It needs --ephemeral.')
    if (practice && !ephemeral) self.error('--practice makes a service misbehave. It needs --ephemeral.')
    if (ephemeral && database !== undefined) {
      self.error('--ephemeral keeps everything in memory. It cannot be used with --database.')
    }
    if (ephemeral && workers > 1) {
      self.error('--workers needs a store that processes can share. It cannot be used with --ephemeral.')
    }
    const isForTests = ephemeral && !OF_AN_ENVIRONMENT.some((variable) => io().env[variable])
    const config = configOf(self, isForTests ? { environment: 'staging' } : {})
    if (config.sharePort && workers > 1) self.error('--workers cannot be used with PETSTORE_SHARE_PORT.')
    await serve(config, { ...options, stdin: stdin || practice })
  })
}

/** Unless one of these is set, a petstore in memory is of staging, so that `petstore verify` does not take its key for one of a real store. */
const OF_AN_ENVIRONMENT = ['ENVIRONMENT', 'BASE_URL', 'BOOTSTRAP_KEY', 'BOOTSTRAP_KEY_FILE'].map(
  (name) => `PETSTORE_${name}`,
)

interface ServeOptions {
  ephemeral: boolean
  demo: boolean
  json: boolean
  stdin: boolean
  practice: boolean
  workers: number
  database?: string
  /** This is one of the processes that `--workers` starts. */
  worker?: boolean
}

async function serve(config: Config, options: ServeOptions): Promise<void> {
  const { ephemeral, demo, json, workers, worker = false } = options
  const together = worker || workers > 1
  const log = createLog(config.logLevel, { sharedPipe: together })
  if (!worker) warnOfIgnored(log)
  const names = new Names(config.storeName, config.categories ? await readCategories(config.categories) : [])
  const { store, reset, metrics, practice, now } = await openServed(config, options, log)
  // Workers share their port, so a port in use by another service would not be noticed.
  if (workers > 1) await checkFree(config)
  let isStarting = true
  const server = startServer({
    ...config,
    store,
    log,
    metrics,
    baseUrls: { production: config.baseUrl, staging: config.stagingBaseUrl },
    names,
    ...practice?.behind,
    isStarting: () => isStarting,
    sharePort: config.sharePort || together,
    handsOver: config.sharePort,
    enforceSunset: config.sunset === 'enforce',
    now,
  })
  practice?.leadTo(server.url, store)
  const admin = metrics && startAdmin({ host: config.adminHost, port: config.adminPort as number, metrics })
  const others = workers > 1 ? await startWorkers(workers - 1, config, server.port, log) : undefined
  const backedUp = ephemeral || worker ? { ...config, backupDir: undefined } : config
  const backups = startPeriodicBackups(backedUp, log, wallMs, (copy) => isBackupOf(store, copy, config))
  const file = !ephemeral && kindOf(config.database).files ? absolutePath(config.database) : undefined
  metrics?.watch({ file, backupOverdue: backups.overdueSeconds })
  const started = { url: practice?.url ?? server.url, config, metrics: admin?.url }
  const announce = announcement(started, { json, ephemeral, worker })
  // The last step that can fail: a key that was created is always shown.
  const key = worker ? undefined : await addFirstKey(store, config, log)
  const shownKey = ephemeral || !config.bootstrapKey ? key : undefined
  const ready = async () => {
    if (key && demo) await fillWithSamples(store, key)
    // A worker gets it as a message.
    isStarting = worker
    others?.ready()
    await printOrLog(announce(shownKey), log)
  }
  // Listened for before the address is printed, because until then a signal ends the process at once.
  const signalled = Promise.race([firstSignal(worker ? createLog('silent') : log), npxEnds()])
  await ready()

  const receive = async (line: string) => {
    if (worker) {
      if (line === WORKER_READY) isStarting = false
      return
    }
    if (line !== 'reset' && practice) return printOrLog(`${await practice.answer(line)}\n`, log)
    if (line !== 'reset') return log.warn({ line }, 'only the line `reset` is understood')
    practice?.reset()
    await reset?.()
    await addFirstKey(store, { ...config, bootstrapKey: key }, log)
    await ready()
  }
  const signal = await Promise.race([signalled, ...(worker || reset ? [parentCloses(receive)] : [])])
  log.info({ signal }, 'stopping')
  const requests = () => Promise.all([server.stop(REQUESTS_GRACE_MS), backups.stop(), others?.stop(WORKERS_GRACE_MS)])
  const status = await stopInOrder(
    [
      { name: 'requests', maxMs: WORKERS_GRACE_MS + 100, stop: requests },
      { name: 'practice', maxMs: 100, stop: async () => practice?.stop() },
      { name: 'metrics', maxMs: 100, stop: async () => admin?.stop() },
      { name: 'store', maxMs: 300, stop: () => store.close() },
      { name: 'log', maxMs: 300, stop: () => log.flush() },
    ],
    log,
  )
  process.exit(status)
}

function warnOfIgnored(log: Log): void {
  const variables = unknownVariables(process.env)
  if (variables.length > 0) log.warn({ variables }, 'unknown PETSTORE_ variables are ignored')
  const idle = withoutEffect(process.env)
  if (idle.variables.length > 0) log.warn(idle, 'PETSTORE_ variables have no effect without others')
}

/** All that is there before the server. `reset`: where standard input may empty the store. */
async function openServed(config: Config, { ephemeral, stdin, practice: practises, worker }: ServeOptions, log: Log) {
  const metrics =
    config.adminPort === undefined ? undefined : new (await import('../../observability/metrics.ts')).Metrics()
  const practice = practises ? await (await import('../practice.ts')).startPractice(config) : undefined
  const now = practice?.clock.now ?? wallMs
  const identity = worker ? (process.env[STORE_VARIABLE] ?? '') : undefined
  const open = () =>
    openWatched(ephemeral ? MEMORY : config.database, log, metrics, {
      now,
      monotonic: practice?.clock.monotonic,
      identity,
    })
  const opened = stdin ? await resettable(open) : { store: await open(), reset: undefined }
  return { ...opened, metrics, practice, now }
}
