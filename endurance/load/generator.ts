// The open-loop load generator of the experiments: requests are due at a fixed rate, regardless of the server. It stops after its time.

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
  /** Sent in turn. */
  requests: readonly Request[]
  perSecond: number
  connectionsMax: number
  seconds: number
}

export interface Figures {
  /** Responses by status. */
  statuses: Record<number, number>
  /** Responses with a wrong status, by method, target and status. */
  wrong: Record<string, number>
  /** Connections that failed, or closed before the response was complete. */
  broken: number
  /** Milliseconds from a request to the end of its response, for statuses below 400. */
  p99: number
}

/** Runs the load until its time is over. A separate process gives it its own core and timers. */
export function runLoad(load: Load): Promise<Figures> {
  const { promise, resolve, reject } = Promise.withResolvers<Figures>()
  const child = Bun.spawn([process.execPath, import.meta.path], {
    ipc: resolve,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  child.exited.then((status) => reject(new Error(`The load generator exited with status ${status}.`)))
  child.send(load)
  return promise
}

interface Connection {
  sentAt: number
  /** How many bytes of the body are missing; -1 until the header is complete. */
  left: number
  head: string
  request: number
  rest?: Buffer | undefined
  status: number
  isLast?: boolean
  isReused?: boolean
}

const HEAD_END = '\r\n\r\n'

async function run({ port, requests, perSecond, seconds, connectionsMax }: Load): Promise<Figures> {
  const bytes = requests.map(({ text }) => Buffer.from(text))
  const free: Socket<Connection>[] = []
  const again: number[] = []
  /** In microseconds. */
  const latencies = createHistogram()
  const statuses: Record<number, number> = {}
  const wrong: Record<string, number> = {}
  let [open, due, sent, broken] = [0, 0, 0, 0]

  function answered(socket: Socket<Connection>): void {
    const { status, sentAt, request } = socket.data
    statuses[status] = (statuses[status] ?? 0) + 1
    if (!requests[request]?.statuses.includes(status)) {
      const name = `${requests[request]?.text.split(' HTTP/')[0]}: ${status}`
      wrong[name] = (wrong[name] ?? 0) + 1
    }
    if (status < 400) latencies.record(Math.max(1, Math.round(1000 * (performance.now() - sentAt))))
    socket.data.sentAt = 0
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
      // A server can close an idle connection just when a request is sent. Like other clients, send the request again.
      const isStale = isReused && left < 0 && head === ''
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
    socket.data.request = again.pop() ?? sent++ % bytes.length
    write(socket, bytes[socket.data.request] as Buffer)
  }

  /** Writes the rest of a large body when the socket drains. */
  function write(socket: Socket<Connection>, rest: Buffer): void {
    const written = socket.write(rest)
    socket.data.rest = written < rest.length ? rest.subarray(Math.max(0, written)) : undefined
  }

  const startedAt = performance.now()
  for (;;) {
    const elapsed = performance.now() - startedAt
    if (elapsed > seconds * 1000) return { statuses, wrong, broken, p99: latencies.percentile(99) / 1000 }
    for (const until = (elapsed / 1000) * perSecond; due < until; due++) {
      const socket = free.pop()
      if (socket) send(socket)
      else if (open < connectionsMax) void connect()
    }
    await Bun.sleep(1)
  }
}

if (import.meta.main) {
  process.on('disconnect', () => process.exit())
  process.on('message', async (load: Load) => process.send?.(await run(load), () => process.exit()))
}
