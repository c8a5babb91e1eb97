// Compiles the part of JSON Schema that the contract uses to validators for exact JSON, which report every problem as
// a sentence. Libraries check numbers that JSON.parse has already rounded. An unknown keyword is an error at start, so
// no part of the contract is silently ignored; a new keyword must be added here.

import { DATE_TIME_EXPECTED, dateFromText, instantFromText, lacksSeconds } from './date-time.ts'
import { INT64_MAX, INT64_MIN, int64FromDecimal, int64FromJson, type Json, JsonNumber } from './json.ts'
import type { Schema } from './openapi.ts'

/**
 * Returns the value with defaults and without unknown fields: int64 as bigint, int32 as number, date-time as
 * milliseconds since 1970, date as text. Adds each problem to `problems` as a sentence that starts with `name`. The
 * returned value is then meaningless.
 */
export type Validator = (value: Json, name: string, problems: string[]) => unknown

/** As Validator, for the text of a path or query parameter, or of one item of an array. A date-time stays text. */
export type TextValidator = (text: string, name: string, problems: string[]) => unknown

type Schemas = Record<string, Schema>

/** A time with an offset fits. */
const SHOWN_MAX = 24
/** The beginning of an API key. A message shows nothing after it. */
const KEY = /pets_(?:live|test)_/

