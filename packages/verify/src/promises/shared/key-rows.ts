// Rows that every operation of the store area has about a missing, invalid or read-only API key.

import type { Probe, RequestOptions } from '../../probe.ts'
import { familyOf, lineOf, response, rowsOf } from './rows.ts'

const row = rowsOf('store')

export const INVALID_KEY = 'Bearer petstore-verify-no-such-key'
export const WITHOUT_KEY = { missing: { key: 'none' }, invalid: { authorization: [INVALID_KEY] } } as const

/** Sends a valid request with the key in `options`, and expects this status and code. */
type Refused = (probe: Probe, options: RequestOptions, status: number, code: string) => Promise<unknown>

export function keyRows(id: string, premises: readonly string[], refused: Refused) {
  const { of } = familyOf(id)
  const needs = lineOf(of).startsWith('GET ') ? [] : (['write'] as const)
  const withoutKey = row(`${id}.no-key`, 'No key: 401 missing_api_key. An invalid key: 401 invalid_api_key. No change.')
    .from(response(of, 401), { needs, premises: [...premises, 'auth.code.missing', 'auth.code.invalid'] })
    .check(async (probe) => {
      for (const which of ['missing', 'invalid'] as const)
        await refused(probe, WITHOUT_KEY[which], 401, `${which}_api_key`)
    })
  const withReadOnlyKey = row(`${id}.read-only-key`, 'A read-only key: 403 read_only_key, and nothing changes.')
    .from(response(of, 403), { needs: ['write', 'read-only key'], premises })
    .check((probe) => refused(probe, { key: 'read-only' }, 403, 'read_only_key'))
  return needs.length === 0 ? [withoutKey] : [withoutKey, withReadOnlyKey]
}
