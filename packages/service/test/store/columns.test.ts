// The column tables of both stores have every field of the contract. contract.examples.test.ts checks their order.

import { expect, test } from 'bun:test'
import document from '../../../../openapi.yaml'
import { flatten } from '../../../contract/src/schema.ts'
import { EVENT_COLUMNS } from '../../src/store/shared/events.ts'
import { NEW_ORDER_COLUMNS, NEW_PET_COLUMNS, ORDER_COLUMNS, PET_COLUMNS } from '../../src/store/shared/rows.ts'

const { schemas } = document.components

test.each([
  ['Pet', PET_COLUMNS],
  ['NewPet', NEW_PET_COLUMNS],
  ['Order', ORDER_COLUMNS],
  ['NewOrder', NEW_ORDER_COLUMNS],
  ['Event', EVENT_COLUMNS],
])('%s has every field of the contract, with the same optional fields', (name, columns) => {
  const { properties = {}, required = [] } = flatten({ $ref: `#/components/schemas/${name}` }, schemas)
  expect(Object.keys(columns).sort()).toEqual(Object.keys(properties).sort())
  for (const [field, { optional = false }] of Object.entries(columns)) {
    const given = required.includes(field) || flatten(properties[field] ?? {}, schemas).default !== undefined
    expect([field, optional]).toEqual([field, !given])
  }
})
