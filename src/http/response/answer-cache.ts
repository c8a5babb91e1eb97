// Caches the answers of lists and of the inventory, with all their headers, until the next commit to the store. Requests for one of them
// that arrive together share one answer: after a commit, many clients may ask for the same list before it is cached again.
//
// A shared answer is never stale: it was read after the store gave its version, and it is sent only to requests for which the store,
// after their arrival, gave the same version again. Between two equal versions nothing was committed, by this process or another.
// Callers share an answer only where the operation allows it.

import type { Context } from '../context.ts'
import { type Answer, prepare } from './response.ts'

/** The cache's size, in characters of URLs and bodies. */
const CACHED_CHARACTERS_MAX = 8 * 1024 * 1024
/** The approximate size of an entry without its text. */
const ENTRY_OVERHEAD = 1024
/** A power of two. */
const SEEN_SLOTS = 4096
const URL_MAX = 512

export class AnswerCache {
  private readonly answers = new Map<string, Answer>()
  /** Hashes of recently requested URLs. A collision only changes when an answer is cached. */
  private readonly seen = new Uint32Array(SEEN_SLOTS)
  /** What is being read, by URL, with the version that the store gave before. */
  private readonly reading = new Map<string, { version: number; answer: Promise<Answer> }>()
  private characters = 0
  private version: number | undefined

  get({ request, version: { data: version } }: Context): Answer | undefined {
    return version !== undefined && version === this.version ? this.answers.get(request.url) : undefined
  }

  /**
   * The answer that `read` gives, or that it gives to another request for the same list at the same version. Most pages of a long list are
   * requested once, so a list is shared and cached from the second request for its URL on. `version` is the context's.
   */
  read(version: number, context: Context, read: () => Promise<Answer>): Promise<Answer> {
    const { url } = context.request
    if (url.length > URL_MAX || this.isNew(url)) return read()
    const reading = this.reading.get(url)
    if (reading?.version === version) return reading.answer
    const answer = this.readAndCache(version, context, read)
    this.reading.set(url, { version, answer })
    return answer
  }

  private async readAndCache(version: number, context: Context, read: () => Promise<Answer>): Promise<Answer> {
    const { url } = context.request
    try {
      const answer = prepare(await read(), context)
      this.cache(url, answer, version)
      return answer
    } finally {
      if (this.reading.get(url)?.version === version) this.reading.delete(url)
    }
  }

  /** `answer` was read after the version. */
  private cache(url: string, answer: Answer, version: number): void {
    if (version !== this.version || this.characters > CACHED_CHARACTERS_MAX) {
      if (this.version !== undefined && version < this.version) return
      this.answers.clear()
      this.characters = 0
      this.version = version
    }
    this.answers.set(url, answer)
    this.characters += ENTRY_OVERHEAD + url.length + (typeof answer.body === 'string' ? answer.body.length : 0)
  }

  /** Whether the URL was not requested recently. */
  private isNew(url: string): boolean {
    const hash = Bun.hash.xxHash32(url)
    const slot = hash % SEEN_SLOTS
    if (this.seen[slot] === hash) return false
    this.seen[slot] = hash
    return true
  }
}
