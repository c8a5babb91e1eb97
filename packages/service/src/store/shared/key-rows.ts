// API keys and tallies of deprecated calls, as both databases return them.

import type { ApiKey, DeprecatedCalls, KeyId, NewKey } from '../../domain/keys.ts'
import { StartError } from '../../domain/start-error.ts'

export interface KeyRow {
  id: KeyId
  name: string
  /** SQLite has no booleans: 0 or 1. */
  readOnly: boolean | bigint
  createdAt: bigint
  expiresAt: bigint | null
  revokedAt: bigint | null
  ending: string | null
  lastUsedAt: bigint | null
}

export interface DeprecatedCallsRow {
  keyId: KeyId
  operationId: string
  calls: bigint
  lastAt: bigint
}

export const KEY_COLUMNS = `id, name, read_only AS "readOnly", created_at AS "createdAt", expires_at AS "expiresAt",
  revoked_at AS "revokedAt", ending, last_used_at AS "lastUsedAt"`
/** Every key, oldest first. */
export const LIST_KEYS = `SELECT ${KEY_COLUMNS} FROM keys ORDER BY id`
export const LIST_DEPRECATED_CALLS = `SELECT key_id AS "keyId", operation_id AS "operationId", calls, last_at AS "lastAt"
  FROM deprecated_calls ORDER BY last_at DESC`

export function toKey({ id, name, readOnly, createdAt, expiresAt, revokedAt, ending, lastUsedAt }: KeyRow): ApiKey {
  return {
    id,
    name,
    readOnly: Boolean(readOnly),
    createdAt: Number(createdAt),
    expiresAt: expiresAt === null ? undefined : Number(expiresAt),
    revokedAt: revokedAt === null ? undefined : Number(revokedAt),
    ending: ending ?? undefined,
    lastUsedAt: lastUsedAt === null ? undefined : Number(lastUsedAt),
  }
}

/** The row that was inserted, unless the key's name was given since `newestKnown`. */
export function createdKey(row: KeyRow | null | undefined, { name }: NewKey): ApiKey {
  if (!row)
    throw new StartError(
      `Another command has just created a key named ${JSON.stringify(name)}. See petstore keys list.`,
    )
  return toKey(row)
}

export function toDeprecatedCalls({ keyId, operationId, calls, lastAt }: DeprecatedCallsRow): DeprecatedCalls {
  return { keyId, operationId, calls: Number(calls), lastAt: Number(lastAt) }
}
