// The processes under test: each is started on its cores, awaited until it answers, watched through /proc, and stopped.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CORES, pinned } from './machine.ts'

export interface Running {
  port: number
  pid: number
  stop(): Promise<void>
}

export interface Starting {
  command: readonly string[]
  port: number
  /** With this API key GET /v1/pets succeeds once the server is ready. */
  key: string
  /** Where it runs and where its output goes. */
  folder: string
  /** The server's core unless given. */
  cores?: readonly number[]
  environment?: Record<string, string>
}

const READY_MAX_MS = 60_000
const STOP_MAX_MS = 12_000
const TICKS_PER_SECOND = 100
const running = new Set<Bun.Subprocess>()

// However this process ends, its servers end with it.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))

/** Throws an Error with the end of the server's output when it does not answer. */
export async function start(starting: Starting): Promise<Running> {
  const { command, cores = [CORES.server], port, folder, environment = {} } = starting
  const output = Bun.file(join(folder, 'output'))
  const errors = Bun.file(join(folder, 'errors'))
  const child = Bun.spawn(pinned(cores, command), {
    env: { ...process.env, ...environment },
    stdio: ['ignore', output, errors],
    cwd: folder,
  })
  running.add(child)
  if (!(await answers(child, starting))) {
    child.kill('SIGKILL')
    const printed = `${await output.text()}${await errors.text()}`.slice(-2000)
    throw new Error(`${command.join(' ')} did not start:\n${printed}`)
  }
  return {
    port,
    pid: child.pid,
    async stop() {
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MAX_MS)
      await child.exited
      clearTimeout(timer)
      running.delete(child)
    },
  }
}

async function answers(child: Bun.Subprocess, { port, key }: Starting): Promise<boolean> {
  const until = performance.now() + READY_MAX_MS
  while (performance.now() < until && child.exitCode === null) {
    try {
      const headers = { Authorization: `Bearer ${key}` }
      const response = await fetch(`http://127.0.0.1:${port}/v1/pets`, { headers })
      await response.bytes()
      if (response.ok) return true
    } catch {
      // The server does not listen yet.
    }
    await Bun.sleep(1)
  }
  return false
}

/** A port that was free a moment ago. */
export function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
  listener.stop(true)
  return listener.port
}

/** Seconds of processor time that a process and its children have used. */
export function cpuSeconds(pid: number): number {
  return family(pid).reduce((total, each) => {
    const text = readOrEmpty(`/proc/${each}/stat`)
    // The name comes first, in parentheses, and may hold spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return total + (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_PER_SECOND
  }, 0)
}

/** The process and its descendants. Linux lists a child with the thread that started it. */
function family(pid: number): number[] {
  const threads = orElse(() => readdirSync(`/proc/${pid}/task`), [])
  const children = threads.flatMap((thread) => readOrEmpty(`/proc/${pid}/task/${thread}/children`).split(' '))
  return [pid, ...children.filter(Boolean).map(Number).flatMap(family)]
}

function readOrEmpty(path: string): string {
  return orElse(() => readFileSync(path, 'utf8'), '')
}

/** A process may end while it is read: then it counts for nothing. */
function orElse<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read()
  } catch {
    return otherwise
  }
}
