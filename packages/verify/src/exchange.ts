// One request and its answer as bytes, over a connection of its own. A library would repair, follow, inflate or hide what has to be seen:
// a body behind a 304, two equal headers, a path with dots.

import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { systemReason } from '../../service/src/domain/system-reason.ts'

export interface Sent {
  method: string
  /** The path and the query, as they stand in the request line. */
  target: string
  headers: readonly (readonly [string, string])[]
  body: Uint8Array | undefined
}

export interface Received {
  status: number
  /** In the order of their arrival; names in small letters. */
  headers: readonly (readonly [string, string])[]
  body: Uint8Array
}

/** There was no whole answer. The message is a sentence about the server that lacks its subject: "did not answer within 10 seconds". */
export class NoAnswer extends Error {}

/** What came is not to be examined: no HTTP, or without an end. The message as that of NoAnswer. */
export class NotExaminable extends Error {}

const BODY_BYTES_MAX = 4 * 1024 * 1024
const HEAD_BYTES_MAX = 64 * 1024
/** How long something may follow an answer that must not have a body. */
const AFTER_MS = 150
const HEAD_END = '\r\n\r\n'

/**
 * `origin` has a scheme, a host and a port. `before` is sent first, and its answer is dropped; `request` follows on the same connection, or on a
 * new one if the server has closed it. Rejects with NoAnswer or NotExaminable.
 */
export function exchange(origin: URL, request: Sent, timeoutMs: number, before?: Sent): Promise<Received> {
  return new Promise((resolve, reject) => {
    let first = before
    let reader = new Reader((first ?? request).method)
    const socket = open(origin)
    let isOver = false
    const settle = (act: () => void): void => {
      isOver = true
      clearTimeout(timer)
      socket.destroy()
      act()
    }
    const seconds = timeoutMs / 1000
    const timer = setTimeout(
      () => settle(() => reject(new NoAnswer(`did not answer within ${seconds} second${seconds === 1 ? '' : 's'}`))),
      timeoutMs,
    )
    const take = (read: () => Received | undefined): void => {
      try {
        const answer = read()
        if (answer && first) {
          first = undefined
          reader = new Reader(request.method)
          socket.write(bytesOf(origin, request))
        } else if (answer) settle(() => resolve(answer))
      } catch (error) {
        settle(() => reject(error))
      }
    }
    socket.on(origin.protocol === 'https:' ? 'secureConnect' : 'connect', () =>
      socket.write(bytesOf(origin, first ?? request, first ? 'keep-alive' : 'close')),
    )
    socket.on('data', (chunk: Buffer) => {
      take(() => reader.push(chunk))
      if (reader.bodyless) setTimeout(() => take(() => reader.end()), AFTER_MS)
    })
    const end = (reason?: string): void => {
      if (isOver) return
      const isUnasked = first !== undefined || (before !== undefined && !reader.hasBegun)
      if (isUnasked) settle(() => resolve(exchange(origin, request, timeoutMs)))
      // An answer may come before the whole request was read.
      else take(() => reader.end(reason))
    }
    socket.on('error', (error: NodeJS.ErrnoException) => end(`could not be reached (${systemReason(error)})`))
    socket.on('close', () => end())
  })
}

function open({ protocol, hostname, port }: URL): Socket {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (protocol === 'http:') return connect(Number(port || 80), host)
  return connectTls({ host, port: Number(port || 443), ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }) })
}

