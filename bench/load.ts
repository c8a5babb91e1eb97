// Runs wrk against a server and returns the rate and the latencies. A run with a wrong response fails.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Run } from './figures.ts'
import { CORES, pinned } from './machine.ts'
import type { BenchRequest } from './requests.ts'
import { cpuSeconds, type Running, untilIdle } from './servers.ts'

export interface Load {
  name: string
  server: Pick<Running, 'port' | 'pid'>
  /** The file with the raw requests. */
  requests: string
  /** The expected status. */
  status: number
  /** How many requests were sent. Each run continues where the last one ended. */
  sent: number
  /** The mean length of the responses in the audit. */
  bytesPerAnswer?: number
}

/** The output of load.lua. */
type Report = Record<'requests' | 'bytes' | 'durationUs' | 'p50Us' | 'p99Us' | 'wrong' | 'failed' | 'late', number>

const CONNECTIONS = 64
/** How far the mean length may differ from the audit's. Ids get longer while pets are added. */
const LENGTH_TOLERANCE = 0.05
/** A pause, so that no server works while another is measured. */
const IDLE_MS = 600

export function writeRequests(path: string, asked: readonly BenchRequest[], key: string): void {
  writeFileSync(path, asked.map((each) => rawRequest(each, key)).join('\0'))
}

/** The bytes of a request. */
function rawRequest({ method, target, headers = {}, body }: BenchRequest, key: string): string {
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
  const all = { Host: '127.0.0.1', Authorization: `Bearer ${key}`, ...headers, ...length }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`
}

/** Checks the status of every response. Throws an Error if one is wrong. */
export async function audit(load: Load, seconds: number): Promise<void> {
  const { wrong, bytes, requests } = await wrk(load, seconds, load.status)
  if (wrong > 0) throw new Error(`${load.name}: not all answers are ${load.status}: ${wrong} of ${requests}`)
  load.bytesPerAnswer = bytes / requests
}

/** Throws an Error if the length of the responses differs from the audit, because then the responses differ. */
export async function measure(load: Load, seconds: number): Promise<Run> {
  const { pid } = load.server
  const [cpuBefore, startedAt] = [cpuSeconds(pid), performance.now()]
  const report = await wrk(load, seconds)
  const [cpu, elapsedMs] = [cpuSeconds(pid) - cpuBefore, performance.now() - startedAt]
  await untilIdle(pid, IDLE_MS)
  const cpuInAll = cpuSeconds(pid) - cpuBefore
  const { requests, bytes, durationUs, p50Us, p99Us } = report
  const length = bytes / requests
  if (Math.abs(length / (load.bytesPerAnswer ?? length) - 1) > LENGTH_TOLERANCE) {
    throw new Error(`${load.name}: answers of ${length} bytes where ${load.bytesPerAnswer} were expected`)
  }
  return {
    perSecond: requests / (durationUs / 1e6),
    p50Ms: p50Us / 1000,
    p99Ms: p99Us / 1000,
    busy: cpu / (elapsedMs / 1000),
    cpuUs: (cpuInAll / requests) * 1e6,
  }
}

async function wrk(load: Load, seconds: number, ...status: [number?]): Promise<Report> {
  const { server, requests } = load
  const command = [
    ...['wrk', '--threads', '1', '--connections', String(CONNECTIONS), '--duration', `${seconds}s`, '--timeout', '10s'],
    ...['--script', join(import.meta.dir, 'load.lua'), `http://127.0.0.1:${server.port}`],
    ...['--', requests, String(load.sent), ...status.map(String)],
  ]
  const child = Bun.spawn(pinned([CORES.load], command), { stdio: ['ignore', 'pipe', 'pipe'] })
  const [output, complaint] = await Promise.all([child.stdout.text(), child.stderr.text()])
  const line = output.split('\n').find((text) => text.startsWith('{'))
  if (!line) throw new Error(`wrk printed no report: ${output}${complaint}`)
  const report: Report = JSON.parse(line)
  const { failed, late } = report
  if (failed + late > 0) throw new Error(`${load.name}: ${failed} failed answers, ${late} after more than 10 s`)
  if (report.requests === 0) throw new Error(`${load.name}: there was no answer`)
  // Each connection took one more request, which got no response.
  load.sent += report.requests + CONNECTIONS
  return report
}
