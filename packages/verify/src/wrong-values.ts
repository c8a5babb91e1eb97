// The values that the contract rejects, for each field of a body and each parameter of a list, and the ids of the
// promises about them. verify sends these values, and practice accepts them.

import { document, type OperationId } from '../../contract/src/contract.ts'
import { type Json, JsonNumber } from '../../contract/src/json.ts'
import { SEARCH_WORDS_MAX } from '../../contract/src/limits.ts'
import type { Operation, Parameter, Schema } from '../../contract/src/openapi.ts'
import { compileSchema, compileTextSchema, flatten } from '../../contract/src/schema.ts'

const { schemas } = document.components

/** The operation by the start of the ids of its promises. */
export const FAMILIES = {
  'pets.list': 'listPets',
  'pets.create': 'createPet',
  'pets.get': 'getPet',
  'pets.update': 'updatePet',
  'pets.delete': 'deletePet',
  'orders.list': 'listOrders',
  'orders.place': 'placeOrder',
  'orders.get': 'getOrder',
  'orders.update': 'updateOrder',
  'orders.complete': 'completeOrder',
  'orders.cancel': 'cancelOrder',
  'orders.return': 'returnOrder',
  'inventory.get': 'getInventory',
  'events.list': 'listEvents',
} satisfies Record<string, OperationId>
export type Family = keyof typeof FAMILIES

export const families = Object.keys(FAMILIES) as Family[]

/** Returns the name of a path in the ids of the promises about its methods. */
export function nameOfPath(template: string): string {
  const names: Record<string, string> = { '/pets': 'list', '/pets/{petId}': 'get', '/store/orders/{orderId}': 'order' }
  return names[template] ?? template.split('/').at(-1) ?? ''
}

/** A promise about wrong values of these kinds for a field of a body. `[]` means all kinds. */
export interface FieldPromise {
  id: string
  family: Family
  field: string
  kinds: readonly string[]
  schema: Schema
  isRequired: boolean
}

/** The released promises about some kinds of values: id, field, kinds. Each other field has one about all kinds. */
const RELEASED = `
  pets.create.refused.name-number name number
  pets.create.refused.name-null name null
  pets.create.refused.name-type name boolean array object
  pets.create.refused.name-missing name missing
  pets.create.refused.category-id-text categoryId string
  pets.create.refused.category-id-fraction categoryId number
  pets.create.refused.category-id-null categoryId null
  pets.create.refused.category-id-type categoryId boolean array object empty
  pets.create.refused.category-id-missing categoryId missing
  pets.create.refused.status-unknown status string
  pets.create.refused.status-number status number
  pets.create.refused.status-type status boolean array object empty
  pets.create.fields.refused status capitalized null
  pets.create.fields.refused categoryId exponent
  pets.create.name.refused name string empty
  orders.place.pet-id.type petId null number exponent string empty boolean array object
  orders.place.reference.type reference null number boolean array object
  orders.place.reference.refused reference string empty
  orders.place.expires-at.type expiresAt null number boolean array object
  orders.place.expires-at.invalid expiresAt string empty`
const released = RELEASED.split('\n').map((line) => line.trim().split(' '))

const dashed = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

export const FIELD_PROMISES: readonly FieldPromise[] = families.flatMap((family) => {
  const body = operationOf(family).requestBody?.content['application/json']?.schema
  const { properties = {}, required = [] } = body ? flatten(body, schemas) : {}
  return Object.entries(properties).flatMap(([field, given]) => {
    const own = released.filter(([id, name]) => id?.startsWith(`${family}.`) && name === field)
    const id = `${family}.${dashed(field)}${family.endsWith('.update') ? '' : '.refused'}`
    const schema = flatten(given, schemas)
    return (own.length > 0 ? own : [[id, field]]).map(([id = '', , ...kinds]) => {
      return { id, family, field, kinds, schema, isRequired: required.includes(field) }
    })
  })
})

/** The names in ids that are not the parameter's. */
const IDS: Record<string, string> = {
  'pets.list.categoryId': 'category',
  'orders.list.petId': 'pet',
  'events.list.petId': 'pet-filter',
  'events.list.orderId': 'order-filter',
}

/** The promises about the parameters of the lists. */
export const PARAMETER_PROMISES = families.flatMap((family) =>
  (operationOf(family).parameters as Parameter[]).flatMap((parameter) => {
    const end = IDS[`${family}.${parameter.name}`] ?? dashed(parameter.name ?? '')
    return parameter.in === 'query' ? [{ id: `${family}.${end}.wrong`, family, parameter }] : []
  }),
)

export function operationOf(family: Family): Operation {
  const all = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  return all.find(({ operationId }) => operationId === FAMILIES[family]) as Operation
}

/** Returns a value that the contract allows, or `undefined` if the field can be left out. */
export function validValue({ schema: { type, examples = [], enum: values = [] } }: FieldPromise): Json | undefined {
  if (Array.isArray(type)) return null
  const valid = examples[0] ?? values[0]
  return typeof valid === 'number' ? new JsonNumber(String(valid)) : (valid as string | undefined)
}

