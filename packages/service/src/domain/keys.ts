// API keys: their format, and the promises of every store about them. A store keeps and compares only SHA-256 hashes,
// so the duration of a look-up does not reveal how close a guess was.

import { randomBytes } from '../system/runtime.ts'
import { PetstoreError } from './petstore-error.ts'

/** In code points. */
const NAME_LENGTH_MAX = 100
const NAME = new RegExp(`^[^\\p{C}]{1,${NAME_LENGTH_MAX}}$`, 'u')

export type KeyId = bigint
export type Environment = 'production' | 'staging'

/** Times are milliseconds since 1970. */
export interface ApiKey {
  readonly id: KeyId
  readonly name: string
  readonly readOnly: boolean
  readonly createdAt: number
  /** The key is rejected from this time: it has expired, or the overlap of a rotation has ended. */
  readonly expiresAt: number | undefined
  readonly revokedAt: number | undefined
  /**
   * As `endingOf`. For a key stored by an older version, only the last four characters, or unknown, until its next
   * use.
   */
  readonly ending: string | undefined
  /** Up to a minute late. */
  readonly lastUsedAt: number | undefined
}

export interface NewKey {
  name: string
  hash: KeyHash
  readOnly: boolean
  expiresAt: number | undefined
  ending?: string | undefined
  /**
   * The newest key that the caller has seen. Rejects with a StartError if a key with the same name was created since.
   */
  newestKnown?: KeyId | undefined
}

interface KeyUse {
  readonly keyId: KeyId
  readonly ending: string
  readonly at: number
}

export interface KeyStore {
  createKey(key: NewKey): Promise<ApiKey>

  /**
   * Creates the key if the store has none, even if several servers try at the same time; otherwise resolves with
   * `undefined`.
   */
  createFirstKey(key: NewKey): Promise<ApiKey | undefined>

  /** Also finds revoked and expired keys. The result is at most one second old. */
  findKey(hash: KeyHash): Promise<ApiKey | undefined>

  /** Lists all keys, oldest first. */
  listKeys(): Promise<ApiKey[]>

  /** Keeps the time of an earlier revocation. */
  revokeKey(id: KeyId): Promise<void>

  /** Makes the key expire at `endsAt`, unless it expires earlier. */
  endKey(id: KeyId, endsAt: number): Promise<void>

  /** Saves each key's ending and last use. */
  saveKeyUses(uses: readonly KeyUse[]): Promise<void>

  /** Adds to the counts of deprecated calls. */
  countDeprecatedCalls(calls: readonly DeprecatedCalls[]): Promise<void>

  /** Lists the counts by key and operation, most recent first. */
  listDeprecatedCalls(): Promise<DeprecatedCalls[]>
}

export interface DeprecatedCalls {
  readonly keyId: KeyId
  readonly operationId: string
  readonly calls: number
  readonly lastAt: number
}

/** SHA-256 of a key's text, in hex. */
export type KeyHash = string & { readonly brand: 'KeyHash' }

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_LENGTH = 22 // 131 bits
const CHECK_LENGTH = 6 // base62 of a CRC-32
const FORM = new RegExp(`^pets_(live|test)_[0-9A-Za-z]{${SECRET_LENGTH + CHECK_LENGTH}}$`)

/** Generates a key from the system's random source. */
export function generateKey(environment: Environment): string {
  const body = `pets_${environment === 'production' ? 'live' : 'test'}_${randomBase62(SECRET_LENGTH)}`
  return body + checkCharacters(body)
}

/**
 * Returns the trimmed name. Throws Error ("must have …") if it is invalid. A name of only digits would be mistaken
 * for an id.
 */
export function keyName(text: string): string {
  const name = text.trim()
  if (NAME.test(name) && !/^[0-9]+$/.test(name)) return name
  throw new Error(`must have 1 to ${NAME_LENGTH_MAX} printable characters, and not only digits`)
}

/**
 * Returns the environment of a well-formed key, or `undefined` if the text is mistyped or not a key of this service.
 */
export function keyEnvironment(token: string): Environment | undefined {
  const kind = FORM.exec(token)?.[1]
  if (kind === undefined || checkCharacters(token.slice(0, -CHECK_LENGTH)) !== token.slice(-CHECK_LENGTH))
    return undefined
  return kind === 'live' ? 'production' : 'staging'
}

/** Returns the parts of a key's text that a store keeps. */
export function keptOfKey(token: string): Required<Pick<NewKey, 'hash' | 'ending'>> {
  return { hash: hashKey(token), ending: endingOf(token) }
}

/** Returns `live` or `test` and the last four characters: `live_YOlY`. */
export function endingOf(token: string): string {
  return `${token.split('_')[1]}_${token.slice(-4)}`
}

export function hashKey(token: string): KeyHash {
  return Bun.SHA256.hash(token, 'hex') as KeyHash
}

type KeyState = 'active' | 'expired' | 'revoked'
/** Why the store rejects a key. `unknown`: there is no such key. */
export type RefusedKey = Exclude<KeyState, 'active'> | 'unknown'

/** packages/page/test/sign-in.process.test.ts tests how the page shows these messages. */
export function refusedKey(state: RefusedKey): PetstoreError {
  const is = state === 'unknown' ? 'does not exist' : `is ${state}`
  return new PetstoreError('invalid_api_key', `This API key ${is}.`)
}

/** The error for a malformed key, or a key of another environment. It needs no look-up in the store. */
export function foreignKey(issuedFor: Environment | undefined, here: Environment): PetstoreError {
  const mistyped = 'This is not an API key of this service, or it is mistyped.'
  const message = issuedFor === undefined ? mistyped : `This API key is for ${issuedFor}, not for ${here}.`
  return new PetstoreError('invalid_api_key', message)
}

export function keyState(key: ApiKey, now: number): KeyState {
  if (key.revokedAt !== undefined) return 'revoked'
  return key.expiresAt !== undefined && key.expiresAt <= now ? 'expired' : 'active'
}

function checkCharacters(text: string): string {
  let rest = Bun.hash.crc32(text)
  let characters = ''
  for (let i = 0; i < CHECK_LENGTH; i++) {
    characters = BASE62.charAt(rest % 62) + characters
    rest = Math.floor(rest / 62)
  }
  return characters
}

/** Discards bytes from 248 on, the last multiple of 62, so that every character is equally likely. */
function randomBase62(length: number): string {
  let characters = ''
  while (characters.length < length) {
    for (const byte of randomBytes(length * 2)) {
      if (byte < 248 && characters.length < length) characters += BASE62.charAt(byte % 62)
    }
  }
  return characters
}
