// Inputs that one contract accepts and another rejects. The comparison of structure (contract-changes.ts) cannot know
// which inputs match a pattern or a combination of bounds, so this file tries values.

import {
  INT64_MAX,
  INT64_MIN,
  type Json,
  JsonNumber,
  parseJson,
  stringifyJson,
} from '../../packages/contract/src/json.ts'
import type { OpenApi, Operation, Schema } from '../../packages/contract/src/openapi.ts'
import { parametersOf } from '../../packages/contract/src/parameters.ts'
import { compileSchema, compileTextSchema, flatten } from '../../packages/contract/src/schema.ts'

const NUMBERS = [
  '0',
  '-0',
  '1',
  '1.0',
  '1e3',
  '7',
  '20',
  '50',
  '99',
  '100',
  '101',
  '-1',
  `${INT64_MIN}`,
  `${INT64_MAX}`,
]
const TIMES = ['2026-11-21T18:00:00Z', '2026-11-21t18:00:00.123456789+02:00', '2026-11-21', '2026-11-21T18:00Z']
const CURSORS = [15, 24, 30].flatMap((length) => ['A'.repeat(length), 'z-_9'.repeat(length).slice(0, length)])
const TEXTS = ['', ' ', 'Rex', 'ä', '犬', ' Rex ', '"quoted"', 'a b', 'a,b', 'now', 'beginning', 'x'.repeat(300)]

/** Returns the inputs that `before` accepts and `after` rejects, as `operationId name value`. */
export function rejectedInputs(before: OpenApi, after: OpenApi): string[] {
  return Object.entries(before.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const now = after.paths[path]?.[method]
      if (!now || operation['x-stability'] === 'experimental') return []
      const inputs = [...rejectedTexts(method, [operation, before], [now, after])]
      return [...inputs, ...rejectedBodies([operation, before], [now, after])].map(
        (input) => `${operation.operationId} ${input}`,
      )
    }),
  )
}

type Side = readonly [Operation, OpenApi]

function* rejectedTexts(method: string, [before, old]: Side, [after, now]: Side): Generator<string> {
  const later = parametersOf(method, after, now.components)
  for (const parameter of parametersOf(method, before, old.components)) {
    const same = later.find((one) => one.in === parameter.in && one.name === parameter.name)
    const accepts = compileTextSchema(parameter.schema, old.components.schemas)
    const accepted = same && compileTextSchema(same.schema, now.components.schemas)
    for (const text of textsOf(parameter.schema, old)) {
      if (isValid(accepts, text) && !(accepted && isValid(accepted, text))) yield `${parameter.name} ${text}`
    }
  }
}

function* rejectedBodies([before, old]: Side, [after, now]: Side): Generator<string> {
  const [schema, later] = [before, after].map((one) => one.requestBody?.content['application/json']?.schema)
  if (!schema || !later) return
  const accepts = compileSchema(schema, old.components.schemas)
  const accepted = compileSchema(later, now.components.schemas)
  for (const body of bodiesOf(schema, old)) {
    if (isValid(accepts, body) && !isValid(accepted, body)) yield `body ${stringifyJson(body)}`
  }
}

function isValid<Value>(validate: (value: Value, name: string, problems: string[]) => unknown, value: Value): boolean {
  const problems: string[] = []
  validate(value, 'it', problems)
  return problems.length === 0
}

/** Includes the bounds of the schema. */
function textsOf(schema: Schema, { components }: OpenApi): string[] {
  const { minLength = 0, maxLength = 0, minimum, maximum, items, ...flat } = flatten(schema, components.schemas)
  const bounds = [minimum, maximum].flatMap((bound) => (bound === undefined ? [] : String(bound)))
  const enums = [...(flat.enum ?? []), ...(items ? (flatten(items, components.schemas).enum ?? []) : [])]
  const lengths = [minLength, maxLength].map((length) => 'x'.repeat(length))
  return [...NUMBERS, ...TIMES, ...CURSORS, ...TEXTS, ...bounds, ...enums.map(String), ...lengths]
}

/** Each field has each value once, next to a valid value of the other fields. */
function bodiesOf(schema: Schema, contract: OpenApi): Json[] {
  const { properties = {} } = flatten(schema, contract.components.schemas)
  const rex = { name: 'Rex', categoryId: new JsonNumber('7'), petId: new JsonNumber('1') } as Record<string, Json>
  const whole = Object.keys(properties).flatMap((field) =>
    rex[field] === undefined ? [] : [[field, rex[field]] as const],
  )
  return Object.entries(properties).flatMap(([field, property]) => {
    const numbers = NUMBERS.map((text): Json => new JsonNumber(text))
    const values = [...numbers, ...textsOf(property, contract), null, true, parseJson('[]'), parseJson('{}')]
    return values.flatMap((value): Json[] => [new Map([...whole, [field, value]]), new Map([[field, value]])])
  })
}
