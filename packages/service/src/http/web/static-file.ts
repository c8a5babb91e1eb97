// A file for browsers, in memory. The package and the executable carry it compressed. Elsewhere each encoding is compressed once, and nobody
// waits for it: until it is there the file is sent as it is.

import { promisify } from 'node:util'
import type { Answer } from '../response/response.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** `revalidated`: the browser sends a request each time and gets 304. `immutable`: it never sends another; the name changes with the content. */
type Caching = 'revalidated' | 'immutable'

const CACHE_CONTROL: Record<Caching, string> = {
  revalidated: 'no-cache',
  immutable: 'public, max-age=31536000, immutable',
}

/** Best first. Browsers accept br only over HTTPS or from the same machine. */
const ENCODINGS = {
  // Level 9 of 11: the last two take ten times as long and save 3 % of a large file.
  br: async (bytes: Bytes) => {
    const { brotliCompress, constants } = await import('node:zlib')
    return promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }) as Promise<Bytes>
  },
  gzip: async (bytes: Bytes) => {
    const { gzip } = await import('node:zlib')
    return promisify(gzip)(bytes) as Promise<Bytes>
  },
}
type Encoding = keyof typeof ENCODINGS
type Compressed = Readonly<Record<Encoding, Blob>>

export class StaticFile {
  readonly digest: string
  /** One copy for all connections. */
  readonly content: Blob
  private readonly compressed: Partial<Compressed>
  private compressing: Promise<void> | undefined

  constructor(
    content: string | Bytes,
    readonly type: string,
    readonly caching: Caching,
    compressed: Partial<Compressed> = {},
  ) {
    this.compressed = { ...compressed }
    this.content = new Blob([content])
    this.digest = Bun.SHA256.hash(content, 'base64url').slice(0, 22)
  }

  answer(request: Request, headers: Record<string, string>): Answer {
    const accepted = acceptedEncoding(request.headers.get('Accept-Encoding'))
    const compressed = accepted && this.compressed[accepted]
    // The first request for it gets the file at once.
    if (accepted && !compressed) this.compressing ??= this.compress().catch(() => undefined)
    const encoding = compressed && accepted
    const base = new Headers({
      ...headers,
      Vary: 'Accept-Encoding',
      'Cache-Control': CACHE_CONTROL[this.caching],
      'Content-Type': this.type,
      ...(encoding ? { 'Content-Encoding': encoding } : {}),
    })
    // Each encoding is a representation of its own (RFC 9110, 8.8.3).
    const tag = `"${this.digest}${encoding ? `-${encoding}` : ''}"`
    return { status: 200, body: compressed ?? this.content, base, tag }
  }

  private async compress(): Promise<void> {
    Object.assign(this.compressed, await compressed(this.content))
  }
}

/** On threads of the runtime's own. */
export async function compressed(content: Blob): Promise<Compressed> {
  const bytes = await content.bytes()
  const [br, gzip] = await Promise.all([ENCODINGS.br(bytes), ENCODINGS.gzip(bytes)])
  return { br: new Blob([br]), gzip: new Blob([gzip]) }
}

/**
 * The best encoding that the header names without refusing it (RFC 9110, 12.5.3). Weights above 0 and `*` do not count. A package
 * that counts them, negotiator, would bring a second one, and the choice only saves bytes.
 */
export function acceptedEncoding(header: string | null): Encoding | undefined {
  const accepted = (header ?? '')
    .toLowerCase()
    .split(',')
    .map((entry) => entry.split(';').map((part) => part.trim()))
    .filter(([, ...parameters]) => !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)))
    .map(([name]) => name)
  return (Object.keys(ENCODINGS) as Encoding[]).find((encoding) => accepted.includes(encoding))
}
