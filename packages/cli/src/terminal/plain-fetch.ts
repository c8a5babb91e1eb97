// `fetch` for commands: bypasses proxies for services on this machine, does not decompress, and limits the size of
// answers, so that no server can fill the memory.

import type { Fetch } from '../../../client/src/retries.ts'
import { ownsProcess } from '../../../service/src/system/io.ts'

/** Bun's `localhost` includes `*.localhost`. */
const LOOPBACK = 'localhost,127.0.0.1,127.0.0.0/8,[::1]'

/**
 * Excludes more hosts from proxies (`HTTP_PROXY` and similar). For each request, Bun reads `no_proxy`, or `NO_PROXY`
 * if that is empty.
 */
export function useNoProxy(hosts = LOOPBACK): void {
  if (!ownsProcess()) return
  const { no_proxy, NO_PROXY } = process.env
  process.env.no_proxy = [no_proxy || NO_PROXY, hosts].filter(Boolean).join(',')
}

/** Returns `through the proxy of VARIABLE` if Bun uses a proxy for the address; otherwise an empty text. */
export function throughProxy(url: string): string {
  const { protocol = '', hostname = '' } = URL.parse(url) ?? {}
  const { no_proxy, NO_PROXY } = process.env
  const excluded = (no_proxy || NO_PROXY || '').split(/[\s,]+/).filter(Boolean)
  if (excluded.some((host) => host === '*' || `.${hostname}`.endsWith(host.replace(/^\*?\.?/, '.')))) return ''
  const names = [`${protocol.slice(0, -1)}_proxy`, 'all_proxy'].flatMap((name) => [name, name.toUpperCase()])
  const variable = names.find((name) => process.env[name])
  return variable ? `through the proxy of ${variable}` : ''
}

/**
 * The service's largest response has less than half of it: a page of `PAGE_MAX` events whose names have
 * `TEXT_LENGTH_MAX` escaped characters.
 */
const ANSWER_BYTES_MAX = 1024 * 1024

/** A response arrived but cannot be read. The message is a sentence. */
export class UnreadableAnswer extends Error {}

/**
 * As `fetch`, but requests an uncompressed response (RFC 9110, 12.5.3). Rejects with UnreadableAnswer if it is
 * compressed anyway. Reading a body of more than 1 MiB rejects in the same way.
 */
export const plainFetch: Fetch = async (url, init) => {
  const headers = { ...(init.headers as Record<string, string>), 'Accept-Encoding': 'identity' }
  const response = await fetch(url, { ...init, headers, decompress: false } as BunFetchRequestInit)
  const encoding = response.headers.get('Content-Encoding') ?? 'identity'
  if (encoding !== 'identity') {
    await response.body?.cancel().catch(() => {})
    throw new UnreadableAnswer(`${new URL(url).origin} sent a compressed answer, which was not requested.`)
  }
  return new Response(response.body?.pipeThrough(bounded(new URL(url).origin)) ?? null, response)
}

function bounded(origin: string): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > ANSWER_BYTES_MAX) throw new UnreadableAnswer(`${origin} sent an answer of more than 1 MiB.`)
      controller.enqueue(chunk)
    },
  })
}
