// The contract file: linting, and rules that no linter knows. packages/service/test/http/api.scenarios.ts tests that
// the service follows it.

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createConfig, lint } from '@redocly/openapi-core'
import document from '../../../openapi.yaml'
import { version } from '../../../package.json'
import { positionOf } from '../../service/src/http/request/cursor.ts'
import { ERROR_STATUS, type ErrorCode } from '../src/generated.ts'
import { BODY_BYTES_MAX, NESTING_MAX, SEARCH_WORDS_MAX } from '../src/limits.ts'
import type { Response as Declared } from '../src/openapi.ts'

const text = readFileSync(new URL('../../../openapi.yaml', import.meta.url), 'utf8')
const prose = text.replaceAll(/\s+/g, ' ')
const { paths, components } = document
const OPERATIONS = Object.values(paths).flatMap((methods) => Object.values(methods))

test('an independent linter finds no problem', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] })
  const ref = fileURLToPath(new URL('../../../openapi.yaml', import.meta.url))
  expect(await lint({ ref, config })).toEqual([])
})

const BOUNDS = ['minimum: -9223372036854775808', 'maximum: 9223372036854775807']

// Checked as text, because YAML parsers round such numbers.
test('each int64 has both bounds, and counts have a minimum of 0', () => {
  const found = [...text.matchAll(/^( +)format: int64\n(?:\1(m.*)\n)?(?:\1(m.*)\n)?/gm)]
  expect(found.length).toBe(text.split('int64\n').length - 1)
  for (const [whole, , minimum, maximum] of found) {
    expect({ whole, maximum }).toEqual({ whole, maximum: BOUNDS[1] as string })
    expect([BOUNDS[0], 'minimum: 0']).toContain(minimum)
  }
  expect(found.filter(([, , minimum]) => minimum === 'minimum: 0')).toHaveLength(3)
})

test('the descriptions have the limits that a schema cannot express', () => {
  const size = `at most ${BODY_BYTES_MAX / 1024} KiB, nested at most ${NESTING_MAX} levels`
  for (const sentence of [size, `larger than ${BODY_BYTES_MAX / 1024} KiB`, `larger than ${BODY_BYTES_MAX} bytes`]) {
    expect(prose).toContain(sentence)
  }
  const words = [...prose.matchAll(/At most (\d+) words as written/g)].map(([, count]) => Number(count))
  expect(words).toEqual([SEARCH_WORDS_MAX, SEARCH_WORDS_MAX])
})

/** Fields of a new pet that can never change. */
const FIXED: string[] = []
test('every field of a new pet can be changed', () => {
  const fieldsOf = (name: string) => Object.keys(components.schemas[name]?.properties ?? {})
  expect([...fieldsOf('PetChange'), ...FIXED]).toEqual(fieldsOf('NewPet'))
})

test('the cursors in examples are valid', () => {
  const examples = [...text.matchAll(/cursor=([\w-]{15})\b/g)].map(([, cursor]) => cursor)
  expect(examples.length).toBe(2)
  for (const [index, cursor] of examples.sort().entries()) {
    const list = index < 1 ? 'orders' : 'pets'
    const none = { status: undefined, categoryId: undefined, petId: undefined, search: undefined }
    expect(positionOf(cursor, list, { ...none, limit: 20, sort: 'oldest' })).toEqual({ after: 20n, back: false })
  }
})

test('patterns have double quotes only in brackets, because Specmatic rejects others', () => {
  const patterns = [...text.matchAll(/pattern: (.*)/g)].map(([, pattern = '']) => pattern.slice(1, -1))
  expect(patterns.length).toBeGreaterThan(3)
  for (const pattern of patterns) expect(pattern.replaceAll(/\[(?:[^\\\]]|\\.)*\]/g, '')).not.toContain('"')
})

test('every operation requires a bearer key, the version is 1.0.0 of this release, and both servers end in /v1', () => {
  for (const one of OPERATIONS) expect(one).toMatchObject({ security: [{ apiKey: [] }] })
  expect(document).toMatchObject({ info: { version: '1.0.0', 'x-release': version } })
  expect(document.servers.map(({ url }) => url.endsWith('/v1'))).toEqual([true, true])
})

/** The names of the labels in oasdiff, which reports breaking changes from beta on. */
const LEVELS = { stable: 'stable', beta: 'beta', experimental: 'alpha' } as const

test('x-stability-level and x-badges repeat the labels of stability', () => {
  for (const operation of OPERATIONS) {
    const { operationId, 'x-stability': stability, 'x-stability-level': level, 'x-badges': badges } = operation
    const sunset = operation['x-deprecated-sunset']
    const removal = sunset ? [{ name: `removal on ${sunset}` }] : []
    const expected = { operationId, level: LEVELS[stability], badges: [{ name: stability }, ...removal] }
    expect({ operationId, level, badges }).toEqual(expected)
  }
})

test('the description explains the labels of stability', () => {
  for (const label of Object.keys(LEVELS)) expect(document.info.description).toContain(`\`${label}\`: it `)
})

/** No operation returns these codes. */
const OUTSIDE = { method_not_allowed: 405, invalid_names: 400, names_in_file: 409, precondition_required: 428 }

test('each error code is listed at responses with the status in its description', () => {
  expect(components.schemas.ErrorCode).not.toHaveProperty('enum')
  const responses = OPERATIONS.flatMap((operation) => Object.entries(operation.responses))
  const stated = responses.flatMap(([status, response]) => {
    const name = '$ref' in response ? (response.$ref.split('/').at(-1) as string) : ''
    const { 'x-error-codes': codes = [] } = '$ref' in response ? (components.responses[name] as Declared) : response
    return codes.map((code) => [code, Number(status)] as const)
  })
  expect({ ...Object.fromEntries(stated), ...OUTSIDE }).toEqual(ERROR_STATUS)
  for (const [code, status] of stated) expect([code, status]).toEqual([code, ERROR_STATUS[code as ErrorCode]])
})

test('the description of a response lists each of its codes', () => {
  const stated = Object.values(components.responses).flatMap((response) => {
    const codes = response['x-error-codes'] ?? []
    for (const code of codes) expect(response.description).toContain(`\`${code}\``)
    if (response.content) expect({ response, codes: codes.length }).not.toMatchObject({ codes: 0 })
    return codes
  })
  const known = components.schemas.ErrorCode?.['x-extensible-enum'] ?? []
  expect([...new Set(stated), ...Object.keys(OUTSIDE)].sort()).toEqual([...known].sort())
})

test('every operation, parameter, field and response has a description', () => {
  const { parameters, schemas, responses, headers } = components
  const fields = Object.values(schemas).flatMap(({ properties = {}, allOf = [] }) =>
    [properties, ...allOf.map((one) => one.properties ?? {})].flatMap((one) => Object.values(one)),
  )
  const described = [
    ...OPERATIONS.flatMap((one) => [one, ...(one.parameters ?? []), ...Object.values(one.responses)]),
    ...[parameters, schemas, responses, headers].flatMap((one) => Object.values(one)),
    ...fields,
  ]
  const silent = described.filter((one) => !('$ref' in one) && !('description' in one && one.description))
  expect(silent).toEqual([])
})
