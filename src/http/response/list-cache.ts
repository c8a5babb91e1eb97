// Caches answers of lists, with all their headers, until the next commit to the store.
//
// A cached list is never stale: it was read after the store gave its version, and it is sent only to requests for which the store,
// after their arrival, gave the same version again. Between two equal versions nothing was committed, by this process or another.
// Callers share a list only where the operation allows it.

import type { Context } from '../route.ts'
import { type Answer, prepare } from './response.ts'

/** The cache's size, in characters of URLs and bodies. */
const CACHED_CHARACTERS_MAX = 8 * 1024 * 1024
/** The approximate size of an entry without its text. */
const ENTRY_OVERHEAD = 1024
/** A power of two. */
const SEEN_SLOTS = 4096
const URL_MAX = 512

export class ListCache {
  private readonly answers = new Map<string, Answer>()
  /** Hashes of recently requested URLs. A collision only changes when an answer is cached. */
  private readonly seen = new Uint32Array(SEEN_SLOTS)
  private characters = 0
  private version: number | undefined

  get({ request, version: { data: version } }: Context): Answer | undefined {
    return version !== undefined && version === this.version ? this.answers.get(request.url) : undefined
  }

  /** Caches the answer, which was read after the context's version. */
  set(answer: Answer, context: Context): void {
    const version = context.version.data
    const { url } = context.request
    // With an invalid Host, the URL is only the request's target, and the same target with another Host may have to be refused.
    if (version === undefined || url.startsWith('/') || url.length > URL_MAX) return
    if (version !== this.version || this.characters > CACHED_CHARACTERS_MAX) {
      if (this.version !== undefined && version < this.version) return
      this.answers.clear()
      this.characters = 0
      this.version = version
    }
    // Most pages of a long list are requested once, so an answer is cached at the second request for its URL.
    const hash = Bun.hash.xxHash32(url)
    const slot = hash % SEEN_SLOTS
    if (this.seen[slot] !== hash) {
      this.seen[slot] = hash
      return
    }
    this.answers.set(url, prepare(answer, context))
    this.characters += ENTRY_OVERHEAD + url.length + (answer.body?.length ?? 0)
  }
}
