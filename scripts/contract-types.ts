// Generates TypeScript types from openapi.yaml. We wrote our own generator because int64 must become bigint, which no generator that we tried
// does. Also compiles each schema to its validator, which rejects unknown keywords and formats.

import type { OpenApi, Operation, Schema } from '../packages/contract/src/openapi.ts'
import { parametersOf } from '../packages/contract/src/parameters.ts'
import { compileSchema, compileTextSchema, flatten } from '../packages/contract/src/schema.ts'

const HEADER = `// The contract's types. Written by \`npm run generate\` from openapi.yaml; not edited by hand.
// int64 is bigint; date-time and date are strings. A field with a default is optional, as in a request. Parameters and bodies in Operations
// have the types that the validators return: fields with a default are present, and date-times are milliseconds since 1970.
// Open sets, such as ErrorCode, have the values that this version knows.
// It also exports the values of closed sets, some bounds, and the schema of a new pet.
`

/** Returns the text of packages/contract/src/generated.ts. Throws if a schema is not supported. */
export function contractTypes(document: OpenApi): string {
  const schemas = Object.entries(document.components.schemas).flatMap(([name, schema]) => {
    compileSchema(schema, document.components.schemas)
    // A page is an array of its items.
    if (schema.type === 'array') return []
    return `${comment(schema.description)}export type ${name} = ${typeOf(schema)}\n${values(name, schema)}`
  })
  const operations = Object.values(document.paths).flatMap((path) =>
    Object.entries(path).map(([method, operation]) => operationType(method, operation, document.components)),
  )
  return [
    HEADER,
    ...schemas,
    bounds(document),
    schemaOfNewPet(document),
    errorStatuses(document),
    `export interface Operations {\n${operations.join('')}}\n`,
  ].join('\n')
}

/** Returns the name of the constant for a closed set: `PET_STATUSES` for PetStatus. */
function values(name: string, schema: Schema): string {
  if (!schema.enum) return ''
  const constant = name.replace(/\B[A-Z]/g, '_$&').toUpperCase()
  return `export const ${constant}${constant.endsWith('S') ? 'ES' : 'S'} = [${quoted(schema.enum).join(', ')}] as const\n`
}

/** Bounds: each is the same in all places listed. */
function bounds({ paths, components }: OpenApi): string {
  const operations = Object.values(paths).flatMap((methods) => Object.entries(methods))
  const parameters = operations.flatMap(([method, operation]) => parametersOf(method, operation, components))
  const named = (wanted: string) => parameters.flatMap(({ name, schema }) => (name === wanted ? schema : []))
  const { NewPet, PetChange, NewOrder, OrderChange } = components.schemas
  const names = [NewPet, PetChange].map((pet) => pet?.properties?.name)
  const references = [NewOrder, OrderChange].map((order) => order?.properties?.reference)
  const texts = [...names, ...references, ...named('search')]
  const end = NewOrder?.properties?.expiresAt
  const ofEach: [string, string, unknown[]][] = [
    ['PAGE_MAX', 'The most that a page of a list holds.', named('limit').map(({ maximum }) => maximum)],
    ['TEXT_LENGTH_MAX', 'Code points of a name, a reference or a search.', texts.map((schema) => schema?.maxLength)],
    ['EXPIRY_DAYS_MAX', 'How far ahead a reservation may end.', [end?.['x-days-ahead-max']]],
    ['WAIT_MAX_S', 'How long a request may wait for an event.', named('wait').map(({ maximum }) => maximum)],
  ]
  const lines = ofEach.map(([name, comment, values]) => {
    const [value, ...others] = new Set(values)
    if (value === undefined || others.length > 0) throw new Error(`${name} needs one value: ${values}. ${comment}`)
    return `/** ${comment} */\nexport const ${name} = ${value}\n`
  })
  return lines.join('')
}

