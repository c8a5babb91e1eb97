// Runs commands, in this process or another, in a new folder and without PETSTORE_ variables.

import { appendFileSync, mkdtempSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { main } from '../../packages/cli/src/main.ts'
import { atEndOfFile, temporaryFile } from './files.ts'
import { untilCount } from './metrics.ts'
import { SERVER_LOGS } from './runner.ts'
import { until } from './until.ts'

export const root = join(import.meta.dir, '../..')
/** The launcher of the clone, or the one from `npm run check:executable`. */
export const launcher = process.env.LAUNCHER ?? join(root, 'bin/petstore')

/** Returns a command to use instead of the launcher: it runs the sources with a preloaded file, from test/support/. */
export const sourceWith = (preloaded: string) => {
  const bun = join(root, 'node_modules/.bin/bun')
  return [bun, '--preload', resolve(root, 'test/support', preloaded), join(root, 'packages/cli/src/main.ts')]
}
export const nextVersion = sourceWith('next-version.ts')

export interface RunOptions {
  env?: Record<string, string>
  cwd?: string
  stdin?: string | Buffer
  /** Instead of bin/petstore. */
  command?: string[]
}

/** Runs a command to its end: in another process for `serve`, `options.command` or LAUNCHER, otherwise in this. */
export async function run(args: string[], options: RunOptions = {}) {
  // A server ends only with its process.
  return options.command || args[0] === 'serve' ? runProcess(args, options) : runHere(args, options)
}

/** As `run`, even for a `serve` that cannot start. */
export async function runHere(args: string[], options: RunOptions = {}) {
  if (process.env.LAUNCHER) return runProcess(args, options)
  const [stdout, stderr] = [new TextOutput(), new TextOutput()]
  const { promise: exited, resolve } = Promise.withResolvers<number>()
  const folder = options.cwd ?? newFolder()
  const given = {
    stdin: Readable.from([Buffer.from(options.stdin ?? '')]),
    stdout,
    stderr,
    env: environment(options.env),
    cwd: () => folder,
    exit(status: number): never {
      resolve(status)
      throw new Error('The command continued after exit.')
    },
  }
  const status = await Promise.race([main(args, given), exited])
  return { stdout: stdout.text, stderr: stderr.text, status }
}

class TextOutput extends Writable {
  text = ''
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void) {
    this.text += chunk
    done()
  }
}

/** Runs a command to its end in another process. */
export async function runProcess(args: string[], options: RunOptions = {}) {
  const child = spawn(args, options)
  const read = (stream: ReadableStream) => new Response(stream).text()
  const [stdout, stderr, status] = await Promise.all([read(child.stdout), read(child.stderr), child.exited])
  checkRejections(stderr)
  return { stdout, stderr, status }
}

export type Running = Awaited<ReturnType<typeof serve>>

/** Starts `serve` on a free port. */
export function serve(args: string[], options: RunOptions = {}) {
  return start(['serve', '--port', '0', ...args], options)
}

/** How many characters of a server's log the summary of a run can show. */
const LOG_MAX = 4_000

/** Resolves when the service listens. Rejects with its output if it ends first. */
export async function start(args: string[], options: RunOptions = {}) {
  const child = spawn(args, options)
  let [stdout, stderr] = ['', '']
  const reading = [
    read(child.stdout, (text) => {
      stdout += text
    }),
    read(child.stderr, (text) => {
      stderr += text
    }),
  ]
  atEndOfFile(() => {
    const { SUITE_FOLDER } = process.env
    const file = Bun.main.slice(process.cwd().length + 1)
    if (SUITE_FOLDER)
      appendFileSync(join(SUITE_FOLDER, SERVER_LOGS), `${JSON.stringify([file, stderr.slice(-LOG_MAX)])}\n`)
    checkRejections(stderr)
  })
  await until('the service listens', () => {
    if (child.exitCode !== null) throw new Error(`serve ended with ${child.exitCode}: ${stdout}${stderr}`)
    return stdout.includes('petstore listening on ')
  })
  return {
    /** The base address, ending in /v1. */
    url: /petstore listening on (\S+)\n/.exec(stdout)?.[1] as string,
    /** The printed key, if any. */
    key: /pets_(?:live|test)_\w{28}/.exec(stdout)?.[0] as string,
    pid: child.pid,
    stdout: () => stdout,
    stderr: () => stderr,
    /** Resolves when standard error contains this text. */
    async logs(text: string): Promise<void> {
      const seen = () => stderr.slice(-1000)
      await until(`the service logs ${text}`, () => stderr.includes(text), { everyMs: 5, seen })
    },
    /** Resolves with the exit status, or the signal plus 128, after all output has been read. */
    async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number> {
      child.kill(signal)
      await Promise.all(reading)
      const status = await child.exited
      running.delete(child)
      return status
    },
  }
}

