// Authenticates a request by its Authorization header (RFC 6750, 2.1) and authorizes it. API keys anywhere else are
// ignored.

import type { ContractOperation } from '../../../../contract/src/contract.ts'
import {
  type ApiKey,
  type Environment,
  foreignKey,
  hashKey,
  type KeyHash,
  keyEnvironment,
  keyState,
  refusedKey,
} from '../../domain/keys.ts'
import { LIMITS } from '../../domain/limits.ts'
import { PetstoreError } from '../../domain/petstore-error.ts'
import type { Store } from '../../domain/store.ts'
import { watchSize } from '../../system/runtime.ts'
import type { Context } from '../context.ts'

const PREFIX = 'Bearer '
/**
 * The scheme is case-insensitive (RFC 9110, 11.1), and any number of spaces can follow it (11.4). Bun joins two
 * header lines with a comma, and no API key contains one.
 */
const BEARER = /^bearer +(\S.*)$/i

/** Returns the key's text. Throws `missing_api_key` if the header has none. */
export function readToken(request: Request): string {
  const header = request.headers.get('Authorization')
  const token =
    header?.startsWith(PREFIX) && header[PREFIX.length] !== ' '
      ? header.slice(PREFIX.length)
      : BEARER.exec(header ?? '')?.[1]
  if (token) return token
  const found = misplaced(header, request)
  throw new PetstoreError('missing_api_key', `${found}Send an API key as "Authorization: Bearer <API_KEY>".`)
}

/** Returns a sentence, with a space, about text elsewhere in the request that looks like a key, if any. */
function misplaced(header: string | null, { headers, url }: Request): string {
  if (header) {
    if (keyEnvironment(header)) return 'The Authorization header has an API key without "Bearer" before it. '
    const [scheme = ''] = header.toLowerCase().split(' ')
    if (scheme === 'bearer') return 'The Authorization header has no API key after "Bearer". '
    if (scheme === 'basic') return 'The scheme Basic is not supported. '
    return 'The Authorization header is not a Bearer token. '
  }
  const other = ['X-API-Key', 'API-Key', 'X-Auth-Token'].find((name) => headers.has(name))
  if (other) return `The header ${other} is ignored. `
  const query = url.includes('?') ? new URLSearchParams(url.slice(url.indexOf('?'))) : undefined
  const inQuery = ['api_key', 'apikey', 'key', 'token', 'access_token'].some((name) => query?.has(name))
  return inQuery ? 'API keys in the query are ignored. ' : ''
}

export class Authentication {
  /** Keys found in the store at `version`, by hash. */
  private readonly verified = new Map<KeyHash, ApiKey>()
  /** Look-ups in progress at `version`, which requests with the same key share. */
  private readonly finding = new Map<KeyHash, Promise<ApiKey | undefined>>()
  private version: number | undefined

  constructor(
    private readonly store: Pick<Store, 'findKey'>,
    private readonly environment: Environment,
    private readonly cachedKeysMax = LIMITS.cachedKeysMax,
  ) {
    watchSize('look-ups of keys', () => this.finding.size)
  }

  /** Returns the result of `verify` if the store is not needed; otherwise `undefined`. */
  known(token: string, { version, now }: Context): ApiKey | undefined {
    if (version.keys !== this.version) return undefined
    const key = this.verified.get(hashKey(token))
    return key && keyState(key, now) === 'active' ? key : undefined
  }

  /** Throws `invalid_api_key`. The message explains the problem and never contains the key. */
  async verify(token: string, { version, now }: Context): Promise<ApiKey> {
    const issuedFor = keyEnvironment(token)
    if (issuedFor !== this.environment) throw foreignKey(issuedFor, this.environment)
    const hash = hashKey(token)
    if (version.keys !== this.version) {
      this.verified.clear()
      this.finding.clear()
      this.version = version.keys
    }
    // If other processes can change keys, do not share an earlier look-up: the key may have been created since.
    const key = await (version.data === undefined ? this.store.findKey(hash) : this.find(hash))
    if (!key) throw refusedKey('unknown')
    const state = keyState(key, now)
    if (state !== 'active') throw refusedKey(state)
    if (version.keys === this.version) {
      if (this.verified.size >= this.cachedKeysMax) this.verified.clear()
      this.verified.set(hash, key)
    }
    return key
  }

  private async find(hash: KeyHash): Promise<ApiKey | undefined> {
    const finding = this.finding.get(hash) ?? this.store.findKey(hash)
    this.finding.set(hash, finding)
    try {
      return await finding
    } finally {
      this.finding.delete(hash)
    }
  }
}

/** Read-only keys can use safe methods (RFC 9110, 9.2.1). */
export function authorize({ method }: Pick<ContractOperation, 'method'>, caller: ApiKey): void {
  if (!caller.readOnly || method === 'GET') return
  throw new PetstoreError('read_only_key', 'This API key is read-only. Use one that was created without --read-only.')
}
