// Caches responses of lists and of the inventory, with all headers, until the next commit to the store. Concurrent
// requests for the same response share one read: after a commit, many clients may request a list before it is cached
// again.
//
// A response is never stale. Either it was read after all requests that share it had arrived, or it is sent only to
// requests for which the store, after their arrival, still returned the version from before the read. Between equal
// versions no process committed anything. If the store has no version, nothing is cached. Callers share responses only
// if the operation allows it.

import { LIMITS } from '../../domain/limits.ts'
import type { Context } from '../context.ts'
import { SharedReads } from '../shared-reads.ts'
import { type Answer, prepare } from './response.ts'

/** The approximate size of an entry without its text. */
const ENTRY_OVERHEAD = 1024
/** A power of two. */
const SEEN_SLOTS = 4096
const URL_MAX = 512

export class AnswerCache {
  private readonly answers = new Map<string, Answer>()
  private readonly reading = new SharedReads<Answer>()
  /** Hashes of recently requested URLs. A collision only changes when a response is cached. */
  private readonly seen = new Uint32Array(SEEN_SLOTS)
  private characters = 0
  /** Every cached response was read after the store had this version. */
  private version = -1
  /** The newest version that a request has seen. A response that is read now includes its commits. */
  private newest = 0

  /** The limit counts the characters of URLs and bodies. */
  constructor(private readonly charactersMax = LIMITS.cachedCharactersMax) {}

  get({ request, version: { data: version } }: Context): Answer | undefined {
    return version === this.version ? this.answers.get(request.url) : undefined
  }

  /**
   * Resolves with the response of `read`, possibly shared with other requests for the same list. Most pages of a long
   * list are requested once, so sharing and caching start with the second request for a URL.
   */
  read(context: Context, read: () => Promise<Answer>): Promise<Answer> {
    const { request, version } = context
    const { url } = request
    if (url.length > URL_MAX || this.isNew(url)) return read()
    // Read after this request arrived, so `newest` is at least as new for every request that shares the read below.
    if (version.data !== undefined && version.data > this.newest) this.newest = version.data
    return this.reading.get(url, async () => {
      const { newest } = this
      // Another read may have cached it since.
      const cached = newest === this.version ? this.answers.get(url) : undefined
      const answer = cached ?? prepare(await read(), context)
      if (!cached && version.data !== undefined) this.cache(url, answer, newest)
      return answer
    })
  }

  /** `answer` was read after `version`. */
  private cache(url: string, answer: Answer, version: number): void {
    if (version !== this.version || this.characters > this.charactersMax) {
      if (version < this.version) return
      this.answers.clear()
      this.characters = 0
      this.version = version
    }
    this.answers.set(url, answer)
    this.characters += ENTRY_OVERHEAD + url.length + (typeof answer.body === 'string' ? answer.body.length : 0)
  }

  /** Returns whether the URL was not requested recently. */
  private isNew(url: string): boolean {
    const hash = Bun.hash.xxHash32(url)
    const slot = hash % SEEN_SLOTS
    if (this.seen[slot] === hash) return false
    this.seen[slot] = hash
    return true
  }
}
