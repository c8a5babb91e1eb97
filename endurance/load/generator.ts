// The load generator of the experiments. Requests are due at a fixed rate, whatever the server does. It ends after its time, or
// when it is told to; then at least one request was sent, and all that were sent are answered.

import { createHistogram } from 'node:perf_hooks'
import type { Socket } from 'bun'

export interface Request {
  /** Complete HTTP. */
  text: string
  /** The statuses that are correct. */
  statuses: readonly number[]
}

export interface Load {
  port: number
  /** They are sent in turn. */
  requests: readonly Request[]
  perSecond: number
  connectionsMax: number
  /** 3600, where nothing is said. */
  seconds?: number
}

export interface Figures {
  /** Requests that were sent. */
  sent: number
  /** Requests that were due while every connection waited for an answer. They were never sent. */
  unsent: number
  /** Answers by status. */
  statuses: Record<number, number>
  /** Requests with another status than those that are correct: how many by method, target and status. */
  wrong: Record<string, number>
  /** Connections that failed, or closed before the answer was complete. */
  broken: number
  /** Milliseconds from the request to the end of its answer, of answers with a status below 400. */
  p50: number
  p99: number
  p999: number
  max: number
  seconds: number
}

/** Runs the load in a separate process, so that it has a core and a timer to itself, until `ends` resolves, if it is given. */
export async function runLoad(load: Load, ends?: Promise<unknown>): Promise<Figures> {
  const { promise, resolve, reject } = Promise.withResolvers<Figures>()
  const child = Bun.spawn([process.execPath, import.meta.path], {
    ipc: resolve,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  child.exited.then((status) => reject(new Error(`the load ended with ${status}`)))
  child.send(load)
  ends?.then(() => child.send('end'))
  return promise
}

interface Connection {
  sentAt: number
  /** How many bytes of the answer's body are missing; -1 before its head is complete. */
  left: number
  head: string
  request: number
  rest?: Buffer | undefined
  status: number
  isLast?: boolean
  isReused?: boolean
}

const HEAD_END = '\r\n\r\n'
const LAST_ANSWERS_MS_MAX = 5_000

async function run(
  { port, requests, perSecond, seconds = 3600, connectionsMax }: Load,
  ended: () => boolean,
): Promise<Figures> {
  const bytes = requests.map(({ text }) => Buffer.from(text))
  const free: Socket<Connection>[] = []
  const again: number[] = []
  /** In microseconds. */
  const latencies = createHistogram()
  const statuses: Record<number, number> = {}
  const wrong: Record<string, number> = {}
  let [open, due, sent, unsent, broken, waiting] = [0, 0, 0, 0, 0, 0]

  function answered(socket: Socket<Connection>): void {
    const { status, sentAt, request } = socket.data
    statuses[status] = (statuses[status] ?? 0) + 1
    if (!requests[request]?.statuses.includes(status)) {
      const name = `${requests[request]?.text.split(' HTTP/')[0]}: ${status}`
      wrong[name] = (wrong[name] ?? 0) + 1
    }
    if (status < 400) latencies.record(Math.max(1, Math.round(1000 * (performance.now() - sentAt))))
    socket.data.sentAt = 0
    waiting--
    socket.data.isReused = true
    if (socket.data.isLast) socket.end()
    else free.push(socket)
  }

  function receive(socket: Socket<Connection>, chunk: Buffer): void {
    const { data } = socket
    if (data.left < 0) {
      data.head += chunk.toString('latin1')
      const end = data.head.indexOf(HEAD_END)
      if (end < 0) return
      data.status = Number(data.head.slice(9, 12))
      data.isLast = /\r\nconnection: close/i.test(data.head)
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(data.head)?.[1] ?? 0)
      data.left = length - (data.head.length - end - HEAD_END.length)
      data.head = ''
    } else data.left -= chunk.byteLength
    if (data.left > 0) return
    data.left = -1
    answered(socket)
  }

  const drain = (socket: Socket<Connection>) => socket.data.rest && write(socket, socket.data.rest)

  async function connect(): Promise<void> {
    open++
    const closed = (socket: Socket<Connection>): void => {
      const { sentAt, isReused, head, left, request } = socket.data
      // A server may close a connection that is kept just when a request is sent: clients send that again, as here.
      const isStale = isReused && left < 0 && head === ''
      if (sentAt > 0) waiting--
      if (sentAt > 0 && isStale) {
        again.push(request)
        due--
      } else if (sentAt > 0) broken++
      socket.data.sentAt = 0
      open--
      const at = free.indexOf(socket)
      if (at >= 0) free.splice(at, 1)
    }
    try {
      await Bun.connect<Connection>({
        hostname: '127.0.0.1',
        port,
        data: { sentAt: 0, left: -1, head: '', status: 0, request: 0 },
        socket: { open: send, data: receive, close: closed, drain, error: () => {} },
      })
    } catch {
      broken++
      open--
    }
  }

  function send(socket: Socket<Connection>): void {
    socket.data.sentAt = performance.now()
    waiting++
    socket.data.request = again.pop() ?? sent++ % bytes.length
    write(socket, bytes[socket.data.request] as Buffer)
  }

  /** A large body is written when there is room for it. */
  function write(socket: Socket<Connection>, rest: Buffer): void {
    const written = socket.write(rest)
    socket.data.rest = written < rest.length ? rest.subarray(Math.max(0, written)) : undefined
  }

  const startedAt = performance.now()
  for (;;) {
    const elapsed = performance.now() - startedAt
    // On a busy machine it may be ended before its process has begun.
    if (elapsed > seconds * 1000 || (ended() && sent + broken > 0)) break
    for (const until = (elapsed / 1000) * perSecond; due < until; due++) {
      const socket = free.pop()
      if (socket) send(socket)
      else if (open < connectionsMax) connect()
      else unsent++
    }
    await Bun.sleep(1)
  }
  const took = (performance.now() - startedAt) / 1000
  const until = performance.now() + LAST_ANSWERS_MS_MAX
  while (ended() && waiting > 0 && performance.now() < until) await Bun.sleep(1)
  const at = (percent: number): number => latencies.percentile(percent) / 1000
  const [p50, p99, p999, max] = [at(50), at(99), at(99.9), latencies.max / 1000]
  return { sent, unsent, statuses, wrong, broken, p50, p99, p999, max, seconds: took }
}

if (import.meta.main) {
  let isOver = false
  process.on('disconnect', () => process.exit())
  process.on('message', async (message) => {
    if (message === 'end') isOver = true
    else process.send?.(await run(message as Load, () => isOver), () => process.exit())
  })
}
