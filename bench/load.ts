// One run of wrk against one server: how many answers a second, how late they came, and whether all were what the work
// asks for. A figure with a wrong answer in it is none.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CORES, pinned } from './machine.ts'
import { cpuSeconds, type Running } from './processes.ts'
import { type Asked, rawRequest } from './requests.ts'

/** What one wrk run measured. */
export interface Run {
  requests: number
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** Seconds of the server's processor time per second. Well under 1: something else was the limit. */
  serverBusy: number
  /** The server's processor time for one answer: what a machine with other work to do disturbs least. */
  cpuUs: number
  bytesPerAnswer: number
}

export interface Load {
  server: Running
  /** The file with the raw requests. */
  requests: string
  connections: number
  /** The only status that counts. */
  status: number
  /** Where wrk may run; on the load's core alone unless given. */
  cores?: readonly number[]
}

interface Report {
  requests: number
  bytes: number
  durationUs: number
  p50Us: number
  p99Us: number
  errorStatuses: number
  connectErrors: number
  readErrors: number
  writeErrors: number
  timeouts: number
  statuses: Record<string, number>
}

/** How far answers may differ in length from those that were looked at one by one: ids grow while animals are added. */
const LENGTH_TOLERANCE = 0.05

export function writeRequests(path: string, asked: readonly Asked[], key: string): void {
  writeFileSync(path, asked.map((each) => rawRequest(each, key)).join('\0'))
}

/** Counts the status of every answer; returns their mean length. Throws unless all have the one that counts. */
export async function audit(load: Load, seconds: number): Promise<number> {
  const report = await wrk(load, seconds, 'audit')
  const others = Object.entries(report.statuses).filter(([status]) => Number(status) !== load.status)
  if (others.length > 0) {
    throw new Error(`not all answers are ${load.status}: ${JSON.stringify(report.statuses)}`)
  }
  return report.bytes / report.requests
}

/** `bytesPerAnswer` is what `audit` has found: answers of another length are other answers. */
export async function measure(load: Load, seconds: number, bytesPerAnswer: number): Promise<Run> {
  const cpuBefore = cpuSeconds(load.server.pid)
  const startedAt = performance.now()
  const report = await wrk(load, seconds, 'measure')
  const elapsed = (performance.now() - startedAt) / 1000
  const cpu = cpuSeconds(load.server.pid) - cpuBefore
  const bytes = report.bytes / report.requests
  if (!(Math.abs(bytes / bytesPerAnswer - 1) <= LENGTH_TOLERANCE)) {
    throw new Error(`answers of ${bytes} bytes where ${bytesPerAnswer} were expected`)
  }
  return {
    requests: report.requests,
    perSecond: report.requests / (report.durationUs / 1e6),
    p50Ms: report.p50Us / 1000,
    p99Ms: report.p99Us / 1000,
    serverBusy: cpu / elapsed,
    cpuUs: (cpu / report.requests) * 1e6,
    bytesPerAnswer: bytes,
  }
}

async function wrk(load: Load, seconds: number, mode: 'audit' | 'measure'): Promise<Report> {
  const { server, requests, connections } = load
  const script = join(import.meta.dir, 'load.lua')
  const from = String(Math.floor(Math.random() * 100_000))
  const child = Bun.spawn(
    pinned(load.cores ?? [CORES.load], [
      ...['wrk', '--threads', '1', '--connections', String(connections), '--duration', `${Math.ceil(seconds)}s`],
      ...['--timeout', '10s', '--script', script, `http://127.0.0.1:${server.port}`, '--', requests, mode, from],
    ]),
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const [output, complaint] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  const line = output.split('\n').find((text) => text.startsWith('{'))
  if (!line) throw new Error(`wrk did not report: ${output}${complaint}`)
  const report: Report = JSON.parse(line)
  const { errorStatuses, connectErrors, readErrors, writeErrors, timeouts } = report
  const failures = errorStatuses + connectErrors + readErrors + writeErrors + timeouts
  if (failures > 0) {
    throw new Error(
      `failed answers: ${JSON.stringify({ errorStatuses, connectErrors, readErrors, writeErrors, timeouts })}`,
    )
  }
  if (report.requests === 0) throw new Error('not one answer')
  return report
}
