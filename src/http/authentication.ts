// Authorization header → API key (RFC 6750, 2.1). A key anywhere else is not read.

import { PetstoreError } from '../errors.ts'
import { type ApiKey, type Environment, hashKey, type KeyStore, keyEnvironment, keyState } from '../keys.ts'

export interface Circumstances {
  environment: Environment
  /** Milliseconds since 1970. */
  now: () => number
}

/** The scheme is case-insensitive (RFC 9110, 11.1). Two header lines arrive joined by a comma, and match nothing. */
const BEARER = /^bearer +(\S.*)$/i

/** Throws `missing_api_key` or `invalid_api_key`; the message says what is wrong with the key, never the key. */
export async function authenticate(
  header: string | null,
  keys: KeyStore,
  { environment, now }: Circumstances,
): Promise<ApiKey> {
  const token = header === null ? undefined : BEARER.exec(header)?.[1]
  if (token === undefined) {
    throw new PetstoreError('missing_api_key', 'Send an API key as "Authorization: Bearer <API_KEY>".')
  }
  const madeFor = keyEnvironment(token)
  if (madeFor === undefined) throw invalid('This is not an API key of this service, or it is mistyped.')
  if (madeFor !== environment) throw invalid(`This API key is for ${madeFor}; this is ${environment}.`)
  const key = await keys.findKey(hashKey(token))
  if (!key) throw invalid('This API key is not known here.')
  const state = keyState(key, now())
  if (state !== 'active') throw invalid(`This API key is ${state}.`)
  return key
}

function invalid(message: string): PetstoreError {
  return new PetstoreError('invalid_api_key', message)
}