/** Whether the promise is about this value, which the contract rejects. */
export function isWrong({ schema, isRequired, kinds }: FieldPromise, value: Json | undefined): boolean {
  const problems: string[] = []
  if (value !== undefined) compileSchema(schema, schemas)(value, '', problems)
  const isRefused = value === undefined ? isRequired : problems.length > 0
  return isRefused && (kinds.length === 0 || kinds.includes(kindOf(value)))
}

function kindOf(value: Json | undefined): string {
  if (value === undefined) return 'missing'
  if (value instanceof JsonNumber) return value.text.includes('e') ? 'exponent' : 'number'
  if (typeof value === 'string') return value === '' ? 'empty' : /^[A-Z][a-z]+$/.test(value) ? 'capitalized' : 'string'
  return value === null ? 'null' : Array.isArray(value) ? 'array' : value instanceof Map ? 'object' : 'boolean'
}

/** Returns wrong values. `undefined` leaves out the field. */
export function wrongValues(promise: FieldPromise): (Json | undefined)[] {
  const { schema } = promise
  const valid = validValue(promise) ?? 'x'
  const isInteger = schema.type === 'integer'
  const strings = isInteger ? [String(schema.examples?.[0])] : wrongTexts(schema)
  const numbers = isInteger ? ['1.5', ...integersBeyond(schema), '1e999999999999999999999', '1e-999999999'] : ['7']
  const others = [undefined, null, true, false, [valid], new Map([['x', valid]]), '', ...strings]
  return [...others, ...numbers.map((text) => new JsonNumber(text))].filter((value) => isWrong(promise, value))
}

function integersBeyond({ minimum = Number.NaN, maximum = Number.NaN }: Schema): string[] {
  const near = [minimum - 1, maximum + 1].filter(Number.isSafeInteger)
  return [...near, 2n ** 63n, -(2n ** 63n) - 1n, 2n ** 64n + 1n].map(String)
}

const IN_TWO_DAYS = new Date(Date.now() + 172_800_000).toISOString().slice(0, 10)
const TIMES = ['', 'T18:00:00', ' 18:00:00Z', 'T18:00Z', 'T24:00:00Z', 'T18:00:60Z', 'T18:00:00+02']
  .map((time) => IN_TWO_DAYS + time)
  .concat('2096-02-30T18:00:00Z')
const TEXTS = ['x', ' \t\u3000', 'a\u0000b', '\ud800', 'AAAAAAAAABRk2Rs']
/** Gateways reject these themselves. */
const NOT_IN_QUERIES = /[\0\p{Cs}]/u

/** Returns texts that a server can mistake for valid ones. Some are valid. */
function wrongTexts({ enum: values, 'x-extensible-enum': known = values, format, maxLength = 0 }: Schema): string[] {
  const [word = ''] = known ?? []
  if (known) return ['gone', word.toUpperCase(), word.replace(/^./, (letter) => letter.toUpperCase())]
  return format === undefined ? [...TEXTS, 'a'.repeat(maxLength + 1)] : TIMES
}

/** Returns spellings of an integer that are not plain decimal, and integers beyond int64. */
export function wrongIntegers(valid: string, schema: Schema = {}): string[] {
  const spelt = [`+${valid}`, `0${valid}`, `${valid}.0`, `${valid}e0`, `${valid} `, '-0', '\u0661', 'x']
  return [...spelt, ...integersBeyond(schema)]
}

/** Wrong values that a schema cannot describe, by the name of the parameter. */
const BEYOND_SCHEMA: Record<string, readonly string[]> = {
  search: ['\u{1F436}-', [...Array(SEARCH_WORDS_MAX + 1).keys()].join(' ')],
  from: TIMES,
  cursor: ['A'.repeat(24)],
}

/** Returns queries with a value that the contract rejects, or with a value that is repeated. */
export function wrongQueries({ name, schema, example }: Parameter): string[] {
  const { type, items, maxItems, uniqueItems, ...flat } = flatten(schema, schemas)
  const one = flatten(items ?? { ...flat, type }, schemas)
  const isRefused = (text: string) => {
    const problems: string[] = []
    compileTextSchema(one, schemas)(text, name, problems)
    return problems.length > 0
  }
  const known = one.enum ?? one['x-extensible-enum'] ?? ['7', 'now', 'a']
  const valid = [example, one.default, ...known].map(String).find((text) => !isRefused(text))
  const texts = one.type === 'integer' ? wrongIntegers(valid ?? '1', one) : wrongTexts(one)
  const wrong = texts.filter((text) => !NOT_IN_QUERIES.test(text) && isRefused(text))
  const repeated = valid === undefined ? [] : [[valid, items && !uniqueItems ? 'gone' : valid]]
  if (maxItems) repeated.push([...Array(maxItems + 1).keys()].map(String))
  return [[''], ...[...wrong, ...(BEYOND_SCHEMA[name] ?? [])].map((text) => [text]), ...repeated].map((values) =>
    values.map((value) => `${name}=${encodeURIComponent(value)}`).join('&'),
  )
}
