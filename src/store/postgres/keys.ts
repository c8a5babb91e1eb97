// API keys in PostgreSQL. Every request asks for one, so those found are kept, for half the second that a revoked key
// may still work: the other half is for the query.

import type { ApiKey, DeprecatedCalls, KeyHash, KeyStore, NewKey } from '../../domain/keys.ts'
import type { StoreOptions } from '../../domain/store.ts'
import { batched } from '../shared/group-commit.ts'
import type { Ask, Connection } from './connection.ts'

interface KeyRow {
  id: bigint
  name: string
  readOnly: boolean
  createdAt: bigint
  expiresAt: bigint | null
  revokedAt: bigint | null
  ending: string | null
  lastUsedAt: bigint | null
}

const COLUMNS = `id, name, read_only AS "readOnly", created_at AS "createdAt", expires_at AS "expiresAt",
  revoked_at AS "revokedAt", ending, last_used_at AS "lastUsedAt"`
const BY_HASH = `SELECT hash, ${COLUMNS} FROM keys WHERE hash = ANY($1::text::text[])`
const ALL = `SELECT ${COLUMNS} FROM keys ORDER BY id`
const INSERT = `INSERT INTO keys (name, hash, read_only, created_at, expires_at, ending) VALUES ($1, $2, $3, $4, $5, $6)
  RETURNING ${COLUMNS}`
const REVOKE = 'UPDATE keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL'
const END = 'UPDATE keys SET expires_at = least(expires_at, $2::bigint) WHERE id = $1'
// Locked in the same order always: two servers that save the uses of the same keys cannot block each other.
const USE = `WITH used AS (
    SELECT * FROM json_to_recordset($1::text::json) AS used (id bigint, ending text, at bigint)
  ), locked AS MATERIALIZED (
    SELECT id FROM keys WHERE id IN (SELECT id FROM used) ORDER BY id FOR NO KEY UPDATE
  )
  UPDATE keys SET ending = used.ending, last_used_at = greatest(last_used_at, at)
  FROM used JOIN locked USING (id) WHERE keys.id = used.id`
// Always in the same order: two servers that save theirs at the same moment cannot block each other.
const COUNT = `INSERT INTO deprecated_calls AS counted (key_id, operation_id, calls, last_at)
  SELECT key_id, operation_id, sum(calls), max(last_at)
  FROM json_to_recordset($1::text::json) AS new (key_id bigint, operation_id text, calls bigint, last_at bigint)
  GROUP BY key_id, operation_id ORDER BY key_id, operation_id
  ON CONFLICT (key_id, operation_id) DO UPDATE
  SET calls = counted.calls + excluded.calls, last_at = greatest(counted.last_at, excluded.last_at)`
const COUNTED = `SELECT key_id AS "keyId", operation_id AS "operationId", calls, last_at AS "lastAt"
  FROM deprecated_calls ORDER BY last_at DESC`

const KEPT_MS = 500
const KEYS_KEPT_MAX = 10_000

export function postgresKeys(connection: Connection, { now }: StoreOptions): KeyStore {
  const { read, write, background } = connection
  /** What there is, and when it was asked for. What there is not is not kept: a new key works at once. */
  const kept = new Map<KeyHash, { key: ApiKey; askedAt: number }>()

  async function readKeys(hashes: KeyHash[]): Promise<(ApiKey | undefined)[]> {
    const askedAt = performance.now()
    const rows = await read<KeyRow & { hash: KeyHash }>(BY_HASH, `{${hashes.join(',')}}`)
    if (kept.size >= KEYS_KEPT_MAX) kept.clear()
    for (const { hash, ...row } of rows) kept.set(hash, { key: toKey(row), askedAt })
    const found = new Map(rows.map(({ hash, ...row }) => [hash, toKey(row)]))
    return hashes.map((hash) => found.get(hash))
  }
  const readKey = batched(readKeys)

  async function findKey(hash: KeyHash): Promise<ApiKey | undefined> {
    const found = kept.get(hash)
    return found && performance.now() - found.askedAt < KEPT_MS ? found.key : readKey(hash)
  }

  async function create(on: Ask, { name, hash, readOnly, expiresAt, ending }: NewKey): Promise<ApiKey> {
    const [row] = await on<KeyRow>(INSERT, name, hash, readOnly, now(), expiresAt ?? null, ending ?? null)
    return toKey(row as KeyRow)
  }

  return {
    findKey,
    createKey: (key) => create(write, key),
    createFirstKey: (key) =>
      connection.transaction(async (on) => {
        await on('LOCK TABLE keys IN SHARE ROW EXCLUSIVE MODE')
        return (await on('SELECT FROM keys LIMIT 1')).length > 0 ? undefined : create(on, key)
      }),
    listKeys: async () => (await read<KeyRow>(ALL)).map(toKey),
    revokeKey: async (id) => {
      await write(REVOKE, id, now())
      kept.clear()
    },
    rotateKey: async (id, key, endsAt) => {
      const created = await connection.transaction(async (on) => {
        await on(END, id, endsAt)
        return create(on, key)
      })
      kept.clear()
      return created
    },
    saveKeyUses: async (uses) => {
      const rows = uses.map(({ keyId, ending, at }) => ({ id: String(keyId), ending, at }))
      await background(USE, JSON.stringify(rows))
    },
    countDeprecatedCalls: async (calls) => {
      const rows = calls.map(({ keyId, operationId, calls: n, lastAt }) => ({
        key_id: String(keyId),
        operation_id: operationId,
        calls: n,
        last_at: lastAt,
      }))
      await background(COUNT, JSON.stringify(rows))
    },
    listDeprecatedCalls: async () =>
      (await read<{ keyId: bigint; operationId: string; calls: bigint; lastAt: bigint }>(COUNTED)).map(toCalls),
  }
}

function toKey({ id, name, readOnly, createdAt, expiresAt, revokedAt, ending, lastUsedAt }: KeyRow): ApiKey {
  return {
    id,
    name,
    readOnly,
    createdAt: Number(createdAt),
    expiresAt: expiresAt === null ? undefined : Number(expiresAt),
    revokedAt: revokedAt === null ? undefined : Number(revokedAt),
    ending: ending ?? undefined,
    lastUsedAt: lastUsedAt === null ? undefined : Number(lastUsedAt),
  }
}

function toCalls(row: { keyId: bigint; operationId: string; calls: bigint; lastAt: bigint }): DeprecatedCalls {
  return { ...row, calls: Number(row.calls), lastAt: Number(row.lastAt) }
}
