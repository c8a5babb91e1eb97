// Query parameters are parsed as in the URL Standard (application/x-www-form-urlencoded).

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ContractOperation } from '../../../contract/src/contract.ts'
import { instantFromText } from '../../../contract/src/date-time.ts'
import type { RoutedRequest } from '../../src/http/context.ts'
import { readParameters, valuesOf } from '../../src/http/request/input.ts'

test('the message about a date-time with an unescaped + in a query suggests %2B', () => {
  const validate = (text: string, name: string, problems: string[]) => {
    if (instantFromText(text) === undefined) problems.push(`${name} must be a date and time.`)
    return text
  }
  const read = (where: 'query' | 'header', text: string) => {
    const parameter = { name: 'to', in: where, validate, default: undefined }
    const operation = { parameters: [parameter] } as unknown as ContractOperation
    const request = { url: `/v1/store/events?to=${text}`, headers: new Headers({ to: text }) } as RoutedRequest
    return () => readParameters(operation, request)
  }
  expect(read('query', '2026-11-21T18:00:00+01:00')).toThrow(/^to must be .* time\. In a URL, write its \+ as %2B\.$/)
  expect(read('query', '2026-11-21T18:00:00-01:00')()).toEqual({ to: '2026-11-21T18:00:00-01:00' })
  for (const [where, text] of [
    ['query', 'some+time'],
    ['header', '2026-11-21T18:00:00 01:00'],
  ] as const)
    expect(read(where, text)).toThrow(/^to must be a date and time\.$/)
})

test('parses every query like URLSearchParams', () => {
  const part = fc.constantFrom(...'limit limi limits cursor = & && ? % %20 + ä \0 #'.split(' '))
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
