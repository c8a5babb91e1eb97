// HTTP/1.1 messages as bytes: read one after the other from a connection, with their header lines as they were sent, and written again.

export type Header = readonly [name: string, value: string]

export interface Message {
  /** The request line, or the status line. */
  start: string
  headers: readonly Header[]
  body: Buffer
}

/** Reads what follows RFC 9112; anything else ends the connection. */
export class MessageReader {
  private buffered = Buffer.alloc(0)
  private readonly source: AsyncIterator<Buffer>

  constructor(source: AsyncIterable<Buffer>) {
    this.source = source[Symbol.asyncIterator]()
  }

  /** `undefined` at the end of the connection. `bodiless`: whether a message has no body, whatever its headers say. */
  async next(kind: 'request' | 'response', bodiless = (_start: string) => false): Promise<Message | undefined> {
    const end = await this.find('\r\n\r\n')
    if (end === undefined) return undefined
    const [start = '', ...lines] = this.take(end + 4)
      .toString('latin1')
      .trimEnd()
      .split('\r\n')
    const headers = lines.map((line): Header => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trim()]
    })
    return { start, headers, body: bodiless(start) ? Buffer.alloc(0) : await this.body(kind, headers) }
  }

  private async body(kind: 'request' | 'response', headers: readonly Header[]): Promise<Buffer> {
    if (/chunked/i.test(headerOf(headers, 'Transfer-Encoding') ?? '')) return this.chunks()
    const length = headerOf(headers, 'Content-Length')
    if (length !== undefined) return this.exactly(Number(length))
    if (kind === 'response') while (await this.more());
    return kind === 'response' ? this.take(this.buffered.length) : Buffer.alloc(0)
  }

  private async chunks(): Promise<Buffer> {
    const chunks: Buffer[] = []
    for (;;) {
      const line = await this.find('\r\n')
      if (line === undefined) return Buffer.concat(chunks)
      const length = Number.parseInt(this.take(line + 2).toString('latin1'), 16)
      chunks.push((await this.exactly(length + 2)).subarray(0, length))
      if (length === 0) return Buffer.concat(chunks)
    }
  }

  private async exactly(length: number): Promise<Buffer> {
    while (this.buffered.length < length && (await this.more()));
    return this.take(length)
  }

  private async find(text: string): Promise<number | undefined> {
    for (;;) {
      const at = this.buffered.indexOf(text)
      if (at >= 0) return at
      if (!(await this.more())) return undefined
    }
  }

  private async more(): Promise<boolean> {
    const { value, done } = await this.source.next()
    if (!done) this.buffered = Buffer.concat([this.buffered, value])
    return !done
  }

  private take(length: number): Buffer {
    const taken = this.buffered.subarray(0, length)
    this.buffered = this.buffered.subarray(length)
    return taken
  }
}

export function toBytes({ start, headers, body }: Message): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  return Buffer.concat([Buffer.from([start, ...lines, '', ''].join('\r\n'), 'latin1'), body])
}

/** Of the first header with this name, in any case. */
export function headerOf(headers: readonly Header[], name: string): string | undefined {
  return headers.find((header) => isNamed(header, name))?.[1]
}

/** Without a value, without the header. */
export function withHeader(headers: readonly Header[], name: string, value: string | undefined): readonly Header[] {
  const others = headers.filter((header) => !isNamed(header, name))
  return value === undefined ? others : [...others, [name, value]]
}

function isNamed([name]: Header, wanted: string): boolean {
  return name.toLowerCase() === wanted.toLowerCase()
}
