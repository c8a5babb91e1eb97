// `serve --workers N`: N processes on one port and one store. The first one starts the others, and the kernel
// distributes connections among them. A pet that one has acknowledged is in the next list of every other
// (store/sqlite/connect/statements.ts), and all refuse a revoked key.

import type { Config } from '../../service/src/config/read-config.ts'
import type { Category } from '../../service/src/domain/names.ts'
import { StartError } from '../../service/src/domain/start-error.ts'
import type { Log } from '../../service/src/observability/log.ts'
import { kindOf } from '../../service/src/store/kinds.ts'
import { sleep } from '../../service/src/system/runtime.ts'
import { startSelf } from './child-process.ts'
import { within } from './terminal/stop.ts'

const READY = 'petstore listening on '
/** The pause before a crashed worker is replaced. */
const AGAIN_MS = 1_000
/** The time for workers to stop if the start fails. */
const START_FAILED_MS = 2_000

type Worker = Bun.Subprocess<'pipe', 'pipe', 'inherit'>

/**
 * Tells a worker the identity of its store, so that it does not create a store or serve another one at the same path.
 */
export const STORE_VARIABLE = 'PETSTORE_WORKER_STORE'

/** Tells a worker that the service has started. */
export const WORKER_READY = 'ready'

/**
 * Starts `count` workers on `port` and resolves when all listen. Throws StartError if one cannot start. Only this
 * process reads files of settings, so a worker that is replaced later has the same settings as the others.
 */
export async function startWorkers(
  count: number,
  config: Config,
  categories: readonly Category[],
  port: number,
  log: Log,
) {
  let [stopping, isReady] = [false, false]
  const store = storeOf(config)
  const running = new Map<number, Worker>()

  async function start(index: number): Promise<void> {
    const worker = startSelf(['serve', '--worker'], {
      env: { ...environmentOf(index, config, port), [STORE_VARIABLE]: store },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    running.set(index, worker)
    void send(worker, encodeURIComponent(JSON.stringify(categories.map(({ id, name }) => [String(id), name]))))
    let output = ''
    for await (const text of worker.stdout.pipeThrough(new TextDecoderStream())) {
      output += text
      if (output.includes(READY)) break
    }
    if (!output.includes(READY)) throw new StartError(`Worker ${index + 1} could not start.`)
    if (isReady) void send(worker, WORKER_READY)
    worker.exited.then((status) => replace(index, status))
  }

  async function replace(index: number, status: number): Promise<void> {
    if (stopping) return
    log.error({ worker: index + 1, status }, 'worker ended')
    // A worker refuses to start if the store is missing or another one.
    do await sleep(AGAIN_MS)
    while (!stopping && storeOf(config) !== store)
    if (stopping) return
    await start(index).catch(() => replace(index, status))
  }

  /** Resolves when all workers have stopped. Kills workers after `graceMs`. Rejects if a step of a worker's stop failed. */
  async function stop(graceMs: number): Promise<void> {
    stopping = true
    await Promise.all(
      [...running].map(async ([index, worker]) => {
        const hasEnded = worker.exitCode !== null || worker.signalCode !== null
        // Not a signal: the terminal may already have sent one, and a second one would end the worker immediately.
        worker.stdin.end()
        if (await within(graceMs, worker.exited)) {
          if (hasEnded || worker.exitCode === 0) return
          throw new Error(`Worker ${index + 1} ended with status ${worker.exitCode}.`)
        }
        log.warn({ worker: index + 1 }, 'worker killed')
        worker.kill('SIGKILL')
        await worker.exited
      }),
    )
  }

  try {
    await Promise.all(Array.from({ length: count }, (_, n) => start(n + 1)))
  } catch (error) {
    await stop(START_FAILED_MS).catch(() => undefined)
    throw error
  }
  return {
    stop,
    /** Call this when the start can no longer fail. Workers, and their replacements, then report ready. */
    ready(): void {
      isReady = true
      for (const worker of running.values()) void send(worker, WORKER_READY)
    },
  }
}

async function send({ stdin }: Worker, line: string): Promise<void> {
  try {
    await stdin.write(`${line}\n`)
    await stdin.flush()
  } catch {
    // The worker has ended, which `start` or `replace` notices.
  }
}

/** Reads the first line that a worker receives. */
export async function readSentCategories(lines: AsyncIterator<string>): Promise<Category[]> {
  const { value, done } = await lines.next()
  const rows: [string, string][] = done ? [] : JSON.parse(decodeURIComponent(value))
  return rows.map(([id, name]) => ({ id: BigInt(id), name }))
}

/** Returns the identity of the store, or `undefined` if it cannot be reached. */
function storeOf({ database }: Config): string | undefined {
  try {
    return kindOf(database).identify(database)
  } catch {
    return undefined
  }
}

/** The address may contain a password, so it is not an argument, which all users of the machine can read. */
function environmentOf(index: number, config: Config, port: number): Record<string, string | undefined> {
  const { host, database, environment, accessLog, adminPort } = config
  return {
    ...process.env,
    PETSTORE_HOST: host,
    PETSTORE_PORT: String(port),
    PETSTORE_DATABASE: database,
    PETSTORE_DATABASE_FILE: undefined,
    // Only the first process adds the first key.
    PETSTORE_BOOTSTRAP_KEY: undefined,
    PETSTORE_BOOTSTRAP_KEY_FILE: undefined,
    PETSTORE_CATEGORIES: undefined,
    PETSTORE_ENVIRONMENT: environment,
    PETSTORE_ACCESS_LOG: accessLog,
    // Each worker has separate metrics on a separate port.
    PETSTORE_ADMIN_PORT: adminPort ? String(adminPort + index) : process.env.PETSTORE_ADMIN_PORT,
  }
}

/** Returns the lines of stdin. They end when the parent process has ended or wants this process to stop. */
export async function linesFromParent(): Promise<AsyncIterableIterator<string>> {
  const { createInterface } = await import('node:readline')
  return createInterface({ input: process.stdin })[Symbol.asyncIterator]()
}