/** Returns the beginning of a value for messages, in quotes if it is a string. Invisible characters are escaped. */
export function shown(value: Json): string {
  if (value instanceof Map) return 'an object'
  if (Array.isArray(value)) return 'an array'
  const text = value instanceof JsonNumber ? value.text : String(value)
  const { 0: prefix = '', index = text.length } = KEY.exec(text) ?? {}
  const begin = [...text.slice(0, Math.min(2 * SHOWN_MAX, index + prefix.length))].slice(0, SHOWN_MAX).join('')
  const cut = begin.length < text.length ? `${begin}…` : begin
  if (typeof value !== 'string') return cut
  return JSON.stringify(cut).replace(/[\p{Cc}\p{Cf}]/gu, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`)
}

const ANNOTATIONS = [
  ...['description', 'examples', 'default', 'x-pattern-description', 'x-extensible-enum'],
  // Checked by the store against its clock.
  'x-days-ahead-max',
]
const KEYWORDS: Record<string, readonly string[]> = {
  string: ['format', 'enum', 'minLength', 'maxLength', 'pattern'],
  integer: ['format', 'minimum', 'maximum'],
  array: ['items', 'maxItems'],
  object: ['required', 'properties', 'minProperties'],
}

const BOUNDS: Record<string, readonly [bigint, bigint]> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [INT64_MIN, INT64_MAX],
}

/** `read` returns `undefined` for text in another format. */
const STRING_FORMATS: Record<string, { read: (text: string) => unknown; expected: string }> = {
  'date-time': { read: instantFromText, expected: DATE_TIME_EXPECTED },
  date: { read: dateFromText, expected: 'a date, such as 2026-11-21' },
}

export function compileSchema(schema: Schema, schemas: Schemas): Validator {
  const flat = flatten(schema, schemas)
  if (!Array.isArray(flat.type)) return compileFlat(flat, schemas)
  const [type, nothing, ...others] = flat.type
  if (nothing !== 'null' || others.length > 0) throw new Error(`unsupported schema: ${JSON.stringify(flat)}`)
  const validate = compileFlat({ ...flat, type }, schemas)
  return (value, name, problems) => (value === null ? null : validate(value, name, problems))
}

function compileFlat(flat: Schema, schemas: Schemas): Validator {
  const known = KEYWORDS[String(flat.type)]
  const unknown = Object.keys(flat).filter((key) => key !== 'type' && ![...ANNOTATIONS, ...(known ?? [])].includes(key))
  if (!known || unknown.length > 0) throw new Error(`unsupported schema: ${JSON.stringify(flat)} ${unknown}`)
  if (flat.type === 'string') return flat.format === undefined ? stringValidator(flat) : formatValidator(flat)
  if (flat.type === 'integer') return integerValidator(flat)
  if (flat.type === 'array') return arrayValidator(flat, schemas)
  return objectValidator(flat, schemas)
}

export function compileTextSchema(schema: Schema, schemas: Schemas): TextValidator {
  const flat = flatten(schema, schemas)
  if (flat.type === 'array') return compileTextSchema(flat.items ?? {}, schemas)
  const known = flat['x-extensible-enum']
  // Only values that this version knows are valid in a request.
  const validate = compileSchema(known ? { ...flat, enum: known } : flat, schemas)
  if (flat.type === 'string') {
    return (text, name, problems) => {
      validate(text, name, problems)
      return text
    }
  }
  const expected = integerDescription(flat)
  return (text, name, problems) => {
    if (int64FromDecimal(text) !== undefined) return validate(new JsonNumber(text), name, problems)
    problems.push(`${name} must be ${expected}, in plain decimal digits, not ${shown(text)}.`)
  }
}

/** Resolves `$ref` and merges it with its siblings and `allOf`. Assumes that the parts do not conflict. */
export function flatten({ $ref, allOf = [], ...own }: Schema, schemas: Schemas): Schema {
  const target = $ref === undefined ? undefined : schemas[$ref.replace('#/components/schemas/', '')]
  if ($ref !== undefined && !target) throw new Error(`no schema at ${$ref}`)
  const parts = [...(target ? [target] : []), ...allOf].map((part) => flatten(part, schemas))
  const all = [...parts, own]
  const whole: Schema = Object.assign({}, ...all)
  if (whole.required) whole.required = all.flatMap(({ required = [] }) => required)
  if (whole.properties) whole.properties = Object.assign({}, ...all.map(({ properties }) => properties))
  return whole
}

function stringValidator(schema: Schema): Validator {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema
  const pattern = schema.pattern === undefined ? undefined : new RegExp(schema.pattern, 'u')
  const patternDescription = schema['x-pattern-description'] ?? `must match ${schema.pattern}`
  const allowed = schema.enum && new Set(schema.enum)
  const lengthDescription = Number.isFinite(maxLength) ? `${minLength} to ${maxLength}` : `at least ${minLength}`
  return (value, name, problems) => {
    if (allowed) {
      if (typeof value === 'string' && allowed.has(value)) return value
      return problems.push(`${name} must be one of ${schema.enum?.join(', ')}, not ${shown(value)}.`)
    }
    if (typeof value !== 'string') return problems.push(`${name} must be a string, not ${shown(value)}.`)
    // A lone surrogate is not a character (RFC 8259, 8.2).
    if (!value.isWellFormed()) {
      return problems.push(`${name} must be well-formed Unicode without lone surrogates, unlike ${shown(value)}.`)
    }
    if (!lengthWithin(value, minLength, maxLength)) {
      return problems.push(`${name} must be ${lengthDescription} characters long, not ${lengthOf(value)}.`)
    }
    if (pattern && !pattern.test(value)) return problems.push(`${name} ${patternDescription}, unlike ${shown(value)}.`)
    return value
  }
}

function formatValidator(schema: Schema): Validator {
  const { format = '', enum: allowed, minLength, maxLength, pattern } = schema
  const known = STRING_FORMATS[format]
  if (!known || (allowed ?? minLength ?? maxLength ?? pattern) !== undefined) {
    const formats = Object.keys(STRING_FORMATS).join(' or ')
    throw new Error(`a string's format is ${formats}, without other keywords: ${JSON.stringify(schema)}`)
  }
  return (value, name, problems) => {
    const read = typeof value === 'string' ? known.read(value) : undefined
    if (read !== undefined) return read
    const note = format === 'date-time' && typeof value === 'string' && lacksSeconds(value) ? ' It has no seconds.' : ''
    return problems.push(`${name} must be ${known.expected}, not ${shown(value)}.${note}`)
  }
}

