// Lists API keys for people, and finds them by id or name.

import { type ApiKey, keyState } from '../../service/src/domain/keys.ts'
import { PetstoreError } from '../../service/src/domain/petstore-error.ts'
import { wallMs } from '../../service/src/system/runtime.ts'
import type { Line } from './terminal/print.ts'
import { table, time } from './terminal/table.ts'

export const DAY_MS = 86_400_000

/**
 * Returns the active keys with this id or name, oldest first. There are several during a rotation. Throws
 * PetstoreError if there is none.
 */
export function findKeys(keys: readonly ApiKey[], which: string): [ApiKey, ...ApiKey[]] {
  const [first, ...others] = activeKeys(keys).filter(({ id, name }) => String(id) === which || name === which)
  if (first) return [first, ...others]
  const message = `No active key has the id or name ${JSON.stringify(which)}. petstore keys list shows them.`
  throw new PetstoreError('not_found', message)
}

export function activeKeys(keys: readonly ApiKey[]): ApiKey[] {
  return keys.filter((key) => keyState(key, wallMs()) === 'active')
}

export function listing(keys: readonly ApiKey[]): Line[] {
  if (keys.length === 0) return ['There are no keys. petstore keys create --name NAME creates one.']
  const near = wallMs() + 2 * DAY_MS
  const rows = keys.map((key) => [
    String(key.id),
    key.name,
    (key.ending ?? '').replace(/(?=.{4}$)/, '…'),
    key.readOnly ? 'read-only' : 'full',
    keyState(key, wallMs()),
    // To the minute if it is near.
    key.expiresAt === undefined ? 'never' : time(key.expiresAt).slice(0, key.expiresAt < near ? undefined : 10),
    key.lastUsedAt === undefined ? '' : time(key.lastUsedAt),
    time(key.createdAt).slice(0, 10),
  ])
  return table(['ID', 'NAME', 'KEY', 'ACCESS', 'STATE', 'EXPIRES', 'LAST USED', 'CREATED'], rows)
}
