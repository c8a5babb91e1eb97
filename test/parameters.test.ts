// Taking a query apart by hand gives what the standard's way gives (URL Standard, application/x-www-form-urlencoded).

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { valuesOf } from '../src/http/request/parameters.ts'

test('reads every query as URLSearchParams does', () => {
  const part = fc.constantFrom(
    'limit',
    'limi',
    'limits',
    'cursor',
    '=',
    '&',
    '&&',
    '?',
    '%',
    '%20',
    '+',
    'ä',
    '\0',
    '#',
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const query = parts.join('')
      for (const name of ['limit', 'cursor']) {
        expect(valuesOf(name, query)).toEqual(new URLSearchParams(`?${query}`).getAll(name))
      }
    }),
    { numRuns: 2000, examples: [[['limit', '=', '+']], [['limit', '=', '%20']], [['limit', '=', '&', 'cursor']]] },
  )
})
