// The generator of the contract's types: the type for each schema, and the schemas that it refuses.

import { describe, expect, test } from 'bun:test'
import document from '../../../openapi.yaml'
import { contractTypes } from '../../../scripts/contract-types.ts'
import type { Operation, Schema } from '../src/openapi.ts'

function typesWith(field: Schema) {
  const types = { ...document.components.schemas, Thing: { type: 'object', properties: { field } } }
  return contractTypes({ ...document, components: { ...document.components, schemas: types } })
}

test.each<[Schema, string]>([
  [{ type: 'string', format: 'date' }, 'string'],
  [{ type: 'string', format: 'date-time' }, 'string'],
  [{ type: 'string', enum: ['a', 'b'] }, "'a' | 'b'"],
  [{ type: 'integer', format: 'int32' }, 'number'],
  [{ type: 'integer', format: 'int64' }, 'bigint'],
  [{ type: 'array', items: { $ref: '#/components/schemas/Pet' } }, 'Array<Pet>'],
])('%j', (field, type) => {
  expect(typesWith(field)).toContain(`export type Thing = {\n  field?: ${type}\n}\n`)
})

test('writes the values of enums, and the bounds that other code needs', () => {
  const text = contractTypes(document)
  expect(text).toContain("export const PET_STATUSES = ['available', 'pending', 'sold'] as const\n")
  expect(text).toContain('export const PAGE_MAX = 100\n')
  expect(text).not.toContain('ERROR_CODES')
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

  test('a parameter with such a schema', () => {
    const email = { name: 'email', in: 'query' as const, schema: { type: 'string', format: 'email' } }
    const { get } = document.paths['/pets'] ?? {}
    const list = { ...(get as Operation), parameters: [email] }
    expect(() => contractTypes({ ...document, paths: { '/pets': { get: list } } })).toThrow('format')
  })

  test('lists with different page sizes', () => {
    const limit = { name: 'limit', in: 'query' as const, schema: { type: 'integer', format: 'int32', maximum: 50 } }
    const { get } = document.paths['/pets'] ?? {}
    const list = { ...(get as Operation), parameters: [limit] }
    expect(() => contractTypes({ ...document, paths: { ...document.paths, '/pets': { get: list } } })).toThrow('page')
  })
})
