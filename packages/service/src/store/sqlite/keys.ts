// API keys in SQLite.

import type { KeyStore, NewKey } from '../../domain/keys.ts'
import type { StoreOptions } from '../../domain/store.ts'
import { createdKey, KEY_COLUMNS, KEY_SQL, keyLists, parametersOfKey, toKey } from '../shared/rows.ts'
import { translated } from './connect/errors.ts'
import type { Statements, Transact } from './connect/statements.ts'

export function sqliteKeys(statements: Statements, transact: Transact, { now }: StoreOptions): KeyStore {
  const byHash = statements.query<object>(`SELECT ${KEY_COLUMNS} FROM keys WHERE hash = ?`)
  const any = statements.query(KEY_SQL.any)
  const insert = statements.query<object>(KEY_SQL.create)
  const revoke = statements.query(KEY_SQL.revoke)
  const end = statements.query(KEY_SQL.end)
  const use = statements.query(
    'UPDATE keys SET ending = ?, last_used_at = max(ifnull(last_used_at, 0), ?) WHERE id = ?',
  )
  const count = statements.query(
    `INSERT INTO deprecated_calls VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
     SET calls = calls + excluded.calls, last_at = max(last_at, excluded.last_at)`,
  )

  const create = (key: NewKey) => createdKey(insert.get(...parametersOfKey(key, now())), key)

  return {
    createKey: (key) => transact(() => create(key)),
    createFirstKey: (key) => transact(() => (any.get() ? undefined : create(key))),
    // Does not join other reads: an immediate result is cached for requests with the same key in the same turn.
    findKey: async (hash) => {
      const row = translated(() => byHash.get(hash))
      return row ? toKey(row) : undefined
    },
    ...keyLists(async <Row>(sql: string) => translated(() => statements.queryOnce<Row>(sql).all())),
    revokeKey: (id) => transact(() => void revoke.run(id, now())),
    endKey: (id, endsAt) => transact(() => void end.run(id, endsAt)),
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
