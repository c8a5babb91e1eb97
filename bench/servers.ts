// Starts the servers on their cores, waits until they respond, measures them through /proc, and stops them.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../test/support/ports.ts'
import { CORES, pinned } from './machine.ts'
import { type BenchRequest, LIST } from './requests.ts'

export interface Starting {
  command(port: string): string[]
  /** GET /v1/pets succeeds with this API key when the server is ready. */
  key: string
  environment?: Record<string, string>
  stopped?: (() => Promise<void>) | undefined
}

/** Stops when it goes out of scope. */
export interface Running extends AsyncDisposable {
  port: number
  pid: number
  key: string
}

/** A response of a server, without the headers that every server adds, and the API key. */
export interface Answer {
  status: number
  headers: Record<string, string>
  body: string
  key: string
}

const READY_MAX_MS = 60_000
const TICKS_PER_SECOND = 100
const IDLE_STEP_MS = 200
const ADDED_HEADERS = ['connection', 'content-length', 'date', 'transfer-encoding']
const running = new Set<Bun.Subprocess>()

// Stops the servers however this process ends.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))

/** Starts a server in a folder, which also gets its output. Throws an Error with the end of the output if it does not respond. */
export async function start(starting: Starting, folder: string): Promise<Running> {
  const [port, key] = [freePort(), starting.key]
  const command = starting.command(String(port))
  const [env, output] = [{ ...process.env, ...starting.environment }, Bun.file(join(folder, 'output'))]
  const startedAt = performance.now()
  const child = Bun.spawn(pinned([CORES.server], command), { env, stdio: ['ignore', output, output], cwd: folder })
  running.add(child)
  async function stop() {
    child.kill()
    await child.exited
    running.delete(child)
    await starting.stopped?.()
  }
  while (!(await answerOf({ port, key }, LIST).catch(() => undefined))) {
    await Bun.sleep(1)
    if (performance.now() - startedAt < READY_MAX_MS && child.exitCode === null) continue
    await stop()
    throw new Error(`${command.join(' ')} did not start:\n${(await output.text()).slice(-2000)}`)
  }
  return { port, pid: child.pid, key, [Symbol.asyncDispose]: stop }
}

/** Throws an Error if the request fails. */
export async function answerOf({ port, key }: Pick<Running, 'port' | 'key'>, asked: BenchRequest): Promise<Answer> {
  const { method, target, headers, body = null } = asked
  const authorized = { ...headers, Authorization: `Bearer ${key}` }
  const response = await fetch(`http://127.0.0.1:${port}${target}`, { method, headers: authorized, body })
  const [status, text] = [response.status, await response.text()]
  if (status >= 400) throw new Error(`${method} ${target} answered ${status}: ${text}`)
  const own = [...response.headers].filter(([name]) => !ADDED_HEADERS.includes(name))
  return { status, headers: Object.fromEntries(own), body: text, key }
}

/** Returns the processor time of a process and its descendants, in seconds. */
export function cpuSeconds(pid: number): number {
  // The name comes first, in parentheses, and can contain spaces.
  const fields = contents(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ')
  const own = (Number(fields?.[11] ?? 0) + Number(fields?.[12] ?? 0)) / TICKS_PER_SECOND
  // Linux lists a child with the thread that started it, here the first.
  const children = contents(`/proc/${pid}/task/${pid}/children`).match(/\d+/g) ?? []
  return children.reduce((sum, child) => sum + cpuSeconds(Number(child)), own)
}

/** Resolves when a process and its descendants have been idle for this time, so deferred work is done. */
export async function untilIdle(pid: number, ms: number): Promise<void> {
  for (let [idle, before] = [0, cpuSeconds(pid)]; idle < ms; ) {
    await Bun.sleep(IDLE_STEP_MS)
    const now = cpuSeconds(pid)
    idle = now - before <= 1.5 / TICKS_PER_SECOND ? idle + IDLE_STEP_MS : 0
    before = now
  }
}

/** Counts a process that ends during the reading as 0. */
function contents(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
