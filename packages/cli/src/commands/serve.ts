// `petstore serve` checks its settings, listens, opens the store, creates the first API key, and shuts down in order.

import { Command, Option } from 'commander'
import { type Config, unknownVariables, withoutEffect } from '../../../service/src/config/read-config.ts'
import { numberFrom } from '../../../service/src/config/setting-parsers.ts'
import { checkFree, startAdmin } from '../../../service/src/http/listen.ts'
import { listenEarly, startServer } from '../../../service/src/http/server.ts'
import type { GivenNames } from '../../../service/src/http/web/names-route.ts'
import { createLog, type Log } from '../../../service/src/observability/log.ts'
import { absolutePath } from '../../../service/src/store/absolute-path.ts'
import { kindOf, MEMORY } from '../../../service/src/store/kinds.ts'
import { io } from '../../../service/src/system/io.ts'
import { startTimer, stopTimer, wallMs } from '../../../service/src/system/runtime.ts'
import { readCategories } from '../category-file.ts'
import { checkBackupFolder, isBackupOf, startPeriodicBackups } from '../periodic-backups.ts'
import { addFirstKey, fillWithSamples, migrateAside, openObserved, resettable } from '../served-store.ts'
import { configOf, parsedBy, withSettings } from '../terminal/options.ts'
import { firstSignal, npxEnds, stopInOrder } from '../terminal/stop.ts'
import { announcement, printOrLog } from '../welcome.ts'
import { linesFromParent, receiveSettings, startWorkers, WORKER_READY, type WorkerSettings } from '../workers.ts'

/**
 * The budget of a whole shutdown, because Docker kills after 10 s. Requests in flight are cut before, so that the store
 * has time to copy its log. A worker has less time than the first process, which kills workers that take too long and
 * closes its store last.
 */
const STOP_MS = 9_000
const WORKER_STOP_MS = 8_400
const WORKERS_GRACE_MS = 8_500
const REQUESTS_GRACE_MS = 8_000

export function serveCommand(): Command {
  const command = new Command('serve')
    .description('Serve the store over HTTP until SIGTERM or SIGINT.')
    .option('--ephemeral', 'keep everything in memory, and print the API key as `key: …`; for tests', false)
    .option('--demo', 'start with sample pets; only with --ephemeral', false)
    .option('--json', 'print one line, {"url": …, "apiKey": …}, instead of text; apiKey only for a new key', false)
    .option('--stdin', 'stop when stdin ends, and empty the store on each line `reset`; only with --ephemeral', false)
    .option(
      '--practice',
      'like --stdin, and misbehave on command: petstore help practice; only with --ephemeral',
      false,
    )
    .option('--workers <number>', 'how many processes serve the port and the store', parsedBy(numberFrom(1, 99)), 1)
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
  withSettings(command, 'host', 'port', 'database', 'environment', 'accessLog')
  return command.action(async (options: ServeOptions, self: Command) => {
    const { ephemeral, demo, stdin, practice, workers, worker, database } = options
    if (worker) {
      const lines = await linesFromParent()
      return serve(await receiveSettings(lines), options, lines)
    }
    const given = { '--demo': demo, '--stdin': stdin, '--practice': practice }
    for (const [flag, isGiven] of Object.entries(given)) {
      const hint = flag === '--demo' ? ' To add sample pets to a running service, use petstore demo.' : ''
      if (isGiven && !ephemeral) self.error(`${flag} needs --ephemeral.${hint}`)
    }
    const others = { '--database': database !== undefined, '--workers': workers > 1 }
    for (const [flag, isGiven] of Object.entries(others)) {
      if (isGiven && ephemeral) self.error(`${flag} cannot be used with --ephemeral, which keeps everything in memory.`)
    }
    const isForTests = ephemeral && !OF_AN_ENVIRONMENT.some((name) => io().env[`PETSTORE_${name}`])
    const config = configOf(self, isForTests ? { environment: 'staging' } : {})
    if (config.sharePort && workers > 1) self.error('--workers cannot be used with PETSTORE_SHARE_PORT.')
    await serve({ config }, options, stdin || practice ? await linesFromParent() : undefined)
  })
}

/**
 * If none of these variables is set, an ephemeral petstore runs as staging, so that `petstore verify` does not mistake
 * its key for the key of a real store.
 */
const OF_AN_ENVIRONMENT = ['ENVIRONMENT', 'BASE_URL', 'BOOTSTRAP_KEY', 'BOOTSTRAP_KEY_FILE']

/** If the store is not open after this time, for example because of a migration, health checks get a response. */
const EARLY_AFTER_MS = 1_000

interface ServeOptions {
  ephemeral: boolean
  demo: boolean
  json: boolean
  stdin: boolean
  practice: boolean
  workers: number
  database?: string
  /** This process is a worker. */
  worker?: boolean
}

