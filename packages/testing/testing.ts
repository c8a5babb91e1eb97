// `petstore/testing`: starts a petstore for the tests of another program, on Node, Bun and Deno, with any test runner. The petstore is
// a separate process. It keeps everything in memory and ends with the process that started it.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface TestPetstore {
  /** The base address, ending in /v1. */
  readonly url: string
  /** An API key with full access. A reset does not change it. */
  readonly apiKey: string
  /** Empties the store: the next pet has the id 1 again. With `demo` it has the sample pets again. */
  reset(): Promise<void>
  /** Ends the service. Without it, the service ends with this process. */
  stop(): Promise<void>
}

/** A petstore that misbehaves at a test's word. A reset ends it. */
export interface PracticePetstore extends TestPetstore {
  /**
   * From now on the service breaks the promise with this id, and no other. `petstore verify --list` explains each. Rejects with an Error for a lie
   * that there is not.
   */
  lie(promise: string): Promise<void>
  /** The ids of the promises that `lie` can break. */
  lies(): Promise<string[]>
  /** The next requests, or those that the fault names, go wrong in this way. Rejects with an Error that says what is wrong with the fault. */
  fail(fault: Fault): Promise<void>
  /**
   * A further API key, until the reset. `expires` is how long it works by the time of the service, such as 90d. With
   * `reported: false` its requests get no network fault and are not in the report. Prepare a test with such a key.
   */
  createKey(key?: { expires?: string; readOnly?: boolean; reported?: boolean }): Promise<string>
  /** What clients have done since the start or the reset, and which lessons they kept or missed. */
  report(): Promise<Report>
  /** The time of the service, which goes on from where it was moved to. Each gives the time that it is then, and rejects with an Error. */
  readonly clock: {
    /** Such as 90s, 24h or 7d. */
    advance(duration: string): Promise<string>
    /** A date-time of RFC 3339, not in the past. */
    set(instant: string): Promise<string>
  }
}

/** What goes wrong with a request. The first of several that a request meets strikes it, alone. */
export interface Fault {
  /** The id of the operation, such as `createPet`. Without it, any request is struck. */
  operation?: string
  /** How many requests are struck: 1, or with `every` or `rate` any number. */
  times?: number
  /** Only one request in so many is struck: with 2 the second, the fourth and so on. */
  every?: number
  /** Strikes this share of the requests, from 0 to 1, at random: with the same `seed` the same ones of the same requests. */
  rate?: number
  /** 0, where nothing is said. */
  seed?: number
  /** Answers with this error, and the service does not hear of the request. */
  status?: number
  /** The same by its error code. */
  code?: string
  /** Seconds, in the header of that error. */
  retryAfter?: number
  latencyMs?: number
  /** Closes the connection without an answer: before the service hears of the request, or after it has answered. */
  cut?: 'before' | 'after'
  /** Closes the connection after so many bytes of the body. */
  truncate?: number
  /** How many bytes of the answer arrive in a second. */
  drip?: number
  /** Resets the connection (RST) where it would be closed. */
  reset?: boolean
  /** The answer has a field, a type of event or a code that clients cannot know: as a later version may send them. */
  unknown?: boolean
}

export interface Report {
  /** How many requests came after the last of `requests`: only the first 64 MB are recorded, and judged. */
  unrecorded: number
  /** Every request since the start or the reset. `answer` is a status, or what became of the connection. */
  requests: { number: number; method: string; target: string; answer: number | 'lost' | 'left' | 'waiting' }[]
  lessons: JudgedLesson[]
}

/** docs/practice.md lists the ids. */
export interface JudgedLesson {
  id: string
  sentence: string
  /** `unknown`: the client was not seen in a case of this kind. */
  outcome: 'kept' | 'missed' | 'unknown'
  /** The numbers of the first requests that show it. */
  evidence: number[]
  /** Where it was missed: what the client should do, and the page that explains it. */
  advice?: string
}

export interface TestPetstoreOptions {
  /** Start with the sample pets. */
  demo?: boolean
  /** Start one that misbehaves at a test's word. */
  practice?: boolean
}

/** Resolves when the service answers, on a free port of this machine. Rejects with an Error that says why it cannot start. */
export function startPetstore(options: TestPetstoreOptions & { practice: true }): Promise<PracticePetstore>
export function startPetstore(options?: TestPetstoreOptions): Promise<TestPetstore>
export async function startPetstore({ demo = false, practice = false }: TestPetstoreOptions = {}) {
  const launcher = fileURLToPath(new URL('../../bin/petstore', import.meta.url))
  const flags = ['--ephemeral', '--stdin', '--json', '--port', '0']
  if (demo) flags.push('--demo')
  if (practice) flags.push('--practice')
  // With Plug'n'Play only Node knows where Bun is.
  const [command, ...first] = process.versions.pnp ? [process.execPath, launcher] : [launcher]
  const child = spawn(command, [...first, 'serve', ...flags], {
    env: environment(),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  // Writing to a service that has ended fails. `ready` reports that it has ended.
  child.stdin.on('error', () => undefined)
  const nextLine = async () => {
    const line = await lines.next()
    if (line.done) throw new Error('The petstore has ended. Its standard error says why.')
    return JSON.parse(line.value)
  }
  /** The next line, which says that the service is ready. */
  const ready = (): Promise<{ url: string; apiKey: string }> => nextLine()
  /** Keeps this process alive only while it waits for the service, so a test runner that never calls `stop` can end. */
  const waitFor = async <Result>(work: Promise<Result>): Promise<Result> => {
    const handles = [child, child.stdin, child.stdout] as Partial<{ ref(): void; unref(): void }>[]
    for (const handle of handles) handle.ref?.()
    try {
      return await work
    } finally {
      for (const handle of handles) handle.unref?.()
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
      // Everything is in memory, so there is nothing to wait for.
      child.kill('SIGKILL')
      await waitFor(ended)
    },
  }
}

/** Without the settings of another petstore that this machine may run. */
function environment(): Record<string, string | undefined> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('PETSTORE_'))
  return { ...Object.fromEntries(own), PETSTORE_LOG_LEVEL: 'warn' }
}
