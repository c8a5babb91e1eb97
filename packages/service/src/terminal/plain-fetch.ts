// How a command sends requests and reads answers: without a proxy if the service is on this machine, without inflating an answer, and up to a
// bound, so that no server's answer fills the memory.

import type { Fetch } from '../../../client/src/retries.ts'
import { ownsProcess } from '../system/io.ts'

/** For Bun, `localhost` includes `*.localhost`. */
const LOOPBACK = 'localhost,127.0.0.1,127.0.0.0/8,[::1]'

/** Excludes more hosts from the proxies of `HTTP_PROXY` and similar variables. Bun reads `no_proxy`, and `NO_PROXY` if it is empty, at each request. */
export function useNoProxy(hosts = LOOPBACK): void {
  if (!ownsProcess()) return
  const { no_proxy, NO_PROXY } = process.env
  process.env.no_proxy = [no_proxy || NO_PROXY, hosts].filter(Boolean).join(',')
}

/** `through the proxy of VARIABLE` if Bun sends requests for the address through one, otherwise empty. */
export function throughProxy(url: string): string {
  const { protocol = '', hostname = '' } = URL.parse(url) ?? {}
  const { no_proxy, NO_PROXY } = process.env
  const excluded = (no_proxy || NO_PROXY || '').split(/[\s,]+/).filter(Boolean)
  if (excluded.some((host) => host === '*' || `.${hostname}`.endsWith(host.replace(/^\*?\.?/, '.')))) return ''
  const names = [`${protocol.slice(0, -1)}_proxy`, 'all_proxy'].flatMap((name) => [name, name.toUpperCase()])
  const variable = names.find((name) => process.env[name])
  return variable ? `through the proxy of ${variable}` : ''
}

/** The largest answer of the service, a page of `PAGE_MAX` events with names of `TEXT_LENGTH_MAX` escaped characters, has less than half of it. */
const ANSWER_BYTES_MAX = 1024 * 1024

/** The answer came, but is not read. The message is a sentence. */
export class UnreadableAnswer extends Error {}

/**
 * As `fetch`, asking for an uncompressed answer (RFC 9110, 12.5.3). Rejects with UnreadableAnswer where it is compressed nevertheless; so
 * does reading a body of more than 1 MiB.
 */
export const plainFetch: Fetch = async (url, init) => {
  const headers = { ...(init.headers as Record<string, string>), 'Accept-Encoding': 'identity' }
  const response = await fetch(url, { ...init, headers, decompress: false } as BunFetchRequestInit)
  const encoding = response.headers.get('Content-Encoding') ?? 'identity'
  if (encoding !== 'identity') {
    await response.body?.cancel().catch(() => {})
    throw new UnreadableAnswer(`${new URL(url).origin} sends a compressed answer, which was not requested.`)
  }
  return new Response(response.body?.pipeThrough(bounded(new URL(url).origin)) ?? null, response)
}

function bounded(origin: string): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > ANSWER_BYTES_MAX) throw new UnreadableAnswer(`${origin} sends an answer of more than 1 MiB.`)
      controller.enqueue(chunk)
    },
  })
}
