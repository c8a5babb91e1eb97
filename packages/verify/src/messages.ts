// Reads and writes HTTP/1.1 messages as bytes, with header lines as sent. Ambiguous messages are not parsed but left
// to the service. node:http accepts messages that the service rejects (trailers, codings before chunked), and vice
// versa.

import { type Header, headerOf, isNamed } from './headers.ts'

export interface Message {
  /** The request line, or the status line. */
  start: string
  headers: readonly Header[]
  body: Buffer
}

/** The bytes are not a plain message. None of them are consumed. The message continues "The server …". */
export class Unreadable extends Error {
  constructor(message = 'does not speak HTTP/1.1') {
    super(message)
  }
}

/** The service rejects longer requests. */
const HEAD_BYTES_MAX = 16 * 1024
const BODY_BYTES_MAX = 2 ** 20
const RESPONSE_HEAD_BYTES_MAX = 64 * 1024
const RESPONSE_BYTES_MAX = 4 * 1024 * 1024
// biome-ignore lint/suspicious/noControlCharactersInRegex: a valid head has none of these.
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/
const REQUEST_LINE = /^[A-Z]+ [^ ]+ HTTP\/1\.[01]$/
const HEADER_LINE = /^[\w!#$%&'*+.^`|~-]+:/

export class MessageReader {
  private buffered = Buffer.alloc(0)
  private readonly source: AsyncIterator<Buffer>

  constructor(source: AsyncIterable<Buffer>) {
    this.source = source[Symbol.asyncIterator]()
  }

  /**
   * Resolves with `undefined` at the end of the connection. Calls `onExpect` if the client waits for 100 Continue.
   * Rejects with Unreadable.
   */
  async request(onExpect: () => void): Promise<Message | undefined> {
    for (let isExpected = false; ; ) {
      const head = requestHead(this.buffered)
      const end = head && bodyEnd(head, BODY_BYTES_MAX)
      if (head && !isExpected && /^100-continue$/i.test(headerOf(head.headers, 'Expect') ?? '')) {
        isExpected = true
        onExpect()
      }
      // Pipelined requests are left to the service.
      if (end && this.buffered.length > end.at) throw new Unreadable()
      if (head && end) return this.take(head, end)
      if (!(await this.more())) return undefined
    }
  }

  /**
   * Skips 1xx. `isBodiless` says whether a response has no body. Its headers can have a length. Resolves with `undefined` if the
   * connection ends before the response is complete. Rejects with Unreadable.
   */
  async response(isBodiless = (_status: number) => false): Promise<Message | undefined> {
    for (let isOver = false; ; isOver = !(await this.more())) {
      let head = responseHead(this.buffered)
      while (head && /^\S+ 1\d\d/.test(head.start)) {
        this.buffered = this.buffered.subarray(head.length)
        head = responseHead(this.buffered)
      }
      if (head && isBodiless(statusOf(head))) return this.take(head, { at: head.length, body: Buffer.alloc(0) })
      const isFramed = head?.headers.some(([name]) => /^(?:content-length|transfer-encoding)$/i.test(name))
      const end = head && (isFramed || isOver) ? bodyEnd(head) : undefined
      if (head && end) return this.take(head, isFramed ? end : { at: this.buffered.length, body: head.after })
      if (isOver) return undefined
      if (this.buffered.length > RESPONSE_BYTES_MAX) throw new Unreadable('sent more than 4 MB')
    }
  }

  /** Resolves with the bytes that arrive within `ms`. */
  async following(ms: number): Promise<Buffer> {
    const isOver = Bun.sleep(ms).then(() => false)
    while (await Promise.race([this.more(), isOver]));
    return this.buffered
  }

  /** Yields the bytes not yet consumed, and all that follow. */
  async *rest(): AsyncGenerator<Buffer> {
    yield this.buffered
    for (let next = await this.source.next(); !next.done; next = await this.source.next()) yield next.value
  }

  private take({ start, headers }: Head, { at, body }: BodyEnd): Message {
    this.buffered = this.buffered.subarray(at)
    return { start, headers, body }
  }

  private async more(): Promise<boolean> {
    const { value, done } = await this.source.next()
    if (!done) this.buffered = Buffer.concat([this.buffered, value])
    return !done
  }
}

interface Head extends Omit<Message, 'body'> {
  /** Includes the empty line. */
  length: number
  after: Buffer
}

/** Where a message ends, and its body without chunk framing. */
interface BodyEnd {
  at: number
  body: Buffer
}

function headOf(bytes: Buffer): Head | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [start = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const headers = lines.map((line): Header => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
  return { start, headers, length: end + 4, after: bytes.subarray(end + 4) }
}

/** Throws Unreadable as soon as it cannot be a response. */
function responseHead(bytes: Buffer): Head | undefined {
  const head = headOf(bytes)
  const begin = bytes.toString('latin1', 0, 13)
  const isHttp = head ? /^HTTP\/1\.[01] \d{3}[ \r]/.test(begin) : 'HTTP/1.'.startsWith(begin.slice(0, 7))
  if (!isHttp) throw new Unreadable()
  if (!head && bytes.length > RESPONSE_HEAD_BYTES_MAX) throw new Unreadable('sent more than 64 KB of headers')
  return head
}

/** Throws Unreadable as soon as the service would reject it. */
function requestHead(bytes: Buffer): Head | undefined {
  const head = headOf(bytes)
  const text = bytes.toString('latin1', 0, head?.length ?? HEAD_BYTES_MAX + 1)
  const [start = '', ...lines] = text.split('\n')
  const isBad =
    text.length > HEAD_BYTES_MAX ||
    CONTROL.test(text) ||
    (lines.length > 0 && !REQUEST_LINE.test(start.slice(0, -1))) ||
    lines.slice(0, head ? -2 : -1).some((line) => !HEADER_LINE.test(line) || !line.endsWith('\r'))
  if (isBad) throw new Unreadable()
  return head
}

/** Throws Unreadable. */
function bodyEnd({ start, headers, length, after }: Head, bytesMax = Number.MAX_SAFE_INTEGER): BodyEnd | undefined {
  const valuesOf = (name: string) =>
    new Set(headers.filter((header) => isNamed(header, name)).map(([, value]) => value))
  const codings = [...valuesOf('Transfer-Encoding')]
  const lengths = [...valuesOf('Content-Length')]
  const isChunked = codings.length > 0
  const isPlain = isChunked
    ? /^chunked$/i.test(codings.join()) && lengths.length === 0 && !start.endsWith('HTTP/1.0')
    : lengths.length === 0 || /^\d{1,15}$/.test(lengths.join())
  const size = isChunked ? after.length : Number(lengths[0] ?? 0)
  if (!isPlain || size > bytesMax) throw new Unreadable()
  if (isChunked) return chunksEnd(after, length, start.startsWith('HTTP/'))
  return after.length < size ? undefined : { at: length + size, body: after.subarray(0, size) }
}

/**
 * `offset` is the position of the first chunk in the message. A response can have spaces after sizes, and trailers,
 * which the service rejects in a request. Throws Unreadable.
 */
function chunksEnd(bytes: Buffer, offset: number, isResponse: boolean): BodyEnd | undefined {
  const space = isResponse ? '[ \\t]*' : ''
  const chunks: Buffer[] = []
  for (let at = 0; ; ) {
    const line = bytes.toString('latin1', at, at + 1_000)
    const [sizeLine, hex = ''] = new RegExp(`^([\\da-f]{1,6})${space}(?:;[^\\r\\n]*)?\\r\\n`, 'i').exec(line) ?? []
    if (sizeLine === undefined && !new RegExp(`^(?:[\\da-f]{1,6}${space}(?:;[^\\r\\n]*)?\\r?)?$`, 'i').test(line))
      throw new Unreadable()
    if (sizeLine === undefined) return undefined
    const begin = at + sizeLine.length
    const end = begin + Number.parseInt(hex, 16)
    const after = isResponse && begin === end ? bytes.indexOf('\r\n\r\n', begin - 2) + 2 : end
    if (after < end) return undefined
    if (!'\r\n'.startsWith(bytes.toString('latin1', after, after + 2))) throw new Unreadable()
    if (bytes.length < after + 2) return undefined
    chunks.push(bytes.subarray(begin, end))
    at = after + 2
    if (begin === end) return { at: offset + at, body: Buffer.concat(chunks) }
  }
}

/** Whether a response has no body (RFC 9110, 6.4.1). */
export const isBodiless = (method: string, status: number): boolean =>
  method === 'HEAD' || status === 204 || status === 304

export const statusOf = ({ start }: Pick<Message, 'start'>): number => Number(start.split(' ')[1])

export function toBytes({ start, headers, body }: Message): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  return Buffer.concat([Buffer.from([start, ...lines, '', ''].join('\r\n'), 'latin1'), body])
}
