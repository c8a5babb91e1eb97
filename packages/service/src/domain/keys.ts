// API keys: their format, and what a store of them promises. Only a key's SHA-256 is stored and compared, so the time of a look-up does
// not reveal how close a guess was.

import { randomBytes } from '../system/runtime.ts'
import { PetstoreError } from './petstore-error.ts'

/** Code points. */
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
  /** From this time on, the key is refused: it has expired, or the overlap of a rotation has ended. */
  readonly expiresAt: number | undefined
  readonly revokedAt: number | undefined
  /** As `endingOf`. Of a key that an older version has kept: the last four characters alone, or unknown, until it is used. */
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
  /** The newest key that the caller knows of. Rejects with a StartError when one with the same name was created after it. */
  newestKnown?: KeyId | undefined
}

export interface KeyUse {
  readonly keyId: KeyId
  readonly ending: string
  readonly at: number
}

export interface KeyStore {
  createKey(key: NewKey): Promise<ApiKey>

  /** Creates the key if the store has none, even when several servers try at once; otherwise `undefined`. */
  createFirstKey(key: NewKey): Promise<ApiKey | undefined>

  /** Returns revoked and expired keys, too. The result is at most one second old. */
  findKey(hash: KeyHash): Promise<ApiKey | undefined>

  /** Every key, oldest first. */
  listKeys(): Promise<ApiKey[]>

  /** Does not change the time of an earlier revocation. */
  revokeKey(id: KeyId): Promise<void>

  /** Lets the key expire at `endsAt`, unless it expires earlier. */
  endKey(id: KeyId, endsAt: number): Promise<void>

  /** Keeps each key's ending, and the latest of its uses. */
  saveKeyUses(uses: readonly KeyUse[]): Promise<void>

  /** Adds to the tally of deprecated calls. */
  countDeprecatedCalls(calls: readonly DeprecatedCalls[]): Promise<void>

  /** Per key and operation, most recent first. */
  listDeprecatedCalls(): Promise<DeprecatedCalls[]>
}

export interface DeprecatedCalls {
  readonly keyId: KeyId
  readonly operationId: string
  readonly calls: number
  readonly lastAt: number
}

/** SHA-256 of a key's text, in hexadecimal. */
export type KeyHash = string & { readonly brand: 'KeyHash' }

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_LENGTH = 22 // 131 bits
const CHECK_LENGTH = 6 // base62 of a CRC-32
const FORM = new RegExp(`^pets_(live|test)_[0-9A-Za-z]{${SECRET_LENGTH + CHECK_LENGTH}}$`)

/** A new key's text, from the system's random source. */
export function generateKey(environment: Environment): string {
  const body = `pets_${environment === 'production' ? 'live' : 'test'}_${randomBase62(SECRET_LENGTH)}`
  return body + checkCharacters(body)
}

/** Throws an Error that says what a name must have. One of digits only would be taken for an id. */
export function keyName(text: string): string {
  const name = text.trim()
  if (NAME.test(name) && !/^[0-9]+$/.test(name)) return name
  throw new Error(`must have 1 to ${NAME_LENGTH_MAX} printable characters, and not only digits`)
}

/** The environment of a well-formed key; `undefined` when the text is mistyped or not a key of this service. */
export function keyEnvironment(token: string): Environment | undefined {
  const kind = FORM.exec(token)?.[1]
  if (kind === undefined || checkCharacters(token.slice(0, -CHECK_LENGTH)) !== token.slice(-CHECK_LENGTH))
    return undefined
  return kind === 'live' ? 'production' : 'staging'
}

/** What a store keeps of a key's text. */
export function keptOfKey(token: string): Required<Pick<NewKey, 'hash' | 'ending'>> {
  return { hash: hashKey(token), ending: endingOf(token) }
}

/** `live` or `test`, and the last four characters: `live_YOlY`. */
export function endingOf(token: string): string {
  return `${token.split('_')[1]}_${token.slice(-4)}`
}

export function hashKey(token: string): KeyHash {
  return Bun.SHA256.hash(token, 'hex') as KeyHash
}

type KeyState = 'active' | 'expired' | 'revoked'
/** Why the store refuses a key. `unknown`: it has none like it. */
export type RefusedKey = Exclude<KeyState, 'active'> | 'unknown'

/** What the page makes of its texts is in packages/page/test/sign-in.process.test.ts. */
export function refusedKey(state: RefusedKey): PetstoreError {
  return invalidKey(`This API key ${state === 'unknown' ? 'does not exist' : `is ${state}`}.`)
}

/** Refused before any store is asked: a text that is no key, or a key of another environment. */
export function foreignKey(issuedFor: Environment | undefined, here: Environment): PetstoreError {
  if (issuedFor === undefined) return invalidKey('This is not an API key of this service, or it is mistyped.')
  return invalidKey(`This API key is for ${issuedFor}, not for ${here}.`)
}

function invalidKey(message: string): PetstoreError {
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

/** Discards bytes from the last multiple of 62 on, so that every character is equally likely. */
function randomBase62(length: number): string {
  let characters = ''
  while (characters.length < length) {
    for (const byte of randomBytes(length * 2)) {
      if (byte < 248 && characters.length < length) characters += BASE62.charAt(byte % 62)
    }
  }
  return characters
}
