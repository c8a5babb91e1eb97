// Lists API keys for people, and finds them by id or name.

import { type ApiKey, keyState } from '../domain/keys.ts'
import { PetstoreError } from '../domain/petstore-error.ts'
import { wallMs } from '../system/runtime.ts'
import type { Line } from '../terminal/print.ts'
import { table, time } from '../terminal/table.ts'

export const DAY_MS = 86_400_000

/**
 * Returns the active keys with this id or name, oldest first. There are several during a rotation. Throws
 * PetstoreError if there is none.
 */
export function findKeys(keys: readonly ApiKey[], which: string): [ApiKey, ...ApiKey[]] {
  const [first, ...others] = activeKeys(keys).filter(({ id, name }) => String(id) === which || name === which)
  if (!first)
    throw new PetstoreError(
      'not_found',
      `No active key has the id or name ${JSON.stringify(which)}. petstore keys list shows them.`,
    )
  return [first, ...others]
}

export function activeKeys(keys: readonly ApiKey[]): ApiKey[] {
  return keys.filter((key) => keyState(key, wallMs()) === 'active')
}

export function listing(keys: readonly ApiKey[]): Line[] {
  if (keys.length === 0) return ['There are no keys. petstore keys create --name NAME creates one.']
  const rows = keys.map((key) => [
    String(key.id),
    key.name,
    (key.ending ?? '').replace(/(?=.{4}$)/, '…'),
    key.readOnly ? 'read-only' : 'full',
    keyState(key, wallMs()),
    key.expiresAt === undefined ? 'never' : end(key.expiresAt),
    key.lastUsedAt === undefined ? '' : time(key.lastUsedAt),
    time(key.createdAt).slice(0, 10),
  ])
  return table(['ID', 'NAME', 'KEY', 'ACCESS', 'STATE', 'EXPIRES', 'LAST USED', 'CREATED'], rows)
}

/** To the minute if it is near. */
function end(at: number): string {
  return at < wallMs() + 2 * DAY_MS ? time(at) : time(at).slice(0, 10)
}