/** Serves until a signal, or until `lines` ends: the lines of stdin, if the service reads them. */
async function serve(
  settings: Partial<WorkerSettings> & Pick<WorkerSettings, 'config'>,
  options: ServeOptions,
  lines: AsyncIterableIterator<string> | undefined,
): Promise<void> {
  const { config } = settings
  const { ephemeral, demo, json, workers, worker = false } = options
  const log = createLog(config.logLevel, { sharedPipe: worker || workers > 1 })
  if (!worker) warnOfIgnored(log)
  const categories = settings.categories ?? (config.categories ? await readCategories(config.categories) : undefined)
  const backedUp = ephemeral || worker ? { ...config, backupDir: undefined } : config
  checkBackupFolder(backedUp)
  let isStarting = true
  const { metrics, practice, admin, store, reset, server } = await startService(config, options, log, {
    names: { store: config.storeName, categories },
    identity: settings.store,
    isStarting: () => isStarting,
  })
  const others =
    workers > 1 ? await startWorkers(workers - 1, { config, categories, port: server.port, log }) : undefined
  const backups = startPeriodicBackups(backedUp, log, wallMs, (copy) => isBackupOf(store, copy, config))
  const file = !ephemeral && kindOf(config.database).files ? absolutePath(config.database) : undefined
  metrics?.watch({ file, backupOverdue: backups.overdueSeconds })
  const started = { url: practice?.url ?? server.url, config, metrics: admin?.url }
  const announce = announcement(started, { json, ephemeral, worker })
  // This is the last step that can fail, so that a key is never created without being shown.
  const key = worker ? undefined : await addFirstKey(store, config, log)
  const shownKey = ephemeral || !config.bootstrapKey ? key : undefined
  const ready = async () => {
    if (key && demo) await fillWithSamples(store, key)
    // A worker becomes ready when the first process sends WORKER_READY.
    isStarting = worker
    others?.ready()
    await printOrLog(announce(shownKey), log, ephemeral)
  }
  // Handle signals before printing the address, because an unhandled signal ends the process immediately.
  const signalled = Promise.race([firstSignal(worker ? createLog('silent') : log), npxEnds()])
  await ready()

  const receive = async (line: string) => {
    if (worker) {
      if (line === WORKER_READY) isStarting = false
      return
    }
    if (line !== 'reset' && practice) return printOrLog(`${await practice.answer(line)}\n`, log, ephemeral)
    if (line !== 'reset') return log.warn({ line }, 'only the line `reset` is understood')
    practice?.reset()
    await reset?.()
    await addFirstKey(store, { ...config, bootstrapKey: key }, log)
    await ready()
  }
  const parentEnds = async () => {
    for await (const line of lines ?? []) await receive(line)
  }
  const signal = await Promise.race([signalled, ...(lines ? [parentEnds()] : [])])
  log.info({ signal }, 'stopping')
  const stopMs = worker ? WORKER_STOP_MS : STOP_MS
  const requests = () => Promise.all([server.stop(REQUESTS_GRACE_MS), backups.stop(), others?.stop(WORKERS_GRACE_MS)])
  const steps = [
    { name: 'requests', untilMs: stopMs - 300, stop: requests },
    { name: 'practice', untilMs: stopMs - 300, stop: async () => practice?.stop() },
    { name: 'metrics', untilMs: stopMs - 300, stop: async () => admin?.stop() },
    { name: 'store', untilMs: stopMs - 100, mustEnd: true, stop: () => store.close() },
    { name: 'log', untilMs: stopMs, stop: () => log.flush() },
  ]
  process.exit(await stopInOrder(steps, log))
}

/** Opens the store and serves it. Nothing creates or migrates it before all settings, files and ports are known to work. */
async function startService(
  config: Config,
  { ephemeral, stdin, practice: practises, workers, worker = false }: ServeOptions,
  log: Log,
  { identity, ...given }: { names: GivenNames; identity: string | undefined; isStarting: () => boolean },
) {
  const { adminHost, adminPort, database, sharePort } = config
  const metrics =
    adminPort === undefined ? undefined : new (await import('../../../service/src/observability/metrics.ts')).Metrics()
  const practice = practises ? await (await import('../practice.ts')).startPractice(config) : undefined
  const { now = wallMs, monotonic } = practice?.clock ?? {}
  const baseUrls = { production: config.baseUrl, staging: config.stagingBaseUrl }
  const isShared = sharePort || worker || workers > 1
  const address = { ...config, baseUrls, ...practice?.behind, sharePort: isShared, log }
  if (!worker) await checkPorts({ ...config, ...practice?.behind }, workers)
  if (!ephemeral) await kindOf(database).files?.startThreads()
  // A quick start rejects connections until it is ready, so that a proxy uses another server.
  let listening: ReturnType<typeof listenEarly> | undefined
  const early = startTimer(() => {
    try {
      if (!isShared) listening = listenEarly(address)
    } catch {
      // `startServer` reports it.
    }
  }, EARLY_AFTER_MS)
  const admin = metrics && startAdmin(adminHost, adminPort as number, metrics)
  if (!ephemeral && !worker) await migrateAside(config, log)
  const open = () => openObserved(ephemeral ? MEMORY : database, log, metrics, { now, monotonic, identity })
  const { store, reset } = stdin || practises ? await resettable(open) : { store: await open(), reset: undefined }
  stopTimer(early)
  const server = startServer({
    ...address,
    ...given,
    store,
    metrics,
    listening,
    handsOver: sharePort,
    limits: { rate: config.rateLimit, readersMax: config.maxWaiting },
    enforceSunset: config.sunset === 'enforce',
    now,
  })
  practice?.leadTo(server.url, store)
  return { metrics, practice, admin, store, reset, server }
}

function warnOfIgnored(log: Log): void {
  const variables = unknownVariables(process.env)
  if (variables.length > 0) log.warn({ variables }, 'unknown PETSTORE_ variables are ignored')
  const idle = withoutEffect(process.env)
  if (idle.variables.length > 0) log.warn(idle, 'PETSTORE_ variables have no effect without others')
}

/**
 * Throws StartError if a shared port, or the admin port of another worker, cannot be used. This process listens on a
 * shared port only when the store is open, so that the other processes get all requests until then.
 */
async function checkPorts({ host, port, sharePort, adminHost, adminPort }: Config, workers: number): Promise<void> {
  await checkFree({ host, port, sharePort, flag: '--port' })
  const more = adminPort ? Array.from({ length: workers - 1 }, (_, n) => adminPort + n + 1) : []
  for (const port of more) await checkFree({ host: adminHost, port, flag: 'PETSTORE_ADMIN_PORT' })
}
