// Authorization header → API key (RFC 6750, 2.1). A key anywhere else is not read.

import { PetstoreError } from '../../domain/errors.ts'
import { type ApiKey, type Environment, hashKey, type KeyHash, keyEnvironment, keyState } from '../../domain/keys.ts'
import type { Store } from '../../domain/store.ts'
import type { Context } from '../context.ts'

const PREFIX = 'Bearer '
/** The scheme is case-insensitive (RFC 9110, 11.1). Two header lines arrive joined by a comma, and match nothing. */
const BEARER = /^bearer +(\S.*)$/i

/** The key's text. Throws `missing_api_key` where the header holds none. */
export function readToken(header: string | null): string {
  const token = header?.startsWith(PREFIX) ? header.slice(PREFIX.length) : BEARER.exec(header ?? '')?.[1]
  if (token) return token
  throw new PetstoreError('missing_api_key', 'Send an API key as "Authorization: Bearer <API_KEY>".')
}

const CACHED_KEYS_MAX = 10_000

export class Authentication {
  /** Keys that were found in the store, by the hash of their text, while it has the version it had then. */
  private readonly verified = new Map<KeyHash, ApiKey>()
  /** Look-ups under way: requests that arrive together with one key share one. */
  private readonly finding = new Map<KeyHash, Promise<ApiKey | undefined>>()
  private version: number | undefined

  constructor(
    private readonly store: Pick<Store, 'findKey'>,
    private readonly environment: Environment,
  ) {}

  /** The key, where it is known without asking the store: what `verify` would give. Else `undefined`. */
  known(token: string, { version, now }: Context): ApiKey | undefined {
    if (version === undefined || version !== this.version) return undefined
    const key = this.verified.get(hashKey(token))
    return key && keyState(key, now) === 'active' ? key : undefined
  }

  /** Throws `invalid_api_key`; the message says what is wrong with the key, never the key. */
  async verify(token: string, { version, now }: Context): Promise<ApiKey> {
    const issuedFor = keyEnvironment(token)
    if (issuedFor === undefined) throw invalid('This is not an API key of this service, or it is mistyped.')
    if (issuedFor !== this.environment) throw invalid(`This API key is for ${issuedFor}, not for ${this.environment}.`)
    const hash = hashKey(token)
    const key = await this.find(hash, version)
    if (!key) throw invalid('This API key does not exist.')
    const state = keyState(key, now)
    if (state !== 'active') throw invalid(`This API key is ${state}.`)
    this.cache(hash, key, version)
    return key
  }

  private async find(hash: KeyHash, version: number | undefined): Promise<ApiKey | undefined> {
    if (version === undefined) return this.store.findKey(hash)
    if (version !== this.version) this.begin(version)
    const finding = this.finding.get(hash) ?? this.store.findKey(hash)
    this.finding.set(hash, finding)
    try {
      return await finding
    } finally {
      this.finding.delete(hash)
    }
  }

  private begin(version: number): void {
    this.verified.clear()
    this.finding.clear()
    this.version = version
  }

  private cache(hash: KeyHash, key: ApiKey, version: number | undefined): void {
    if (version === undefined || version !== this.version) return
    if (this.verified.size >= CACHED_KEYS_MAX) this.verified.clear()
    this.verified.set(hash, key)
  }
}

function invalid(message: string): PetstoreError {
  return new PetstoreError('invalid_api_key', message)
}
