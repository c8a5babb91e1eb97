// The API keys of writes, which are looked at once more inside the transaction: it may have waited for other processes, and a key may have
// been revoked or have expired meanwhile. Keys are read again only when the version of the keys has changed.

import type { KeyId, RefusedKey } from '../../domain/keys.ts'
import type { StoreVersion } from '../../domain/store.ts'
import type { Statements } from './statements.ts'

/** Why a write of this key is refused, if so. */
export type CallerCheck = (by: KeyId) => RefusedKey | undefined

interface Life {
  revokedAt: bigint | null
  expiresAt: bigint | null
}

const KNOWN_MAX = 10_000

/** To be called at the beginning of each transaction, for its check. */
export function sqliteCallers(statements: Statements, version: () => StoreVersion): (now: number) => CallerCheck {
  const find = statements.query<Life, [KeyId]>(
    'SELECT revoked_at AS revokedAt, expires_at AS expiresAt FROM keys WHERE id = ?',
  )
  const known = new Map<KeyId, Life | null>()
  let knownAt: number | undefined

  function lifeOf(id: KeyId): Life | null {
    const found = known.get(id)
    if (found !== undefined) return found
    const life = find.get(id)
    known.set(id, life)
    return life
  }

  return (now) => {
    const { keys } = version()
    if (keys !== knownAt || known.size > KNOWN_MAX) known.clear()
    knownAt = keys
    return (by) => {
      const life = lifeOf(by)
      if (life === null) return 'unknown'
      if (life.revokedAt !== null) return 'revoked'
      return life.expiresAt !== null && life.expiresAt <= now ? 'expired' : undefined
    }
  }
}
