// One run of wrk against one server: the rate, the latencies, and whether every answer was the expected one. A run with a
// wrong answer gives no figure.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CORES, pinned } from './machine.ts'
import { cpuSeconds, type Running } from './servers.ts'

/** One request of those that wrk sends in turn. */
export interface Asked {
  method: 'GET' | 'POST'
  target: string
  headers?: Record<string, string>
  body?: string
}

export interface Load {
  server: Running
  /** The file with the raw requests. */
  requests: string
  connections: number
  /** The only status that is accepted. */
  status: number
  /** How many requests were sent: a run goes on where the one before ended. */
  sent: number
  /** Where wrk runs; the load's core unless given. */
  cores?: readonly number[]
}

export interface Run {
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** Seconds of the server's processor time per second. Well under 1, something else was the limit. */
  busy: number
  /** The server's processor time for one answer, in microseconds. Other work on the machine disturbs it least. */
  cpuUs: number
}

interface Report {
  requests: number
  bytes: number
  durationUs: number
  p50Us: number
  p99Us: number
  statuses: Record<number, number>
  errors: Record<'status' | 'connect' | 'read' | 'write' | 'timeout', number>
}

/** How far the mean length of answers may differ from the audit's: ids grow while pets are added. */
const LENGTH_TOLERANCE = 0.05

export function writeRequests(path: string, asked: readonly Asked[], key: string): void {
  writeFileSync(path, asked.map((each) => rawRequest(each, key)).join('\0'))
}

/** A request as it is sent. */
export function rawRequest({ method, target, headers = {}, body }: Asked, key: string): string {
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
  const all = { Host: '127.0.0.1', Authorization: `Bearer ${key}`, ...headers, ...length }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`
}

/** Checks the status of every answer and returns their mean length in bytes. Throws an Error for another status. */
export async function audit(load: Load, seconds: number): Promise<number> {
  const { statuses, bytes, requests } = await wrk(load, seconds, 'audit')
  if (Object.keys(statuses).some((status) => Number(status) !== load.status)) {
    throw new Error(`not all answers are ${load.status}: ${JSON.stringify(statuses)}`)
  }
  return bytes / requests
}

/** `bytesPerAnswer`: what the audit found. Throws an Error for answers of another length, since they are other answers. */
export async function measure(load: Load & { bytesPerAnswer: number }, seconds: number): Promise<Run> {
  const cpuBefore = cpuSeconds(load.server.pid)
  const startedAt = performance.now()
  const { requests, bytes, durationUs, p50Us, p99Us } = await wrk(load, seconds, 'measure')
  const elapsed = (performance.now() - startedAt) / 1000
  const cpu = cpuSeconds(load.server.pid) - cpuBefore
  if (Math.abs(bytes / requests / load.bytesPerAnswer - 1) > LENGTH_TOLERANCE) {
    throw new Error(`answers of ${bytes / requests} bytes where ${load.bytesPerAnswer} were expected`)
  }
  return {
    perSecond: requests / (durationUs / 1e6),
    p50Ms: p50Us / 1000,
    p99Ms: p99Us / 1000,
    busy: cpu / elapsed,
    cpuUs: (cpu / requests) * 1e6,
  }
}

async function wrk(load: Load, seconds: number, mode: 'audit' | 'measure'): Promise<Report> {
  const { server, requests, connections, cores = [CORES.load] } = load
  const command = [
    ...['wrk', '--threads', '1', '--connections', String(connections), '--duration', `${Math.ceil(seconds)}s`],
    ...['--timeout', '10s', '--script', join(import.meta.dir, 'load.lua'), `http://127.0.0.1:${server.port}`],
    ...['--', requests, mode, String(load.sent)],
  ]
  const child = Bun.spawn(pinned(cores, command), { stdio: ['ignore', 'pipe', 'pipe'] })
  const [output, complaint] = await Promise.all([child.stdout.text(), child.stderr.text()])
  const line = output.split('\n').find((text) => text.startsWith('{'))
  if (!line) throw new Error(`wrk printed no report: ${output}${complaint}`)
  const report: Report = JSON.parse(line)
  if (Object.values(report.errors).some((count) => count > 0)) {
    throw new Error(`failed answers: ${JSON.stringify(report.errors)}`)
  }
  // Each connection has taken one more request, which was not answered.
  load.sent += report.requests + connections
  if (report.requests === 0) throw new Error('there was no answer')
  return report
}
