// Lists that were answered lately, kept with all their headers and given again while nothing was committed.
//
// A kept list is what a query would give: it was read after the store had told its version, and is given only to a request
// that arrived before the store told the same version again. In between nothing was committed, by whomever. Callers share a
// list only where the operation says so.

import type { Context } from '../context.ts'
import type { Answer } from './answer.ts'
import { prepare } from './response.ts'

/** In characters of kept bodies: as much memory as this may take. */
const CACHED_CHARACTERS_MAX = 8 * 1024 * 1024
/** About what an entry takes beside its text. */
const ENTRY_OVERHEAD = 1024
/** A power of two. */
const SEEN_SLOTS = 4096
const URL_MAX = 512

export class ListCache {
  private readonly answers = new Map<string, Answer>()
  /** Hashes of addresses that were asked for lately; two that collide only keep an answer early. */
  private readonly seen = new Uint32Array(SEEN_SLOTS)
  private characters = 0
  private version: number | undefined

  get({ request, version }: Context): Answer | undefined {
    return version !== undefined && version === this.version ? this.answers.get(request.url) : undefined
  }

  /** Keeps the answer, which was read after the context's version was told. */
  set(answer: Answer, context: Context): void {
    const { version } = context
    const { url } = context.request
    // A target without a usable Host is given as it is, and the Host of the next one may be refused.
    if (version === undefined || url.startsWith('/') || url.length > URL_MAX) return
    if (version !== this.version || this.characters > CACHED_CHARACTERS_MAX) {
      if (this.version !== undefined && version < this.version) return
      this.answers.clear()
      this.characters = 0
      this.version = version
    }
    // Most pages of a long list are asked for once: the first time only their address is kept.
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