/** Throws if a process reported a rejection that nothing handled. Bun fails a test that has one itself. */
function checkRejections(stderr: string): void {
  if (stderr.includes('UnhandledPromiseRejectionWarning')) throw new Error(`A rejection was not handled: ${stderr}`)
}

const running = new Set<Bun.Subprocess>()

function spawn(args: string[], { env = {}, cwd, command = [launcher], stdin }: RunOptions) {
  const stdio = [stdin === undefined ? 'ignore' : Buffer.from(stdin), 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe']
  const child = Bun.spawn([...command, ...args], { cwd: cwd ?? newFolder(), env: environment(env), stdio })
  running.add(child)
  atEndOfFile(() => {
    if (running.has(child)) child.kill('SIGKILL')
    return child.exited
  })
  return child
}

/** Starts a command without waiting for it, and discards its output. */
export function spawnSilent(...args: string[]) {
  return Bun.spawn([launcher, ...args], { stdio: ['ignore', 'ignore', 'ignore'] })
}

const newFolder = () => mkdtempSync(temporaryFile('cwd-'))

function environment(env: Record<string, string> = {}) {
  const { PATH = '', HOME = '', SUITE_FOLDER } = process.env
  // An interrupted run finds its processes by SUITE_FOLDER.
  return {
    PATH,
    HOME,
    BUN_OPTIONS: '--unhandled-rejections=warn-with-error-code',
    ...(SUITE_FOLDER && { SUITE_FOLDER }),
    ...env,
  }
}

async function read(stream: ReadableStream<Uint8Array>, take: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  for await (const bytes of stream) take(decoder.decode(bytes, { stream: true }))
}

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** These variables make a service count requests for `answering`. */
export const COUNTING: Record<string, string> = { PETSTORE_ADMIN_PORT: '0' }

/**
 * Resolves when the service has this many requests in flight, or this many that wait for events, in all its processes,
 * whose metrics have consecutive ports.
 */
export async function answering(
  service: Running,
  count: number,
  what: 'answering' | 'waiting' = 'answering',
  processes = 1,
) {
  const first = new URL(/^metrics on (\S+)$/m.exec(service.stdout())?.[1] as string)
  const urls = Array.from({ length: processes }, (_, n) =>
    Object.assign(new URL(first), { port: Number(first.port) + n }),
  )
  const text = async () => (await Promise.all(urls.map(async (url) => (await fetch(url)).text()))).join('')
  await untilCount({ text }, what, count)
}

/** Sends a request with a key. */
export async function ask(method: string, url: string, key: string, body?: string) {
  const answer = await fetch(url, { method, headers: { Authorization: `Bearer ${key}` }, ...(body ? { body } : {}) })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

/** Resolves with whether a server responds at this address, with any status. */
export const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  )

/** Returns the path of the largest file that the service serves, the script of the API reference. */
export async function largestFile({ url }: { url: string }): Promise<string> {
  const page = new URL('/docs', url)
  const [script] = /docs\/scalar-[\w-]+\.js/.exec(await (await fetch(page)).text()) ?? []
  if (!script) throw new Error('The page /docs names no script of Scalar.')
  return new URL(script, page).pathname
}
