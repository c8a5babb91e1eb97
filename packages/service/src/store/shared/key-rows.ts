// API keys and counts of deprecated calls, as both databases return them.

import type { ApiKey, DeprecatedCalls, KeyStore, NewKey } from '../../domain/keys.ts'
import { StartError } from '../../domain/start-error.ts'
import { type Columns, fromRow, selectList } from './columns.ts'

const KEYS: Columns<ApiKey> = {
  id: { column: 'id', kind: 'integer' },
  name: { column: 'name', kind: 'text' },
  readOnly: { column: 'read_only', kind: 'flag' },
  createdAt: { column: 'created_at', kind: 'time' },
  expiresAt: { column: 'expires_at', kind: 'time', optional: true },
  revokedAt: { column: 'revoked_at', kind: 'time', optional: true },
  ending: { column: 'ending', kind: 'text', optional: true },
  lastUsedAt: { column: 'last_used_at', kind: 'time', optional: true },
}

export const KEY_COLUMNS = selectList(KEYS)
/** Every key, oldest first. */
export const LIST_KEYS = `SELECT ${KEY_COLUMNS} FROM keys ORDER BY id`
const LIST_DEPRECATED_CALLS = `SELECT key_id AS "keyId", operation_id AS "operationId", calls, last_at AS "lastAt"
  FROM deprecated_calls ORDER BY last_at DESC`

export function toKey(row: object): ApiKey {
  return fromRow(KEYS, row)
}

/** Returns the inserted key. Throws StartError if its name was taken by a key newer than `newestKnown`. */
export function createdKey(row: object | null | undefined, { name }: NewKey): ApiKey {
  if (row) return toKey(row)
  throw new StartError(`Another command has just created a key named ${JSON.stringify(name)}. See petstore keys list.`)
}

/** `read` runs a statement. */
export function keyLists(
  read: <Row extends object>(sql: string) => Promise<Row[]>,
): Pick<KeyStore, 'listKeys' | 'listDeprecatedCalls'> {
  return {
    listKeys: async () => (await read(LIST_KEYS)).map(toKey),
    listDeprecatedCalls: async () => {
      const rows = await read<DeprecatedCalls>(LIST_DEPRECATED_CALLS)
      return rows.map((row) => ({ ...row, calls: Number(row.calls), lastAt: Number(row.lastAt) }))
    },
  }
}
