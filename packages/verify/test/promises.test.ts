// The ids, sentences, sources and premises of the catalogue. packages/service/test/http/api.scenarios.ts runs its
// checks.

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import document from '../../../openapi.yaml'
import { expectReleased } from '../../../test/support/released.ts'
import { JsonNumber } from '../../contract/src/json.ts'
import { PROMISES } from '../src/promises/all.ts'
import { FIELD_PROMISES, PARAMETER_PROMISES, wrongQueries, wrongValues } from '../src/wrong-values.ts'

const root = join(import.meta.dir, '../../..')
const known = new Map(PROMISES.map((row) => [row.id, row]))

test('each promise has a unique id and a sentence', () => {
  expect(known.size).toBe(PROMISES.length)
  for (const { id, promise } of PROMISES) {
    expect(id).toMatch(/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/)
    expect(promise).toMatch(/^\S.*\.$/)
  }
  expectReleased('promises', known.keys())
})

/** Promises that name no operation. */
const GENERAL = /^(?:(?:answers|errors)\.[a-z-]+|methods\.(?:other|head)|orders\.together)(?:\.|$)/

test('each sentence mentions its operation and is unique', () => {
  const sentences = Map.groupBy(PROMISES, ({ promise }) => promise)
  expect([...sentences].filter(([, rows]) => rows.length > 1).map(([sentence]) => sentence)).toEqual([])
  const nameless = PROMISES.filter(({ promise }) => !/\b(?:GET|HEAD|OPTIONS|POST|PUT|PATCH|DELETE) \//.test(promise))
  expect(nameless.map(({ id }) => id).filter((id) => !GENERAL.test(id))).toEqual([])
})

test('premises exist, need no more than the promise, have no later level, and form no cycle', () => {
  const levels = ['interface', 'pets', 'store']
  for (const { id, premises = [], needs = [], level } of PROMISES) {
    for (const premise of premises.map((one) => known.get(one))) {
      expect([id, premise?.id]).toEqual([id, expect.any(String)])
      expect([id, ...(premise?.needs ?? []).filter((need) => !needs.includes(need))]).toEqual([id])
      expect(levels.indexOf(premise?.level ?? '')).toBeLessThanOrEqual(levels.indexOf(level))
    }
  }
  const circle = (id: string, path: readonly string[]): boolean =>
    path.includes(id) || (known.get(id)?.premises ?? []).some((premise) => circle(premise, [...path, id]))
  expect(PROMISES.filter(({ id }) => circle(id, [])).map(({ id }) => id)).toEqual([])
})

/** `heading: subject` of each item of the interface document, with its quotation. */
const rows = readFileSync(join(root, 'docs/interface.md'), 'utf8')
  .split('\n## ')
  .flatMap((section) => {
    const [heading = ''] = section.split('\n')
    const items = section.matchAll(/^- \*\*(.+?)\*\*(?: — \*([^*]+)\*)?/gm)
    return [...items].map(([, subject, says = '']) => ({ place: `${heading}: ${subject}`, says }))
  })

test('each source exists', () => {
  const places = rows.map(({ place }) => place)
  for (const [id, source] of PROMISES.flatMap(({ id, sources }) => sources.map((source) => [id, source] as const))) {
    const [, place, pointer] = /^docs\/interface\.md, (.*)$|^openapi\.yaml#(\/.*)$/.exec(source) ?? []
    if (place !== undefined) expect(places).toContain(place)
    else if (pointer !== undefined) expect([id, at(pointer)]).toEqual([id, expect.anything()])
    else expect(source).toMatch(/^RFC \d+, section [\d.]+$/)
  }
})

/** Sentences of the interface document that no request can check. */
const UNSEEN = [
  'Pets: Change of `status`|Environments and versions: Addresses|Environments and versions: Version',
  'The store area: Operations|The store area: Labels|The store area: Events',
].flatMap((rows) => rows.split('|'))

test('each sentence of the interface document has a promise', () => {
  const said = rows.filter(({ says }) => says !== '').map(({ place }) => place)
  const promised = PROMISES.filter(({ level }) => level === 'interface')
    .flatMap(({ sources }) => sources)
    .map((source) => source.split(', ')[1])
  expect(said.filter((place) => !promised.includes(place))).toEqual(UNSEEN)
})

test('each parameter, header and field of the contract has a promise', () => {
  const { paths, components } = document
  const parameters = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      Object.keys(operation.parameters ?? []).map((index) => pointer('paths', path, method, 'parameters', index)),
    ),
  )
  const headers = Object.keys(components.headers).map((name) => pointer('components', 'headers', name))
  const fields = Object.entries(components.schemas).flatMap(([name, { properties, allOf = [] }]) => [
    ...Object.keys(properties ?? {}).map((field) => pointer('components', 'schemas', name, 'properties', field)),
    ...allOf.flatMap((part, index) =>
      Object.keys(part.properties ?? {}).map((field) =>
        pointer('components', 'schemas', name, 'allOf', String(index), 'properties', field),
      ),
    ),
  ])
  const promised = new Set(PROMISES.flatMap(({ sources }) => sources).map((source) => source.split('#')[1]))
  expect([...parameters, ...headers, ...fields].filter((place) => !promised.has(place))).toEqual([])
})

const TYPES = ['null', 'true', 'false', 'Map', 'Array']
const BEYOND = ['9223372036854775808', '-9223372036854775809', '18446744073709551617']
test.each([
  ['pets.create', 'name', [...TYPES, 'undefined', '""', '"a\\u0000b"', '7']],
  ['pets.create', 'categoryId', [...TYPES, 'undefined', '""', '1.5', ...BEYOND]],
  ['pets.create', 'status', [...TYPES, '"gone"', '"AVAILABLE"', '"Available"', '7']],
  ['orders.update', 'expiresAt', ['true', 'Map', 'Array', '"2096-02-30T18:00:00Z"', '7']],
])('%s gets a %s of each wrong kind', (family, field, kinds) => {
  const values = FIELD_PROMISES.filter((one) => one.family === family && one.field === field).flatMap(wrongValues)
  const kindOf = (value: unknown) =>
    value instanceof JsonNumber ? value.text : value instanceof Object ? value.constructor.name : JSON.stringify(value)
  expect(values.map((value) => kindOf(value) ?? 'undefined')).toEqual(expect.arrayContaining(kinds))
})

test('pets.list gets a limit out of bounds, empty, in another notation, and twice', () => {
  const [limit] = PARAMETER_PROMISES.filter(({ id }) => id === 'pets.list.limit.wrong')
  const wrong = ['', '0', '101', '%2B20', '020', '20.0', '20&limit=20'].map((value) => `limit=${value}`)
  expect(limit && wrongQueries(limit.parameter)).toEqual(expect.arrayContaining(wrong))
})

function pointer(...steps: string[]): string {
  return steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

function at(pointer: string): unknown {
  const steps = pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  return steps.reduce<unknown>((node, step) => (node as Record<string, unknown> | undefined)?.[step], document)
}
