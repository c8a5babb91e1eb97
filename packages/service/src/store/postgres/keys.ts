// API keys in PostgreSQL. Concurrent lookups share one query.

import { stringifyJson } from '../../../../contract/src/json.ts'
import type { ApiKey, KeyHash, KeyStore, NewKey } from '../../domain/keys.ts'
import type { Store, StoreOptions } from '../../domain/store.ts'
import { monotonicMs } from '../../system/runtime.ts'
import { batched } from '../shared/group-commit.ts'
import { createdKey, KEY_COLUMNS, keyLists, toKey } from '../shared/rows.ts'
import type { PrimaryConnection } from './connect/primary.ts'
import type { RunQuery } from './connect/session.ts'

const BY_HASH = `SELECT hash, ${KEY_COLUMNS} FROM keys WHERE hash = ANY($1::text::text[])`
const INSERT = `INSERT INTO keys (name, hash, read_only, created_at, expires_at, ending)
  SELECT $1, $2, $3::boolean, $4::bigint, $5::bigint, $6
  WHERE NOT EXISTS (SELECT FROM keys WHERE name = $1 AND id > $7)
  RETURNING ${KEY_COLUMNS}`
const REVOKE = 'UPDATE keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING id'
const END = 'UPDATE keys SET expires_at = least(expires_at, $2::bigint) WHERE id = $1 RETURNING id'
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

  async function create(on: RunQuery, key: NewKey): Promise<ApiKey> {
    const { name, hash, readOnly, expiresAt = null, ending = null, newestKnown = null } = key
    const [row] = await on(INSERT, name, hash, readOnly, now(), expiresAt, ending, newestKnown)
    return createdKey(row, key)
  }

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
    createFirstKey: (key) =>
      alone(async (on) => ((await on('SELECT FROM keys LIMIT 1')).length > 0 ? undefined : create(on, key))),
    ...keyLists(read),
    revokeKey: async (id) => {
      await connection.transaction(({ query }) => query(REVOKE, id, now()))
      changes++
    },
    endKey: async (id, endsAt) => {
      await connection.transaction(({ query }) => query(END, id, endsAt))
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