/** Counts code points, as JSON Schema requires, but only if the number of UTF-16 units does not decide. */
function lengthWithin(value: string, min: number, max: number): boolean {
  if (value.length > 2 * max) return false
  if (value.length <= max && value.length >= 2 * min) return true
  const length = lengthOf(value)
  return length >= min && length <= max
}

function lengthOf(value: string): number {
  let codePoints = 0
  for (const _ of value) codePoints++
  return codePoints
}

function integerValidator(schema: Schema): Validator {
  const [min, max] = integerBounds(schema)
  const expected = integerDescription(schema)
  return (value, name, problems) => {
    const integer = value instanceof JsonNumber ? int64FromJson(value.text) : 'fraction'
    if (integer === 'fraction') return problems.push(`${name} must be an integer, not ${shown(value)}.`)
    if (integer === 'range' || integer < min || integer > max) {
      return problems.push(`${name} must be ${expected}, not ${shown(value)}.`)
    }
    return schema.format === 'int64' ? integer : Number(integer)
  }
}

function integerDescription(schema: Schema): string {
  const [min, max] = integerBounds(schema)
  return `an integer from ${min} to ${max}`
}

function integerBounds(schema: Schema): [bigint, bigint] {
  const bounds = BOUNDS[schema.format ?? '']
  if (!bounds) throw new Error(`an integer must have the format int32 or int64: ${JSON.stringify(schema)}`)
  const [min, max] = [BigInt(schema.minimum ?? bounds[0]), BigInt(schema.maximum ?? bounds[1])]
  // The YAML parser rounds the bounds of int64 to values beyond it.
  return [min < bounds[0] ? bounds[0] : min, max > bounds[1] ? bounds[1] : max]
}

function arrayValidator({ items = {}, maxItems = Number.POSITIVE_INFINITY }: Schema, schemas: Schemas): Validator {
  const validateItem = compileSchema(items, schemas)
  return (value, name, problems) => {
    if (!Array.isArray(value)) return problems.push(`${name} must be an array, not ${shown(value)}.`)
    if (value.length > maxItems) {
      return problems.push(`${name} must have at most ${maxItems} items, not ${value.length}.`)
    }
    return value.map((item, index) => validateItem(item, `${name}[${index}]`, problems))
  }
}

function objectValidator(schema: Schema, schemas: Schemas): Validator {
  if ((schema.minProperties ?? 0) > 1) throw new Error(`unsupported schema: ${JSON.stringify(schema)}`)
  const fields = Object.entries(schema.properties ?? {}).map(([field, property]) => ({
    field,
    required: schema.required?.includes(field) ?? false,
    default: flatten(property, schemas).default,
    validate: compileSchema(property, schemas),
  }))
  return (value, name, problems) => {
    if (!(value instanceof Map)) return problems.push(`${name} must be a JSON object, not ${shown(value)}.`)
    if (value.size < (schema.minProperties ?? 0)) problems.push(`${name} must have at least one field.`)
    const object: Record<string, unknown> = {}
    for (const field of fields) {
      const given = value.get(field.field)
      if (given !== undefined) object[field.field] = field.validate(given, field.field, problems)
      else if (field.required) problems.push(`${field.field} is required.${misspelt(field.field, value)}`)
      else if (field.default !== undefined) object[field.field] = field.default
    }
    return object
  }
}

/** Returns a space and a sentence with the field that was probably meant, or an empty string. */
function misspelt(field: string, object: ReadonlyMap<string, Json>): string {
  const plain = (name: string) => name.replaceAll('_', '').replaceAll('-', '').toLowerCase().replace(/id$/, '')
  const name = object.keys().find((other) => other.length <= 64 && plain(other) === plain(field))
  return name === undefined ? '' : ` Did you mean ${field} instead of ${name}?`
}
