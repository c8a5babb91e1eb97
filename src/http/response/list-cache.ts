// The fast path: a list that was answered before is answered again without asking the store, its bytes as they are.
//
// Why that is the answer a query would give: the store's freshness stamp changes with every commit, of any process. An
// answer is kept only if the stamp was the same before its query began and after it ended, and given only while it still is;
// it is asked for at each request, after the request has arrived. What else decides an answer is the caller, who is
// authenticated here as everywhere, under the same stamp, and against the clock. Only operations are kept whose answers are
// marked as the same for every caller (http/operations.ts), and of these none that is counted or removed by the clock.

import type { ContractOperation } from '../../contract/contract.ts'
import type { Store } from '../../domain/store.ts'
import { handlers } from '../operations.ts'
import type { Authentication } from '../request/authentication.ts'
import { type Answer, readied, respond } from './response.ts'

/** In characters of kept bodies: as much memory as this may take. */
const KEPT_MAX = 8 * 1024 * 1024
/** About what an entry takes beside its text. */
const ENTRY = 1024
/** A power of two. */
const SEEN = 4096
const URL_MAX = 512

export class Replay {
  private readonly answers = new Map<string, Answer>()
  /** Hashes of addresses that were asked for lately, whatever the stamp; two that meet only keep an answer early. */
  private readonly seen = new Uint32Array(SEEN)
  private kept = 0
  private stamp = Number.NaN

  constructor(
    private readonly store: Pick<Store, 'freshness'>,
    private readonly authentication: Authentication,
  ) {}

  /** `undefined`: the request has to go the whole way. */
  respond(request: Request): Response | undefined {
    if (this.stamp !== this.store.freshness() || request.method !== 'GET') return undefined
    const answer = this.answers.get(request.url)
    if (!answer || !this.authentication.known(request.headers.get('Authorization'))) return undefined
    return respond(request, answer)
  }

  /** To be called before the store is asked; what it gives goes to `keep`. */
  begin(): number | undefined {
    return this.store.freshness()
  }

  keep({ id, deprecation }: ContractOperation, url: string, answer: Answer, begun: number | undefined): void {
    if (!handlers[id].shared || deprecation) return
    // A target without a usable Host is given as it is: its next Host may be refused.
    if (url.startsWith('/') || url.length > URL_MAX) return
    if (begun === undefined || begun !== this.store.freshness()) return
    if (begun !== this.stamp || this.kept > KEPT_MAX) {
      this.answers.clear()
      this.kept = 0
      this.stamp = begun
    }
    // Most pages of a long list are asked for once: the first time only their address is kept.
    const hash = Bun.hash.xxHash32(url)
    const place = hash % SEEN
    if (this.seen[place] === hash) {
      this.answers.set(url, readied(answer))
      this.kept += ENTRY + url.length + answer.json.length
    } else {
      this.seen[place] = hash
    }
  }
}
