// The generator of the contract's types: a type that the contract does not use, and schemas that the generator rejects.
// `npm test` compares packages/contract/src/generated.ts with the generator's output.

import { describe, expect, test } from 'bun:test'
import document from '../../../openapi.yaml'
import { contractTypes } from '../../../scripts/contract-types.ts'
import type { OpenApi, Operation, Schema } from '../src/openapi.ts'

function typesWith(field: Schema) {
  const types = { ...document.components.schemas, Thing: { type: 'object', properties: { field } } }
  return contractTypes({ ...document, components: { ...document.components, schemas: types } })
}

test('writes a date, which the contract does not have, as a string', () => {
  expect(typesWith({ type: 'string', format: 'date' })).toContain('export type Thing = {\n  field?: string\n}\n')
})

describe('refuses', () => {
  test.each<[Record<string, unknown>]>([
    [{ type: 'string', format: 'email' }],
    [{ type: 'integer' }],
    [{ type: 'boolean' }],
    [{ type: ['string', 'integer'] }],
    [{ type: ['string', 'null', 'integer'] }],
    [{ type: ['null', 'string'] }],
    [{ type: 'string', oneOf: [] }],
    [{ $ref: '#/components/schemas/Nothing' }],
    [{ $ref: '#/components/schemas/Pet', required: ['status'] }],
    [{ allOf: [{ $ref: '#/components/schemas/Pet' }], properties: { more: { type: 'string' } } }],
  ])('%j', (field) => {
    expect(() => typesWith(field as Schema)).toThrow()
  })

  test.each<[string, Schema, string]>([
    ['a parameter with such a schema', { type: 'string', format: 'email' }, 'format'],
    ['lists with different page sizes', { type: 'integer', format: 'int32', maximum: 50 }, 'page'],
  ])('%s', (_, schema, message) => {
    const list = {
      ...(document.paths['/pets']?.get as Operation),
      parameters: [{ name: 'limit', in: 'query', schema }],
    }
    const paths = { ...document.paths, '/pets': { get: list } } as OpenApi['paths']
    expect(() => contractTypes({ ...document, paths })).toThrow(message)
  })
})
