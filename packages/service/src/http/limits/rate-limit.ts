// The rate limit: a token bucket per API key, and the response headers with the remaining requests and the time until
// the next one (draft-ietf-httpapi-ratelimit-headers-10). The buckets are in memory, so each process limits on its
// own.

import type { KeyId } from '../../domain/keys.ts'
import type { Rate } from '../../domain/limits.ts'
import { PetstoreError } from '../../domain/petstore-error.ts'
import type { Context } from '../context.ts'

interface Bucket {
  tokens: number
  /** Milliseconds since 1970. */
  filledAt: number
}

export class RateLimit {
  private readonly buckets = new Map<KeyId, Bucket>()
  /** The buckets of requests in progress. */
  private readonly counted = new WeakMap<Context, Bucket>()
  private readonly tokensPerMs: number

  constructor(private readonly rate: Rate) {
    this.tokensPerMs = rate.requests / (rate.periodSeconds * 1000)
  }

  /** Throws `rate_limited` if the key's bucket is empty. */
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

  /** Adds the rate limit headers to the response of a counted request. */
  addHeaders({ status, headers }: Response, context: Context): void {
    const bucket = this.counted.get(context)
    if (!bucket) return
    const { requests, periodSeconds } = this.rate
    const left = Math.floor(bucket.tokens)
    const nextInSeconds = Math.ceil((left + 1 - bucket.tokens) / this.tokensPerMs / 1000)
    headers.set('RateLimit-Policy', `"key";q=${requests};w=${periodSeconds}`)
    headers.set('RateLimit', `"key";r=${left};t=${nextInSeconds}`)
    if (status === 429) headers.set('Retry-After', String(nextInSeconds))
  }

  private filled({ caller, now }: Context): Bucket {
    const full = () => ({ tokens: this.rate.requests, filledAt: now })
    const bucket = this.buckets.getOrInsertComputed(caller?.id ?? 0n, full)
    // If the clock was set back, add nothing.
    const added = Math.max(0, now - bucket.filledAt) * this.tokensPerMs
    bucket.tokens = Math.min(this.rate.requests, bucket.tokens + added)
    bucket.filledAt = now
    return bucket
  }
}
