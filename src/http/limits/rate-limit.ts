// How many requests each API key may send: a token bucket for each, refilled all the time, and the fields that tell a
// client how much is left (draft-ietf-httpapi-ratelimit-headers-10). Kept in memory, so it counts for this server alone.

import { PetstoreError } from '../../domain/errors.ts'
import type { KeyId } from '../../domain/keys.ts'
import type { Context } from '../context.ts'

/** So many at once, and so many again in every period. */
export interface Rate {
  requests: number
  periodSeconds: number
}

interface Bucket {
  tokens: number
  /** Milliseconds since 1970. */
  filledAt: number
}

export class RateLimit {
  private readonly buckets = new Map<KeyId, Bucket>()
  /** The bucket that each request was counted in, while it is being answered. */
  private readonly counted = new WeakMap<Context, Bucket>()
  private readonly tokensPerMs: number

  constructor(private readonly rate: Rate) {
    this.tokensPerMs = rate.requests / (rate.periodSeconds * 1000)
  }

  /** Throws `rate_limited` when the key has sent too much. */
  take(context: Context): void {
    const bucket = this.filled(context)
    this.counted.set(context, bucket)
    if (bucket.tokens < 1) {
      const { requests, periodSeconds } = this.rate
      const allowed = `${requests} requests ${periodSeconds === 1 ? 'per second' : `every ${periodSeconds} seconds`}`
      throw new PetstoreError('rate_limited', `This API key may send ${allowed}. Retry-After says when to try again.`)
    }
    bucket.tokens--
  }

  /** Adds the fields to the answer of a request that was counted. */
  addFields({ status, headers }: Response, context: Context): void {
    const bucket = this.counted.get(context)
    if (!bucket) return
    const { requests, periodSeconds } = this.rate
    const fullInSeconds = Math.ceil((requests - bucket.tokens) / this.tokensPerMs / 1000)
    headers.set('RateLimit-Policy', `"key";q=${requests};w=${periodSeconds}`)
    headers.set('RateLimit', `"key";r=${Math.floor(bucket.tokens)};t=${fullInSeconds}`)
    if (status === 429) headers.set('Retry-After', String(Math.ceil((1 - bucket.tokens) / this.tokensPerMs / 1000)))
  }

  private filled({ caller, now }: Context): Bucket {
    const by = caller?.id ?? 0n
    const bucket = this.buckets.get(by)
    if (!bucket) {
      const full = { tokens: this.rate.requests, filledAt: now }
      this.buckets.set(by, full)
      return full
    }
    // A clock that was set back fills nothing.
    const added = Math.max(0, now - bucket.filledAt) * this.tokensPerMs
    bucket.tokens = Math.min(this.rate.requests, bucket.tokens + added)
    bucket.filledAt = now
    return bucket
  }
}
