// API keys in PostgreSQL. Concurrent lookups share one query.

import { stringifyJson } from '../../../../contract/src/json.ts'
import type { ApiKey, KeyHash, KeyStore, NewKey } from '../../domain/keys.ts'
import type { Store, StoreOptions } from '../../domain/store.ts'
import { monotonicMs } from '../../system/runtime.ts'
import { batched } from '../shared/group-commit.ts'
import { createdKey, KEY_COLUMNS, KEY_SQL, keyLists, parametersOfKey, toKey } from '../shared/rows.ts'
import type { PrimaryConnection } from './connect/primary.ts'
import type { RunQuery } from './connect/session.ts'

const BY_HASH = `SELECT hash, ${KEY_COLUMNS} FROM keys WHERE hash = ANY($1::text::text[])`

// Locks in a fixed order, so that two servers that save at the same time cannot deadlock.
const USE = `WITH used AS (
    SELECT * FROM json_to_recordset($1::text::json) AS used ("keyId" bigint, ending text, at bigint)
  ), locked AS MATERIALIZED (
    SELECT id FROM keys WHERE id IN (SELECT "keyId" FROM used) ORDER BY id FOR NO KEY UPDATE
  )
  UPDATE keys SET ending = used.ending, last_used_at = greatest(last_used_at, at)
  FROM used JOIN locked ON locked.id = used."keyId" WHERE keys.id = locked.id`
// In a fixed order for the same reason.
const COUNT = `INSERT INTO deprecated_calls AS counted (key_id, operation_id, calls, last_at)
  SELECT "keyId", "operationId", sum(calls), max("lastAt")
  FROM json_to_recordset($1::text::json) AS new ("keyId" bigint, "operationId" text, calls bigint, "lastAt" bigint)
  GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (key_id, operation_id) DO UPDATE
  SET calls = counted.calls + excluded.calls, last_at = greatest(counted.last_at, excluded.last_at)`

/** A revoked key must stop working everywhere within one second; the other half is for the query. */
const KEYS_TRUSTED_MS = 500

export function postgresKeys(connection: PrimaryConnection, { now }: StoreOptions): KeyStore & Pick<Store, 'version'> {
  const { read, background } = connection
  /** The number of changes by this process. */
  let changes = 0

  async function readKeys(hashes: KeyHash[]): Promise<(ApiKey | undefined)[]> {
    const rows = await read<{ hash: KeyHash }>(BY_HASH, `{${hashes.join(',')}}`)
    const found = new Map(rows.map(({ hash, ...row }) => [hash, toKey(row)]))
    return hashes.map((hash) => found.get(hash))
  }

  const create = async (on: RunQuery, key: NewKey) =>
    createdKey((await on(KEY_SQL.create, ...parametersOfKey(key, now())))[0], key)

  /** Keeps other commands from creating a key at the same time. */
  function alone<Result>(work: (on: RunQuery) => Promise<Result>): Promise<Result> {
    return connection.transaction(async ({ execute, query }) => {
      await execute('LOCK TABLE keys IN SHARE ROW EXCLUSIVE MODE')
      return work(query)
    })
  }

  return {
    version: () => ({ data: undefined, keys: changes + Math.floor(monotonicMs() / KEYS_TRUSTED_MS) }),
    findKey: batched(readKeys),
    createKey: (key) => alone((on) => create(on, key)),
    createFirstKey: (key) => alone(async (on) => ((await on(KEY_SQL.any)).length > 0 ? undefined : create(on, key))),
    ...keyLists(read),
    revokeKey: async (id) => {
      await connection.transaction(({ query }) => query(KEY_SQL.revoke, id, now()))
      changes++
    },
    endKey: async (id, endsAt) => {
      await connection.transaction(({ query }) => query(KEY_SQL.end, id, endsAt))
      changes++
    },
    saveKeyUses: async (uses) => {
      await background(USE, stringifyJson(uses))
    },
    countDeprecatedCalls: async (calls) => {
      await background(COUNT, stringifyJson(calls))
    },
  }
}
