// `serve --workers N`: N processes on one port and one store, of which the first is the one that was started. The kernel
// spreads connections over them. Each keeps every promise by itself: what one acknowledges is in the next list of any other
// (store/sqlite/version.ts), and a key that ends does so for all.

import type { Config } from '../config/config.ts'
import { StartError } from '../domain/errors.ts'
import type { Log } from '../observability/log.ts'
import { startSelf } from './self.ts'
import { within } from './stop.ts'

const READY = 'petstore listening on '
/** A worker that ends unasked is followed by another after this. */
const AGAIN_MS = 1_000
/** What a worker has for its end when the service cannot start. */
const START_FAILED_MS = 2_000

export interface Workers {
  /** Tells all of them to stop and resolves when they have ended; one that has not after `graceMs` is killed. */
  stop(graceMs: number): Promise<void>
}

/** Starts `count` processes like this one, on its port, and resolves when all listen. Throws StartError when one cannot. */
export async function startWorkers(count: number, config: Config, port: number, log: Log): Promise<Workers> {
  let stopping = false
  const running = new Map<number, Bun.Subprocess<'pipe', 'pipe', 'inherit'>>()

  async function start(index: number): Promise<void> {
    const worker = startSelf(['serve', '--worker'], {
      env: environmentOf(index, config, port),
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    running.set(index, worker)
    let said = ''
    for await (const text of worker.stdout.pipeThrough(new TextDecoderStream())) {
      said += text
      if (said.includes(READY)) break
    }
    if (!said.includes(READY)) throw new StartError(`Worker ${index + 1} could not start.`)
    worker.exited.then((status) => follow(index, status))
  }

  async function follow(index: number, status: number): Promise<void> {
    if (stopping) return
    log.error({ worker: index + 1, status }, 'worker ended')
    await Bun.sleep(AGAIN_MS)
    if (stopping) return
    await start(index).catch(() => follow(index, status))
  }

  async function stop(graceMs: number): Promise<void> {
    stopping = true
    await Promise.all(
      [...running].map(async ([index, worker]) => {
        // Not a signal: from a terminal it has one already, and a second ends a process at once.
        worker.stdin.end()
        if (await within(graceMs, worker.exited)) return
        log.warn({ worker: index + 1 }, 'worker killed')
        worker.kill('SIGKILL')
        await worker.exited
      }),
    )
  }

  try {
    await Promise.all(Array.from({ length: count }, (_, n) => start(n + 1)))
  } catch (error) {
    await stop(START_FAILED_MS)
    throw error
  }
  return { stop }
}

/** Not in arguments, which every user of the machine can read: an address may hold a password. */
function environmentOf(index: number, config: Config, port: number): Record<string, string | undefined> {
  const { host, database, environment, adminPort } = config
  return {
    ...process.env,
    PETSTORE_HOST: host,
    PETSTORE_PORT: String(port),
    PETSTORE_DATABASE: database,
    PETSTORE_DATABASE_FILE: undefined,
    PETSTORE_ENVIRONMENT: environment,
    // Each tells of itself, on a port of its own.
    PETSTORE_ADMIN_PORT: adminPort ? String(adminPort + index) : process.env.PETSTORE_ADMIN_PORT,
  }
}

/** Resolves when the process that started this one has gone or wants it to stop: its end of standard input is closed then. */
export async function parentLeaves(): Promise<void> {
  for await (const _ of Bun.stdin.stream()) {
    // Nothing is ever said there.
  }
}