function bytesOf({ host }: URL, { method, target, headers, body }: Sent, connection = 'close'): Uint8Array {
  const chunked = headers.some(([name]) => name.toLowerCase() === 'transfer-encoding')
  const carries = body !== undefined || !['GET', 'HEAD', 'OPTIONS', 'DELETE'].includes(method)
  const length = carries && !chunked ? [['Content-Length', String(body?.length ?? 0)] as const] : []
  const lines = [['Host', host] as const, ...headers, ...length, ['Connection', connection] as const]
  const head = `${method} ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
  const parts = body ? (chunked ? inChunks(body) : [body]) : []
  return Buffer.concat([Buffer.from(head, 'latin1'), ...parts])
}

function inChunks(body: Uint8Array): Uint8Array[] {
  const middle = body.length >> 1
  const chunks = [body.subarray(0, middle), body.subarray(middle)].filter(({ length }) => length > 0)
  const written = chunks.flatMap((chunk) => [
    Buffer.from(`${chunk.length.toString(16)}\r\n`),
    chunk,
    Buffer.from('\r\n'),
  ])
  return [...written, Buffer.from('0\r\n\r\n')]
}

/** Takes the bytes of an answer as they come (RFC 9112). */
class Reader {
  private bytes: Buffer = Buffer.alloc(0)
  private head: Pick<Received, 'status' | 'headers'> | undefined
  private readonly chunks: Uint8Array[] = []
  private chunkAt = 0
  constructor(private readonly method: string) {}

  get hasBegun(): boolean {
    return this.head !== undefined || this.bytes.length > 0
  }

  /** The head has come, and no body may follow (RFC 9110, 6.4.1). */
  get bodyless(): boolean {
    return this.head !== undefined && (this.method === 'HEAD' || [204, 304].includes(this.head.status))
  }

  /** The answer, once it is whole. */
  push(chunk: Uint8Array): Received | undefined {
    this.bytes = Buffer.concat([this.bytes, chunk])
    while (!this.head) if (!this.readHead()) return undefined
    if (this.bytes.length > BODY_BYTES_MAX) throw new NotExaminable('sends more than 4 MB, or without an end')
    return this.bodyless ? undefined : this.whole()
  }

  /** The connection has ended. `reason` says why, where it failed. */
  end(reason = 'closed the connection without a whole answer'): Received {
    if (!this.head) throw this.bytes.length > 0 ? new NotExaminable('does not speak HTTP/1.1') : new NoAnswer(reason)
    const whole = this.bodyless ? undefined : this.whole()
    if (whole) return whole
    if (!this.bodyless && this.header('transfer-encoding')) throw new NoAnswer('broke off in the middle of an answer')
    if (!this.bodyless && this.header('content-length') !== undefined) throw new NoAnswer(reason)
    return this.answer(this.bytes)
  }

  /** Where its headers say how long it is. */
  private whole(): Received | undefined {
    if (this.header('transfer-encoding')) return this.readChunks() ? this.answer(Buffer.concat(this.chunks)) : undefined
    const length = Number(this.header('content-length') ?? Number.POSITIVE_INFINITY)
    return this.bytes.length < length ? undefined : this.answer(this.bytes.subarray(0, length))
  }

  private answer(body: Uint8Array): Received {
    return { ...(this.head as Pick<Received, 'status' | 'headers'>), body }
  }

  private header(name: string): string | undefined {
    return this.head?.headers.find(([one]) => one === name)?.[1]
  }

  /** False until the head has come. Passes over interim answers (1xx). */
  private readHead(): boolean {
    const end = this.bytes.indexOf(HEAD_END)
    const start = this.bytes.subarray(0, 12).toString('latin1')
    if (!'HTTP/1.1 '.startsWith(start.slice(0, 7)) && !/^HTTP\/1\.[01] /.test(start)) {
      throw new NotExaminable('does not speak HTTP/1.1')
    }
    if (end < 0 && this.bytes.length > HEAD_BYTES_MAX) throw new NotExaminable('sends headers without an end')
    if (end < 0) return false
    const [first = '', ...lines] = this.bytes.subarray(0, end).toString('latin1').split('\r\n')
    const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1])
    if (!status) throw new NotExaminable('does not speak HTTP/1.1')
    this.bytes = this.bytes.subarray(end + HEAD_END.length)
    if (status < 200) return this.bytes.length > 0 && this.readHead()
    this.head = { status, headers: lines.map(headerOf) }
    if (!/^\d+$/.test(this.header('content-length') ?? '0')) throw new NotExaminable('does not speak HTTP/1.1')
    return true
  }

  /** Reads the chunks that have come (RFC 9112, 7.1). False until the last one has, with what may follow it. */
  private readChunks(): boolean {
    for (;;) {
      const end = this.bytes.indexOf('\r\n', this.chunkAt)
      if (end < 0) return false
      const line = this.bytes.subarray(this.chunkAt, end).toString('latin1')
      if (!/^[\da-f]{1,8}[ \t]*(?:;.*)?$/i.test(line)) throw new NotExaminable('does not speak HTTP/1.1')
      const size = Number.parseInt(line, 16)
      if (size === 0) return this.bytes.includes(HEAD_END, end)
      const next = end + 2 + size + 2
      if (this.bytes.length < next) return false
      this.chunks.push(this.bytes.subarray(end + 2, next - 2))
      this.chunkAt = next
    }
  }
}

function headerOf(line: string): readonly [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}