/** Reads the status of each code from the lines of the description. */
function errorStatuses({ components: { schemas } }: OpenApi): string {
  const { description = '', 'x-extensible-enum': codes = [] } = schemas.ErrorCode ?? {}
  const rows = new Map(
    [...description.matchAll(/^- `(\w+)` \((\d+)\): .+\.$/gm)].map(([, code, status]) => [code, status]),
  )
  const missing = codes.filter((code) => !rows.has(code))
  if (missing.length > 0) throw new Error(`the description of ErrorCode needs a line for ${missing.join(', ')}`)
  const lines = codes.map((code) => `  ${code}: ${rows.get(code)},\n`)
  return `export const ERROR_STATUS: Readonly<Record<ErrorCode, number>> = {\n${lines.join('')}}\n`
}

/** The schema with which the page checks the rows of a file. */
function schemaOfNewPet({ components: { schemas } }: OpenApi): string {
  const { type, required, properties = {} } = flatten(schemas.NewPet ?? {}, schemas)
  const fields = Object.entries(properties).map(([name, property]) => {
    const { description, examples, ...own } = flatten(property, schemas)
    return [name, own]
  })
  const schema = JSON.stringify({ type, required, properties: Object.fromEntries(fields) })
  return `/** For code that does not load the contract. */\nexport const NEW_PET_SCHEMA = ${schema}\n`
}

function operationType(method: string, operation: Operation, components: OpenApi['components']): string {
  const parameters = parametersOf(method, operation, components).map(({ name, required, schema }) => {
    compileTextSchema(schema, components.schemas)
    const present = required || flatten(schema, components.schemas).default !== undefined
    return `${/^\w+$/.test(name) ? name : `'${name}'`}${present ? '' : '?'}: ${typeOf(schema)}`
  })
  const body = operation.requestBody?.content['application/json']?.schema
  return [
    `  ${operation.operationId}: {\n`,
    `    parameters: { ${parameters.join('; ')} }\n`.replace('{  }', 'Record<never, never>'),
    `    body: ${body ? validatedType(body, components.schemas) : 'undefined'}\n`,
    '  }\n',
  ].join('')
}

/** The type of an object that its validator returned. */
function validatedType(schema: Schema, schemas: Record<string, Schema>): string {
  const { required = [], properties = {} } = flatten(schema, schemas)
  const fields = Object.entries(properties).map(([name, property]) => {
    const present = required.includes(name) || flatten(property, schemas).default !== undefined
    const { format, type } = flatten(property, schemas)
    // The validator returns a time in milliseconds.
    const read = format === 'date-time' ? typeOf({ type }).replace('string', 'number') : typeOf(property)
    return `${name}${present ? '' : '?'}: ${read}`
  })
  return `{ ${fields.join('; ')} }`
}

function typeOf(schema: Schema): string {
  if ((schema.$ref ?? schema.allOf) && (schema.properties ?? schema.required ?? schema.enum)) {
    throw new Error(`no TypeScript type for keywords beside $ref or allOf: ${JSON.stringify(schema)}`)
  }
  if (schema.$ref) return schema.$ref.replace('#/components/schemas/', '')
  if (schema.allOf) return schema.allOf.map(typeOf).join(' & ')
  const known = schema.enum ?? schema['x-extensible-enum']
  if (known) return quoted(known).join(' | ')
  // For example a string or null.
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ')
  switch (schema.type) {
    case 'string':
    case 'null':
      return schema.type
    case 'integer':
      return schema.format === 'int64' ? 'bigint' : 'number'
    case 'array':
      return `Array<${typeOf(schema.items ?? {})}>`
    case 'object': {
      const fields = Object.entries(schema.properties ?? {}).map(([name, property]) => {
        const mark = schema.required?.includes(name) ? '' : '?'
        return `  ${comment(property.description, '  ')}${name}${mark}: ${typeOf(property)}\n`
      })
      return `{\n${fields.join('')}}`
    }
    default:
      throw new Error(`no TypeScript type for ${JSON.stringify(schema)}`)
  }
}

function quoted(texts: readonly string[]): string[] {
  return texts.map((text) => `'${text}'`)
}

function comment(text: string | undefined, indent = ''): string {
  return text ? `/** ${text.trim().replaceAll('\n', `\n${indent} * `)} */\n${indent}` : ''
}
