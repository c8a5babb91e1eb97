// The servers under test: started on their core, awaited until they answer, watched through /proc, and ended.

import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { CORES, pinned } from './machine.ts'

export interface Running {
  port: number
  pid: number
  /** Milliseconds from its start to its first answer. */
  readyMs: number
  stop(): Promise<void>
}

export interface Starting {
  command: readonly string[]
  /** Where it may run; on the server's core alone unless given. */
  cores?: readonly number[]
  port: number
  /** A path that answers with a success once the server is ready, and the headers it needs. */
  probe: { path: string; headers?: Record<string, string> }
  /** Where standard output and standard error go. */
  output: string
  environment?: Record<string, string>
  cwd?: string
}

const READY_MAX_MS = 60_000
const STOP_MAX_MS = 12_000
const TICKS_PER_SECOND = 100
const running = new Set<Bun.Subprocess>()

/** Whatever ends this process takes its servers with it. */
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))

/** Throws an Error with the end of the server's output when it does not come up. */
export async function start(starting: Starting): Promise<Running> {
  const { command, cores = [CORES.server], port, output, environment = {}, cwd } = starting
  const startedAt = performance.now()
  const child = Bun.spawn(pinned(cores, command), {
    env: { ...process.env, ...environment },
    stdio: ['ignore', Bun.file(output), Bun.file(`${output}.err`)],
    ...(cwd ? { cwd } : {}),
  })
  running.add(child)
  await answering(child, starting)
  return {
    port,
    pid: child.pid,
    readyMs: performance.now() - startedAt,
    async stop() {
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_MAX_MS)
      await child.exited
      clearTimeout(late)
      running.delete(child)
    },
  }
}

async function answering(child: Bun.Subprocess, { command, port, probe, output }: Starting): Promise<void> {
  const until = performance.now() + READY_MAX_MS
  while (performance.now() < until && child.exitCode === null) {
    try {
      const response = await fetch(`http://127.0.0.1:${port}${probe.path}`, { headers: probe.headers ?? {} })
      await response.bytes()
      if (response.ok) return
    } catch {
      // Nobody listens yet.
    }
    await Bun.sleep(1)
  }
  child.kill('SIGKILL')
  const said = [output, `${output}.err`].map((path) => readFileSync(path, 'utf8').slice(-2000)).join('')
  throw new Error(`did not come up: ${command.join(' ')}\n${said}`)
}

/** A port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

/** Seconds of processor time that a process and those it has started have used. */
export function cpuSeconds(pid: number): number {
  return family(pid).reduce((sum, each) => {
    const fields = statOf(each)
    return sum + (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_PER_SECOND
  }, 0)
}

/** Bytes in memory of a process and those it has started; `anonymous` leaves out what is mapped from files. */
export function memoryOf(pid: number): { resident: number; anonymous: number } {
  const sum = { resident: 0, anonymous: 0 }
  for (const each of family(pid)) {
    const status = readOrEmpty(`/proc/${each}/status`)
    sum.resident += kilobytes(status, 'VmRSS')
    sum.anonymous += kilobytes(status, 'RssAnon')
  }
  return sum
}

/** A child belongs to the thread that started it. */
function family(pid: number): number[] {
  const children = threadsOf(pid).flatMap((thread) => readOrEmpty(`/proc/${pid}/task/${thread}/children`).split(' '))
  return [pid, ...children.filter(Boolean).map(Number).flatMap(family)]
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** The fields of /proc/PID/stat behind the name, which may itself hold spaces and parentheses. */
function statOf(pid: number): string[] {
  const text = readOrEmpty(`/proc/${pid}/stat`)
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

function kilobytes(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
