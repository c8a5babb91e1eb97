// `petstore/testing`: a petstore for other people's tests, on Node, Bun and Deno, with any test runner. It is a process of its own that
// keeps everything in memory, and ends with the process that started it.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface TestPetstore {
  /** The base address, ending in /v1. */
  readonly url: string
  /** A key that may do everything. It stays the same when the store is reset. */
  readonly apiKey: string
  /** Empties the store: the next pet has the id 1 again. With `demo` it has the sample pets again. */
  reset(): Promise<void>
  /** Ends the service. Without it, the service ends with this process. */
  stop(): Promise<void>
}

export interface TestPetstoreOptions {
  /** Start with the sample pets. */
  demo?: boolean
}

/** Resolves when the service answers, on a free port of this machine. Rejects with an Error that says why it cannot start. */
export async function startPetstore({ demo = false }: TestPetstoreOptions = {}): Promise<TestPetstore> {
  const launcher = fileURLToPath(new URL('../../bin/petstore', import.meta.url))
  const flags = ['--ephemeral', '--stdin', '--json', '--port', '0', ...(demo ? ['--demo'] : [])]
  const child = spawn(launcher, ['serve', ...flags], { env: environment(), stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  // What was written to a service that has ended: `ready` then says so.
  child.stdin.on('error', () => undefined)
  /** The next line, which says that the service is ready. */
  const ready = async (): Promise<{ url: string; apiKey: string }> => {
    const line = await lines.next()
    if (line.done) throw new Error('The petstore has ended. Its standard error says why.')
    return JSON.parse(line.value)
  }
  /** A test runner that never calls `stop` ends all the same, but not while it waits for the service. */
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
  return {
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

/** The settings of a service that runs here otherwise are not meant for this one. */
function environment(): Record<string, string | undefined> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('PETSTORE_'))
  return { ...Object.fromEntries(own), PETSTORE_LOG_LEVEL: 'warn' }
}
