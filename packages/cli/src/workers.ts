// `serve --workers N`: N processes on one port and one store. The first one starts the others, and the kernel
// distributes connections among them. A pet that one has acknowledged is in the next list of every other
// (store/sqlite/connect/statements.ts), and all reject a revoked key.

import { deserialize, serialize } from 'node:v8'
import type { Config } from '../../service/src/config/read-config.ts'
import type { Category } from '../../service/src/domain/names.ts'
import { StartError } from '../../service/src/domain/start-error.ts'
import type { Log } from '../../service/src/observability/log.ts'
import { kindOf } from '../../service/src/store/kinds.ts'
import { sleep } from '../../service/src/system/runtime.ts'
import { startSelf } from './child-process.ts'
import { within } from './terminal/stop.ts'

const LISTENING = 'petstore listening on '
/** The pause before a crashed worker is replaced. */
const AGAIN_MS = 1_000

type Worker = Bun.Subprocess<'pipe', 'pipe', 'inherit'>

/** Tells a worker that the service has started. */
export const WORKER_READY = 'ready'

/** A worker receives this as its first line. It reads no settings itself. */
export interface WorkerSettings {
  config: Config
  categories: readonly Category[] | undefined
  /** The identity of the store, so that a worker does not create a store or serve another one at the same path. */
  store: string
}

/**
 * Starts `count` workers on a port and resolves when all listen. Throws StartError if one cannot start; the others end
 * with this process. Only this process reads setting files, so a worker that is replaced later has the same settings
 * as the others.
 */
export async function startWorkers(count: number, options: WorkersOptions): Promise<Workers> {
  const workers = new Workers(options)
  await Promise.all(Array.from({ length: count }, (_, n) => workers.start(n + 1)))
  return workers
}

interface WorkersOptions {
  config: Config
  categories: readonly Category[] | undefined
  port: number
  log: Log
}

class Workers {
  private readonly running = new Map<number, Worker>()
  private readonly store: string
  private isReady = false
  private isStopping = false

  constructor(private readonly options: WorkersOptions) {
    this.store = identityOf(options.config)
  }

  async start(index: number): Promise<void> {
    const worker = startSelf(['serve', '--worker'], { env: process.env, stdio: ['pipe', 'pipe', 'inherit'] })
    this.running.set(index, worker)
    // In base64, because names can contain line separators.
    void send(worker, serialize(this.settingsFor(index)).toString('base64'))
    let output = ''
    for await (const text of worker.stdout.pipeThrough(new TextDecoderStream())) {
      output += text
      if (output.includes(LISTENING)) break
    }
    if (!output.includes(LISTENING)) throw new StartError(`Worker ${index + 1} could not start.`)
    if (this.isReady) void send(worker, WORKER_READY)
    worker.exited.then((status) => this.replace(index, status))
  }

  /** Call this when the start can no longer fail. Workers, and their replacements, then report ready. */
  ready(): void {
    this.isReady = true
    for (const worker of this.running.values()) void send(worker, WORKER_READY)
  }

  /** Resolves when all workers have stopped. Kills workers after `graceMs`. Rejects if a step of a worker's stop failed. */
  async stop(graceMs: number): Promise<void> {
    this.isStopping = true
    await Promise.all([...this.running].map(([index, worker]) => this.stopWorker(index, worker, graceMs)))
  }

  private async stopWorker(index: number, worker: Worker, graceMs: number): Promise<void> {
    const hasEnded = worker.exitCode !== null || worker.signalCode !== null
    // Not a signal: the terminal may already have sent one, and a second one would end the worker immediately.
    worker.stdin.end()
    if (await within(graceMs, worker.exited)) {
      if (hasEnded || worker.exitCode === 0) return
      throw new Error(`Worker ${index + 1} ended with status ${worker.exitCode}.`)
    }
    this.options.log.warn({ worker: index + 1 }, 'worker killed')
    worker.kill('SIGKILL')
    await worker.exited
  }

  private async replace(index: number, status: number): Promise<void> {
    if (this.isStopping) return
    this.options.log.error({ worker: index + 1, status }, 'worker ended')
    // A worker does not start if the store is missing or another one.
    do await sleep(AGAIN_MS)
    while (!this.isStopping && identityOf(this.options.config) !== this.store)
    if (this.isStopping) return
    await this.start(index).catch(() => this.replace(index, status))
  }

  private settingsFor(index: number): WorkerSettings {
    const { config, categories, port } = this.options
    // Each worker has separate metrics on a separate port.
    const adminPort = config.adminPort ? config.adminPort + index : config.adminPort
    // Only the first process adds the first key.
    return { config: { ...config, port, adminPort, bootstrapKey: undefined }, categories, store: this.store }
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
export async function receiveSettings(lines: AsyncIterator<string>): Promise<WorkerSettings> {
  const { value, done } = await lines.next()
  if (done) throw new StartError('The first process has ended.')
  return deserialize(Buffer.from(value, 'base64'))
}

/** Returns the identity of the store, or an empty text if it cannot be reached. */
function identityOf({ database }: Config): string {
  try {
    return kindOf(database).identify(database)
  } catch {
    return ''
  }
}

/** Returns the lines of stdin. They end when the parent process has ended or wants this process to stop. */
export async function linesFromParent(): Promise<AsyncIterableIterator<string>> {
  const { createInterface } = await import('node:readline')
  return createInterface({ input: process.stdin })[Symbol.asyncIterator]()
}
