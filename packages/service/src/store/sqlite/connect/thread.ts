// A thread with its own connection, which does not keep the process alive. It starts in advance or with the first
// statement, from its text; starting it from a path would need a second script in the package and in the executable.

import { unavailable } from '../../shared/failures.ts'
import { translateCode } from './errors.ts'
import THREAD from './sql-thread.js' with { type: 'text' }

/** How the thread opens the file, and how long its statements wait for a lock. */
interface Opening {
  readonly path: string
  readonly readonly: boolean
  readonly waitMs: number
}

type Rows = unknown[][]

/** Threads that no instance uses yet. */
const started: Worker[] = []
/** Resolve when connections that are opened in advance are open. */
const connecting: Promise<unknown>[] = []

/**
 * Starts threads in advance: the next instances take them and open their connections immediately. A service needs
 * this before it listens, because Bun ends the process if a thread starts while no file descriptor is free.
 */
export async function startThreads(count: number): Promise<void> {
  const workers = Array.from({ length: count }, newWorker)
  const running = workers.map(async (worker) => {
    const { promise, resolve } = Promise.withResolvers()
    worker.onmessage = resolve
    worker.postMessage({})
    await promise
  })
  await Promise.all(running)
  started.push(...workers)
}

/** Resolves when the threads that were started in advance have opened their connections, or cannot. */
export async function threadsOpened(): Promise<void> {
  await Promise.all(connecting.splice(0))
}

export class Thread {
  private worker: Worker | undefined
  /** Responses arrive in the order of the messages. */
  private readonly waiting: PromiseWithResolvers<Rows>[] = []
  private isStopped = false

  constructor(private readonly opening: Opening) {
    if (started.length === 0) return
    const opened = this.query('PRAGMA schema_version').catch(() => undefined)
    this.ref()
    connecting.push(opened.finally(() => this.worker?.unref()))
  }

  /**
   * Runs a statement, right after `first`. Rejects with SQLite's translated error, or with `unavailable` if the thread
   * itself failed; the next statement then opens a new connection. After `stop`, rejects with `unavailable`, because the
   * statement would open the file again.
   */
  query(sql: string, values: readonly unknown[] = [], first?: string): Promise<Rows> {
    if (this.isStopped) return Promise.reject(unavailable(new Error('the store is closed')))
    return this.ask({ opening: this.opening, first, sql, values })
  }

  /** Keeps the process alive while the thread works. */
  ref(): void {
    this.worker?.ref()
  }

  /** Resolves when the thread has closed the file or has failed. */
  async stop(): Promise<void> {
    this.isStopped = true
    if (!this.worker) return
    this.ref()
    await this.ask({}).catch(() => undefined)
    this.worker?.terminate()
  }

  private ask(message: object): Promise<Rows> {
    this.worker ??= this.start()
    const answer = Promise.withResolvers<Rows>()
    this.waiting.push(answer)
    this.worker.postMessage(message)
    return answer.promise
  }

  private start(): Worker {
    const worker = started.pop() ?? newWorker()
    worker.unref()
    worker.onmessage = ({ data: { rows, code, message } }) => {
      const asked = this.waiting.shift()
      if (rows) asked?.resolve(rows)
      else asked?.reject(translateCode(code ?? '', new Error(`${message} (${code})`)))
    }
    worker.onerror = ({ message }) => {
      this.worker = undefined
      for (const { reject } of this.waiting.splice(0)) reject(unavailable(new Error(message)))
    }
    return worker
  }
}

function newWorker(): Worker {
  return new Worker(URL.createObjectURL(new Blob([THREAD], { type: 'text/javascript' })))
}
