// A file for browsers: kept in memory, compressed at its first use and never again, revalidated or kept for good.

import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { matches } from '../response/response.ts'

/** `revalidated`: asked for again each time, and answered 304. `immutable`: its name changes with its content. */
export type Caching = 'revalidated' | 'immutable'

const CACHE_CONTROL: Record<Caching, string> = {
  revalidated: 'no-cache',
  immutable: 'public, max-age=31536000, immutable',
}

/** Best first. Browsers offer br only where the connection is safe or local. */
const ENCODINGS = {
  // 9 of 11: the last two levels take ten times as long for 3 % of a large file.
  br: (bytes: Bytes) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }) as Promise<Bytes>,
  gzip: promisify(gzip) as (bytes: Bytes) => Promise<Bytes>,
}
type Encoding = keyof typeof ENCODINGS

type Bytes = Uint8Array<ArrayBuffer>

export class StaticFile {
  readonly digest: string
  private readonly compressed = new Map<Encoding, Promise<Bytes>>()

  constructor(
    private readonly bytes: Bytes,
    private readonly type: string,
    private readonly caching: Caching,
  ) {
    this.digest = hash('sha256', bytes, 'base64url').slice(0, 22)
  }

  async respond(request: Request, headers: Record<string, string>): Promise<Response> {
    const encoding = acceptedEncoding(request.headers.get('Accept-Encoding'))
    // Each encoding is a representation of its own (RFC 9110, 8.8.3).
    const tag = `"${this.digest}${encoding ? `-${encoding}` : ''}"`
    const all: Record<string, string> = {
      ...headers,
      ETag: tag,
      Vary: 'Accept-Encoding',
      'Cache-Control': CACHE_CONTROL[this.caching],
    }
    if (matches(request.headers.get('If-None-Match'), tag)) return new Response(null, { status: 304, headers: all })
    all['Content-Type'] = this.type
    if (!encoding) return new Response(this.bytes, { headers: all })
    all['Content-Encoding'] = encoding
    return new Response(await this.compress(encoding), { headers: all })
  }

  private compress(encoding: Encoding): Promise<Bytes> {
    let bytes = this.compressed.get(encoding)
    if (!bytes) {
      bytes = ENCODINGS[encoding](this.bytes)
      this.compressed.set(encoding, bytes)
    }
    return bytes
  }
}

/** The best encoding that the header names without refusing it (RFC 9110, 12.5.3). */
export function acceptedEncoding(header: string | null): Encoding | undefined {
  const accepted = (header ?? '')
    .toLowerCase()
    .split(',')
    .map((entry) => entry.split(';').map((part) => part.trim()))
    .filter(([, ...parameters]) => !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)))
    .map(([name]) => name)
  return (Object.keys(ENCODINGS) as Encoding[]).find((encoding) => accepted.includes(encoding))
}
