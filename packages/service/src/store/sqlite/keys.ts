// API keys in SQLite.

import type { ApiKey, KeyStore, NewKey } from '../../domain/keys.ts'
import type { StoreOptions } from '../../domain/store.ts'
import { createdKey, KEY_COLUMNS, keyLists, toKey } from '../shared/rows.ts'
import { translated } from './connect/errors.ts'
import type { Statements, Transact } from './connect/statements.ts'

export function sqliteKeys(statements: Statements, transact: Transact, { now }: StoreOptions): KeyStore {
  const byHash = statements.query<object>(`SELECT ${KEY_COLUMNS} FROM keys WHERE hash = ?`)
  const any = statements.query('SELECT 1 FROM keys LIMIT 1')
  const insert = statements.query<object>(
    `INSERT INTO keys (name, hash, read_only, created_at, expires_at, ending) SELECT ?1, ?2, ?3, ?4, ?5, ?6
     WHERE NOT EXISTS (SELECT 1 FROM keys WHERE name = ?1 AND id > ?7) RETURNING ${KEY_COLUMNS}`,
  )
  const revoke = statements.query('UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')
  const end = statements.query(
    'UPDATE keys SET expires_at = min(ifnull(expires_at, 9223372036854775807), ?) WHERE id = ?',
  )
  const use = statements.query(
    'UPDATE keys SET ending = ?, last_used_at = max(ifnull(last_used_at, 0), ?) WHERE id = ?',
  )
  const count = statements.query(
    `INSERT INTO deprecated_calls VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
     SET calls = calls + excluded.calls, last_at = max(last_at, excluded.last_at)`,
  )

  function create(key: NewKey): ApiKey {
    const { name, hash, readOnly, expiresAt = null, ending = null, newestKnown = null } = key
    return createdKey(insert.get(name, hash, readOnly, now(), expiresAt, ending, newestKnown), key)
  }

  return {
    createKey: (key) => transact(() => create(key)),
    createFirstKey: (key) => transact(() => (any.get() ? undefined : create(key))),
    // Does not join other reads: an immediate result is cached for requests with the same key in the same turn.
    findKey: async (hash) => {
      const row = translated(() => byHash.get(hash))
      return row ? toKey(row) : undefined
    },
    ...keyLists(async <Row>(sql: string) => translated(() => statements.queryOnce<Row>(sql).all())),
    revokeKey: (id) => transact(() => void revoke.run(now(), id)),
    endKey: (id, endsAt) => transact(() => void end.run(endsAt, id)),
    saveKeyUses: (uses) =>
      transact(() => {
        for (const { keyId, ending, at } of uses) use.run(ending, at, keyId)
      }),
    countDeprecatedCalls: (calls) =>
      transact(() => {
        for (const { keyId, operationId, calls: n, lastAt } of calls) count.run(keyId, operationId, n, lastAt)
      }),
  }
}
