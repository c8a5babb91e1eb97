// Authorization header → API key (RFC 6750, 2.1). A key anywhere else is not read.

import { PetstoreError } from '../../domain/errors.ts'
import { type ApiKey, type Environment, hashKey, type KeyHash, keyEnvironment, keyState } from '../../domain/keys.ts'
import type { Store } from '../../domain/store.ts'

export interface Circumstances {
  environment: Environment
  /** Milliseconds since 1970. */
  now: () => number
}

const PREFIX = 'Bearer '
/** The scheme is case-insensitive (RFC 9110, 11.1). Two header lines arrive joined by a comma, and match nothing. */
const BEARER = /^bearer +(\S.*)$/i

const KEPT_MAX = 10_000

export class Authentication {
  /** Keys that were verified, by the hash of their text, as long as the store is as it was then. */
  private readonly verified = new Map<KeyHash, ApiKey>()
  private stamp = Number.NaN

  constructor(
    private readonly store: Pick<Store, 'findKey' | 'freshness'>,
    private readonly circumstances: Circumstances,
  ) {}

  /** The key, where that is known without asking the store: what `verify` would give. Else `undefined`. */
  known(header: string | null): ApiKey | undefined {
    const stamp = this.store.freshness()
    if (stamp !== this.stamp) {
      this.verified.clear()
      this.stamp = stamp ?? Number.NaN
    }
    // Who writes the scheme in another way that is allowed is verified anew.
    if (this.verified.size === 0 || !header?.startsWith(PREFIX)) return undefined
    const key = this.verified.get(hashKey(header.slice(PREFIX.length)))
    return key && keyState(key, this.circumstances.now()) === 'active' ? key : undefined
  }

  /**
   * For a request that took its time to arrive: throws as `verify` does if `key` has ended by now. `stamp` is the store's freshness
   * from before it was verified; where nothing was committed since, nobody is asked.
   */
  async verifyAgain(header: string | null, key: ApiKey, stamp: number | undefined): Promise<void> {
    const unchanged = stamp !== undefined && stamp === this.store.freshness()
    if (unchanged && keyState(key, this.circumstances.now()) === 'active') return
    if (!this.known(header)) await this.verify(header)
  }

  /** Throws `missing_api_key` or `invalid_api_key`; the message says what is wrong with the key, never the key. */
  async verify(header: string | null): Promise<ApiKey> {
    const token = header === null ? undefined : BEARER.exec(header)?.[1]
    if (token === undefined) {
      throw new PetstoreError('missing_api_key', 'Send an API key as "Authorization: Bearer <API_KEY>".')
    }
    const { environment, now } = this.circumstances
    const madeFor = keyEnvironment(token)
    if (madeFor === undefined) throw invalid('This is not an API key of this service, or it is mistyped.')
    if (madeFor !== environment) throw invalid(`This API key is for ${madeFor}; this is ${environment}.`)
    const stamp = this.store.freshness()
    const hash = hashKey(token)
    const key = await this.store.findKey(hash)
    if (!key) throw invalid('This API key is not known here.')
    const state = keyState(key, now())
    if (state !== 'active') throw invalid(`This API key is ${state}.`)
    if (stamp === this.stamp && this.verified.size < KEPT_MAX) this.verified.set(hash, key)
    return key
  }
}

function invalid(message: string): PetstoreError {
  return new PetstoreError('invalid_api_key', message)
}
