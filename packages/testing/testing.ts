// `petstore/testing`: starts a petstore for the tests of another program, on Node, Bun and Deno, with any test runner.
// The petstore is a separate process with its data in memory. It stops when the process that started it ends.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface TestPetstore {
  /** The base address, ending in /v1. */
  readonly url: string
  /** An API key with full access. A reset does not change it. */
  readonly apiKey: string
  /** Empties the store, or with `demo` restores the sample pets. Ids start at 1 again. */
  reset(): Promise<void>
  /** Stops the service, which otherwise stops when this process ends. */
  stop(): Promise<void>
}

/** A petstore with faults that a test chooses. A reset removes them. */
export interface PracticePetstore extends TestPetstore {
  /**
   * Makes the service break this promise, and no other. `petstore verify --list` explains each promise. Rejects with
   * an Error if no lie breaks it.
   */
  lie(promise: string): Promise<void>
  /** Resolves with the ids of the promises that `lie` can break. */
  lies(): Promise<string[]>
  /** Adds a fault for the next requests. Rejects with an Error that explains an invalid fault. */
  fail(fault: Fault): Promise<void>
  /**
   * Resolves with another API key, which is valid until the reset or, on the service's clock, for `expires`, such as
   * 90d. With `reported: false`, its requests get no network fault and are not in the report. Use such a key to
   * prepare a test.
   */
  createKey(key?: { expires?: string; readOnly?: boolean; reported?: boolean }): Promise<string>
  /** Resolves with the requests since the start or the last reset, and the lessons that clients kept or missed. */
  report(): Promise<Report>
  /**
   * Moves the service's clock. Each method resolves with the new time, and rejects with an Error for an invalid time.
   */
  readonly clock: {
    /** Such as 90s, 24h or 7d. */
    advance(duration: string): Promise<string>
    /** A date-time of RFC 3339, not in the past. */
    set(instant: string): Promise<string>
  }
}

/** A network fault. If several match a request, only the first applies. */
export interface Fault {
  /** The id of the operation, such as `createPet`. Default: any request. */
  operation?: string
  /** How many requests get the fault. Default: 1, or with `every` or `rate` any number. */
  times?: number
  /** Only every nth request gets the fault: with 2, the second, the fourth and so on. */
  every?: number
  /** A random share of the requests, from 0 to 1, gets the fault. The same `seed` chooses the same requests. */
  rate?: number
  /** Default: 0. */
  seed?: number
  /** Returns this error. The request does not reach the service. */
  status?: number
  /** As `status`, chosen by its error code. */
  code?: string
  /** Retry-After of the error, in seconds. */
  retryAfter?: number
  latencyMs?: number
  /**
   * Closes the connection without a response: before the request reaches the service, or after the service responded.
   */
  cut?: 'before' | 'after'
  /** Closes the connection after this many bytes of the body. */
  truncate?: number
  /** Sends this many bytes of the response per second. */
  drip?: number
  /** Resets the connection (RST) instead of closing it. */
  reset?: boolean
  /** Adds an unknown field, event type or code to the response, as a later version could. */
  unknown?: boolean
}

export interface Report {
  /** How many requests came after the last of `requests`. Only the first 64 MB are recorded and judged. */
  unrecorded: number
  /** Every request since the start or the last reset. `answer` is a status, or the fate of the connection. */
  requests: { number: number; method: string; target: string; answer: number | 'lost' | 'left' | 'waiting' }[]
  lessons: JudgedLesson[]
}

/** docs/practice.md lists the ids. */
export interface JudgedLesson {
  id: string
  sentence: string
  /** `unknown`: no request shows it. */
  outcome: 'kept' | 'missed' | 'unknown'
  /** The numbers of the first requests that show the outcome. */
  evidence: number[]
  /** If it was missed: what the client should do, and the page that explains it. */
  advice?: string
}

export interface TestPetstoreOptions {
  demo?: boolean
  /** Start a PracticePetstore. */
  practice?: boolean
}

/** Resolves when the service is ready, on a free local port. Rejects with an Error if it cannot start. */
export function startPetstore(options: TestPetstoreOptions & { practice: true }): Promise<PracticePetstore>
export function startPetstore(options?: TestPetstoreOptions): Promise<TestPetstore>
export async function startPetstore({ demo = false, practice = false }: TestPetstoreOptions = {}) {
  const launcher = fileURLToPath(new URL('../../bin/petstore', import.meta.url))
  const flags = ['--ephemeral', '--stdin', '--json', '--port', '0']
  if (demo) flags.push('--demo')
  if (practice) flags.push('--practice')
  // With Plug'n'Play, only Node can find Bun.
  const [command, ...first] = process.versions.pnp ? [process.execPath, launcher] : [launcher]
  const child = spawn(command, [...first, 'serve', ...flags], {
    env: environment(),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  // Writing to a stopped service fails. `ready` reports that it has stopped.
  child.stdin.on('error', () => undefined)
  const nextLine = async () => {
    const line = await lines.next()
    if (line.done) throw new Error('The petstore stopped. See its stderr.')
    return JSON.parse(line.value)
  }
  /** Reads the line that announces that the service is ready. */
  const ready = (): Promise<{ url: string; apiKey: string }> => nextLine()
  let waiting = 0
  /** Keeps this process alive only while a call waits, so that a test runner that never calls `stop` can end. */
  const waitFor = async <Result>(work: Promise<Result>): Promise<Result> => {
    const handles = [child, child.stdin, child.stdout] as Partial<{ ref(): void; unref(): void }>[]
    if (waiting++ === 0) for (const handle of handles) handle.ref?.()
    try {
      return await work
    } finally {
      if (--waiting === 0) for (const handle of handles) handle.unref?.()
    }
  }
  const { url, apiKey } = await waitFor(Promise.race([ready(), ended.then(ready)]))
  const tell = async (command: Record<string, unknown>) => {
    child.stdin.write(`${JSON.stringify(command)}\n`)
    const { result, error } = await waitFor(nextLine())
    if (error !== undefined) throw new Error(error)
    return result
  }
  const practising = {
    lie: (promise: string) => tell({ lie: promise }),
    lies: () => tell({ lies: true }),
    fail: (fault: Fault) => tell({ fail: fault }),
    createKey: (key: object = {}) => tell({ createKey: key }),
    report: () => tell({ report: true }),
    clock: {
      advance: (duration: string) => tell({ 'clock.advance': duration }),
      set: (instant: string) => tell({ 'clock.set': instant }),
    },
  }
  return {
    ...(practice ? practising : {}),
    url,
    apiKey,
    async reset() {
      child.stdin.write('reset\n')
      await waitFor(ready())
    },
    async stop() {
      // All data is in memory, so it can be killed.
      child.kill('SIGKILL')
      await waitFor(ended)
    },
  }
}

/** Returns the environment without settings of another petstore on this machine. */
function environment(): Record<string, string | undefined> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('PETSTORE_'))
  return { ...Object.fromEntries(own), PETSTORE_LOG_LEVEL: 'warn' }
}
