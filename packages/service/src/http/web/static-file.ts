// A file for browsers, in memory, uncompressed and compressed. The package and the executable contain the compressed
// files; a clone compresses each file at its first request.

import { promisify } from 'node:util'
import type { Answer } from '../response/response.ts'

type Bytes = Uint8Array<ArrayBuffer>

/**
 * `revalidated`: the browser sends a request each time and gets 304. `immutable`: it sends no further request,
 * because the name changes with the content.
 */
type Caching = 'revalidated' | 'immutable'

const CACHE_CONTROL: Record<Caching, string> = {
  revalidated: 'no-cache',
  immutable: 'public, max-age=31536000, immutable',
}

/** Best first. Browsers accept br only over HTTPS or from the same machine. */
const ENCODINGS = ['br', 'gzip'] as const
type Encoding = (typeof ENCODINGS)[number]

export class StaticFile {
  readonly digest: string
  /** Shared by all connections. */
  readonly bodies: Readonly<Record<'identity' | Encoding, Blob>>

  constructor(
    readonly type: string,
    readonly caching: Caching,
    identity: Bytes,
    br: Bytes,
    gzip: Bytes,
  ) {
    this.bodies = { identity: new Blob([identity]), br: new Blob([br]), gzip: new Blob([gzip]) }
    this.digest = Bun.SHA256.hash(identity, 'base64url').slice(0, 22)
  }

  /** Compresses the content on threads of the runtime. */
  static async of(content: string | Bytes, type: string, caching: Caching): Promise<StaticFile> {
    const { brotliCompress, constants, gzip } = await import('node:zlib')
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
    const compressed = await Promise.all([
      // Quality 9 of 11: the last two take ten times as long and save 3 % of a large file.
      promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }) as Promise<Bytes>,
      promisify(gzip)(bytes) as Promise<Bytes>,
    ])
    return new StaticFile(type, caching, bytes, ...compressed)
  }

  answer(request: Request, headers: Record<string, string>): Answer {
    const encoding = acceptedEncoding(request.headers.get('Accept-Encoding'))
    const ownHeaders = new Headers({
      ...headers,
      Vary: 'Accept-Encoding',
      'Cache-Control': CACHE_CONTROL[this.caching],
      'Content-Type': this.type,
    })
    if (encoding) ownHeaders.set('Content-Encoding', encoding)
    // Each encoding needs a separate tag (RFC 9110, 8.8.3).
    const tag = `"${this.digest}${encoding ? `-${encoding}` : ''}"`
    return { status: 200, body: this.bodies[encoding ?? 'identity'], ownHeaders, tag }
  }
}

/**
 * Returns the best encoding that the header accepts (RFC 9110, 12.5.3). Ignores weights above 0 and `*`. The package
 * negotiator, which supports them, would bring a second package, and the choice only saves bytes.
 */
export function acceptedEncoding(header: string | null): Encoding | undefined {
  const accepted = (header ?? '')
    .toLowerCase()
    .split(',')
    .map((entry) => entry.split(';').map((part) => part.trim()))
    .filter(([, ...parameters]) => !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)))
    .map(([name]) => name)
  return ENCODINGS.find((encoding) => accepted.includes(encoding))
}

/** Starts `work` at the first call, to keep the start fast. After a failure, the next call tries again. */
export function lazy<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined
  return () => {
    result ??= work().catch((error) => {
      result = undefined
      throw error
    })
    return result
  }
}
