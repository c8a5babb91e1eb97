// A distinct value for every field of a schema, so that tests cover new fields, too.

import document from '../../openapi.yaml'
import type { Schema } from '../../packages/contract/src/openapi.ts'
import { flatten } from '../../packages/contract/src/schema.ts'

export type Values = Record<string, bigint | string>

/** A value for each field of a schema, different from its default. */
export function valuesOf(name: string): Values {
  const { schemas } = document.components
  const { properties = {} } = flatten({ $ref: `#/components/schemas/${name}` }, schemas)
  const example = (field: string, index: number) =>
    exampleOf(field, flatten(properties[field] as Schema, schemas), index)
  return Object.fromEntries(Object.keys(properties).map((field, index) => [field, example(field, index)]))
}

function exampleOf(field: string, schema: Schema, index: number): bigint | string {
  if (schema.enum) return schema.enum.findLast((value) => value !== schema.default) as string
  if (schema.format === 'int64') return 2n ** 62n + BigInt(index)
  if (schema.format === 'date') return new Date(Date.UTC(2020, 1, 29 + index)).toISOString().slice(0, 10)
  if (schema.format === 'date-time') return new Date(Date.now() + (100 + index) * 86_400_000).toISOString()
  if (schema.type === 'string' && !schema.format) return `${field} é \u{1F436} ${index}`
  throw new Error(`no value for ${field}`)
}
