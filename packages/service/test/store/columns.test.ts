// The columns of events have every field of the contract, in any order; packages/contract/test/examples.test.ts checks the
// order. The compiler checks the columns of pets and orders.

import { expect, test } from 'bun:test'
import document from '../../../../openapi.yaml'
import { flatten } from '../../../contract/src/schema.ts'
import { EVENT_COLUMNS } from '../../src/store/shared/events.ts'

test('events have every field of the contract, with the same optional fields', () => {
  const { properties = {}, required = [] } = flatten(
    { $ref: '#/components/schemas/Event' },
    document.components.schemas,
  )
  const columns = Object.entries(EVENT_COLUMNS).map(([field, { optional = false }]) => [field, !optional])
  const fields = Object.keys(properties).map((field) => [field, required.includes(field)])
  expect(columns.sort()).toEqual(fields.sort())
})
