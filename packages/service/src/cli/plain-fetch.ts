// How a command reads answers: nothing is inflated and no more than a bound is read, so that no answer, of whatever server, fills the memory.

import type { Fetch } from '../../../client/src/retries.ts'

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
