// API keys for store tests.

import { generateKey, hashKey, type NewKey } from '../../packages/service/src/domain/keys.ts'

/** An active key with write access and a unique hash. */
export function newKey(key: Partial<NewKey> = {}): NewKey {
  return { name: 'test', hash: hashKey(generateKey('production')), readOnly: false, expiresAt: undefined, ...key }
}
