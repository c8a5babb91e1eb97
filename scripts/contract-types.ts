// openapi.yaml → TypeScript types. Our own generator, because int64 must become bigint, which the generators we tried do not
// do. Each schema is also compiled to its validator, which fails at any keyword and format that it does not know.

import type { OpenApi, Operation, Schema } from '../packages/contract/src/openapi.ts'
import { parametersOf } from '../packages/contract/src/parameters.ts'
import { compileSchema, flatten } from '../packages/contract/src/schema.ts'

const HEADER = `// The contract's types. Written by \`npm run generate\` from openapi.yaml; not edited by hand.
// int64 is bigint, and date-time and date are text. A field with a default is optional, as in a request. Parameters and bodies in Operations
// are the values that the validators return: such a field is always present, and a body's date-time is milliseconds since 1970.
// The values of an open set, as ErrorCode, are those that this version knows.
// Beside the types: the values of closed sets, the bounds that others than the validators need, and the schema of a new pet.
`

/** The text of packages/contract/src/generated.ts for a contract. Throws on a schema that it or the service cannot express. */
export function contractTypes(document: OpenApi): string {
  const schemas = Object.entries(document.components.schemas).flatMap(([name, schema]) => {
    compileSchema(schema, document.components.schemas)
    // A page is an array of what it lists.
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

/** `PET_STATUSES` for PetStatus. */
function values(name: string, schema: Schema): string {
  if (!schema.enum) return ''
  const constant = name.replace(/\B[A-Z]/g, '_$&').toUpperCase()
  return `export const ${constant}${constant.endsWith('S') ? 'ES' : 'S'} = [${quoted(schema.enum).join(', ')}] as const\n`
}

function bounds({ paths, components }: OpenApi): string {
  const operations = Object.values(paths).flatMap((methods) => Object.entries(methods))
  const parameters = operations.flatMap(([method, operation]) => parametersOf(method, operation, components))
  const pages = new Set(parameters.flatMap(({ name, schema }) => (name === 'limit' ? schema.maximum : [])))
  if (pages.size !== 1) throw new Error(`the lists must have one maximum of a page: ${[...pages]}`)
  const { NewPet, PetChange, NewOrder, OrderChange } = components.schemas
  const texts = [
    NewPet?.properties?.name,
    PetChange?.properties?.name,
    ...[NewOrder, OrderChange].map((order) => order?.properties?.reference),
  ]
  const searches = parameters.flatMap(({ name, schema }) => (name === 'search' ? [schema] : []))
  const lengths = new Set([...texts, ...searches].map((schema) => schema?.maxLength))
  const [length] = lengths
  if (lengths.size !== 1 || length === undefined)
    throw new Error(`names, references and searches must have one maximum: ${[...lengths]}`)
  const days = NewOrder?.properties?.expiresAt?.['x-days-ahead-max']
  if (days === undefined) throw new Error('NewOrder.expiresAt must have x-days-ahead-max')
  const [wait] = parameters.flatMap(({ name, schema }) => (name === 'wait' ? [schema.maximum] : []))
  if (wait === undefined) throw new Error('wait must have a maximum')
  return `/** The most that a page of a list holds. */
export const PAGE_MAX = ${[...pages]}
/** Code points of a name, a reference or a search. */
export const TEXT_LENGTH_MAX = ${length}
/** How far ahead a reservation may end. */
export const EXPIRY_DAYS_MAX = ${days}
/** How long a request may wait for an event. */
export const WAIT_MAX_S = ${wait}
`
}

/** The status of each code is said in a line of the description. */
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

/** What the page judges the rows of a file by, before it sends them. */
function schemaOfNewPet({ components: { schemas } }: OpenApi): string {
  const { type, required, properties = {} } = flatten(schemas.NewPet ?? {}, schemas)
  const fields = Object.entries(properties).map(([name, property]) => {
    const { description, examples, ...own } = flatten(property, schemas)
    return [name, own]
  })
  const schema = JSON.stringify({ type, required, properties: Object.fromEntries(fields) })
  return `/** \`compileSchema\` makes its validator, without the contract. */\nexport const NEW_PET_SCHEMA = ${schema}\n`
}

function operationType(method: string, operation: Operation, components: OpenApi['components']): string {
  const parameters = parametersOf(method, operation, components).map(({ name, required, schema }) => {
    compileSchema(schema, components.schemas)
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

/** Of an object, once its validator has read it. */
function validatedType(schema: Schema, schemas: Record<string, Schema>): string {
  const { required = [], properties = {} } = flatten(schema, schemas)
  const fields = Object.entries(properties).map(([name, property]) => {
    const present = required.includes(name) || flatten(property, schemas).default !== undefined
    return `${name}${present ? '' : '?'}: ${readType(property, schemas)}`
  })
  return `{ ${fields.join('; ')} }`
}

/** Of a value, once its validator has read it. */
function readType(schema: Schema, schemas: Record<string, Schema>): string {
  const { format, type } = flatten(schema, schemas)
  return format === 'date-time' ? typeOf({ type }).replace('string', 'number') : typeOf(schema)
}

function typeOf(schema: Schema): string {
  if ((schema.$ref ?? schema.allOf) && (schema.properties ?? schema.required ?? schema.enum)) {
    throw new Error(`no TypeScript for what stands beside $ref or allOf: ${JSON.stringify(schema)}`)
  }
  if (schema.$ref) return schema.$ref.replace('#/components/schemas/', '')
  if (schema.allOf) return schema.allOf.map(typeOf).join(' & ')
  const known = schema.enum ?? schema['x-extensible-enum']
  if (known) return quoted(known).join(' | ')
  // Such as a text or nothing.
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ')
  switch (schema.type) {
    case 'string':
    case 'null':
      return schema.type
    case 'integer':
      return schema.format === 'int64' ? 'bigint' : 'number'
    case 'array':
      return `Array<${typeOf(schema.items ?? {})}>`
    case 'object':
      return `{\n${Object.entries(schema.properties ?? {})
        .map(
          ([name, property]) =>
            `  ${comment(property.description, '  ')}${name}${schema.required?.includes(name) ? '' : '?'}: ${typeOf(property)}\n`,
        )
        .join('')}}`
    default:
      throw new Error(`no TypeScript for ${JSON.stringify(schema)}`)
  }
}

function quoted(texts: readonly string[]): string[] {
  return texts.map((text) => `'${text}'`)
}

function comment(text: string | undefined, indent = ''): string {
  return text ? `/** ${text.trim().replaceAll('\n', `\n${indent} * `)} */\n${indent}` : ''
}
