// Sends one request over a new connection and reads the response as bytes. An HTTP library would normalize paths,
// merge headers, follow redirects and drop a body after a 304, so checks could not see them.

import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { systemReason } from '../../contract/src/system-reason.ts'

export interface Sent {
  method: string
  /** The path and the query, sent unchanged. */
  target: string
  headers: readonly (readonly [string, string])[]
  body: Uint8Array | undefined
}

export interface Received {
  status: number
  /** In the order received, with lowercase names. */
  headers: readonly (readonly [string, string])[]
  body: Uint8Array
}

/** No complete response arrived. The message continues "The server …", such as "did not answer within 10 seconds". */
export class NoAnswer extends Error {}

/** The response cannot be examined: it is not HTTP, or too long. The message continues "The server …". */
export class NotExaminable extends Error {}

const BODY_BYTES_MAX = 4 * 1024 * 1024
const HEAD_BYTES_MAX = 64 * 1024
/** How long to wait for bytes after a response that must not have a body. */
const AFTER_MS = 150
const HEAD_END = '\r\n\r\n'

/**
 * Sends `before` first, if given, and drops its response. `request` follows on the same connection, or on a new one if
 * the server closed it. Rejects with NoAnswer or NotExaminable.
 */
export function exchange(origin: URL, request: Sent, timeoutMs: number, before?: Sent): Promise<Received> {
  return new Promise((resolve, reject) => {
    let first = before
    let reader = new Reader((first ?? request).method)
    const socket = open(origin)
    let isSettled = false
    const settle = (act: () => void): void => {
      isSettled = true
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
      if (isSettled) return
      const isUnasked = first !== undefined || (before !== undefined && !reader.hasBegun)
      if (isUnasked) settle(() => resolve(exchange(origin, request, timeoutMs)))
      // A server can respond before it has read the whole request.
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

/** Parses a response incrementally (RFC 9112). */
class Reader {
  private bytes: Buffer = Buffer.alloc(0)
  private head: Pick<Received, 'status' | 'headers'> | undefined
  private readonly chunks: Uint8Array[] = []
  private chunkAt = 0
  constructor(private readonly method: string) {}

  get hasBegun(): boolean {
    return this.head !== undefined || this.bytes.length > 0
  }

  /** The head is complete, and the response must not have a body (RFC 9110, 6.4.1). */
  get bodyless(): boolean {
    return this.head !== undefined && (this.method === 'HEAD' || [204, 304].includes(this.head.status))
  }

  /** Returns the response once it is complete. */
  push(chunk: Uint8Array): Received | undefined {
    this.bytes = Buffer.concat([this.bytes, chunk])
    while (!this.head) if (!this.readHead()) return undefined
    if (this.bytes.length > BODY_BYTES_MAX) throw new NotExaminable('sent more than 4 MB')
    return this.bodyless ? undefined : this.whole()
  }

  /** Called when the connection ends. `reason` is given if it failed. */
  end(reason = 'closed the connection without a complete response'): Received {
    if (!this.head) throw this.bytes.length > 0 ? new NotExaminable('does not speak HTTP/1.1') : new NoAnswer(reason)
    const whole = this.bodyless ? undefined : this.whole()
    if (whole) return whole
    if (!this.bodyless && this.header('transfer-encoding')) throw new NoAnswer('closed the connection in a response')
    if (!this.bodyless && this.header('content-length') !== undefined) throw new NoAnswer(reason)
    return this.answer(this.bytes)
  }

  /** Returns the response if its headers show that the body is complete. */
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

  /** Returns false until the head is complete. Skips interim responses (1xx). */
  private readHead(): boolean {
    const end = this.bytes.indexOf(HEAD_END)
    const start = this.bytes.subarray(0, 12).toString('latin1')
    if (!'HTTP/1.1 '.startsWith(start.slice(0, 7)) && !/^HTTP\/1\.[01] /.test(start)) {
      throw new NotExaminable('does not speak HTTP/1.1')
    }
    if (end < 0 && this.bytes.length > HEAD_BYTES_MAX) throw new NotExaminable('sent more than 64 KB of headers')
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

  /** Reads the chunks received so far (RFC 9112, 7.1). Returns true after the last chunk and its trailers. */
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
