// The contract beside that of the last release, which packages/contract/test/released.yaml.gz keeps: what a stable operation promises stays, and a beta
// one changes only with an entry in the changelog. And that the comparison sees each kind of change.

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import document from '../../../openapi.yaml'
import { breakingChanges, forbidden } from '../../../test/support/contract-changes.ts'
import type { OpenApi, Operation } from '../src/openapi.ts'

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
const compressed = readFileSync(new URL('released.yaml.gz', import.meta.url))
const released = Bun.YAML.parse(gunzipSync(compressed).toString()) as OpenApi

test('nothing has changed that breaks a client of a stable operation, or unannounced one of a beta operation', () => {
  expect(forbidden(breakingChanges(released, document), read('../../../CHANGELOG.md'))).toEqual([])
})

type Row = [description: string, place: string, value: unknown, operations?: string]

/** The changes after a value was put at this place of the contract, or taken away. A test fails if the place is not there. */
function changesAfter([, place, value]: Row) {
  const contract = structuredClone(document)
  const path = place.split(' ')
  const name = path.pop() as string
  // biome-ignore lint/suspicious/noExplicitAny: any place
  const at = path.reduce((one: any, key) => one[key], contract)
  if (Array.isArray(at) && name === 'new') at.push(value)
  else if (value === undefined) delete at[name]
  else at[name] = value
  if (Array.isArray(at)) at.splice(0, at.length, ...at.filter((one) => one !== undefined))
  return breakingChanges(document, contract)
}

const PARAMETERS = 'paths /pets get parameters'
const RESPONSES = 'paths /pets get responses'
const SCHEMAS = 'components schemas'
const RETRY_AFTER = 'components headers RetryAfter'
const SHOP = { name: 'shop', in: 'query', schema: { type: 'string' } }
const PETS = 'listPets createPet getPet updatePet listEvents'
const ORDERS = 'listOrders placeOrder getOrder updateOrder completeOrder returnOrder listEvents'
const ALL = Object.values(document.paths).flatMap((methods) => Object.values(methods).map((one) => one.operationId))

describe('what breaks a client is seen:', () => {
  const ROWS: Row[] = [
    ['an operation', 'paths /pets get', undefined, 'listPets'],
    ['a path', 'paths /pets', undefined, 'listPets createPet'],
    ['an operationId', 'paths /pets get operationId', 'getPets', 'listPets'],
    ['a weaker label', 'paths /pets get x-stability', 'beta', 'listPets'],
    ['no credential', 'paths /pets get security', undefined, 'listPets'],
    ['another kind of key', 'components securitySchemes apiKey scheme', 'basic', ALL.join(' ')],
    ['an earlier removal', 'paths /pets/{petId} get x-deprecated-sunset', '2030-12-04', 'getPet'],
    ['a parameter', `${PARAMETERS} 0`, undefined, 'listPets'],
    ['a parameter that becomes required', `${PARAMETERS} 1 required`, true, 'listPets'],
    ['a new parameter that is required', `${PARAMETERS} new`, { ...SHOP, required: true }, 'listPets'],
    ['a narrower bound of a parameter', `${PARAMETERS} 0 schema maximum`, 50, 'listPets'],
    ['a higher bound of a parameter', `${PARAMETERS} 0 schema minimum`, 5, 'listPets'],
    ['another default', `${PARAMETERS} 0 schema default`, 50, 'listPets'],
    ['a type', `${PARAMETERS} 0 schema type`, 'string', 'listPets'],
    ['a format', `${PARAMETERS} 0 schema format`, 'int64', 'listPets'],
    ['another pattern of a request', `${PARAMETERS} 5 schema pattern`, '^[0-9]+$', 'listPets'],
    ['a keyword of which nothing is known', `${PARAMETERS} 0 schema const`, 7, 'listPets'],
    ['a media type of a request', 'paths /pets post requestBody content application/json', undefined, 'createPet'],
    ['a body where none was needed', 'paths /pets get requestBody', { required: true, content: {} }, 'listPets'],
    ['a field of a request that becomes required', `${SCHEMAS} NewOrder required new`, 'reference', 'placeOrder'],
    ['an earlier end', `${SCHEMAS} NewOrder properties expiresAt x-days-ahead-max`, 30, 'placeOrder'],
    ['a shorter text in a request', `${SCHEMAS} PetChange properties name maxLength`, 100, 'updatePet'],
    ['a shorter text in a response', `${SCHEMAS} NewPet properties name minLength`, 0, PETS],
    ['a longer text in a response', `${SCHEMAS} NewPet properties name maxLength`, 1_000, PETS],
    ['a value that a request may no longer have', `${SCHEMAS} OrderStatus enum 0`, undefined, 'listOrders'],
    ['a value that a response never had', `${SCHEMAS} OrderStatus enum new`, 'lost', ORDERS],
    ['a set of values that is open', `${SCHEMAS} OrderStatus enum`, undefined, ORDERS],
    ['a field of a response', `${SCHEMAS} Inventory properties sold`, undefined, 'getInventory'],
    ['a field that a response may leave out', `${SCHEMAS} Inventory required 0`, undefined, 'getInventory'],
    ['more items than before', `${SCHEMAS} Pets maxItems`, 1_000, 'listPets'],
    ['a response', `${RESPONSES} 304`, undefined, 'listPets'],
    ['a new response', `${RESPONSES} 418`, { description: '' }, 'listPets'],
    ['a media type of a response', `${RESPONSES} 200 content application/json`, undefined, 'listPets'],
    ['a new media type of a response', `${RESPONSES} 200 content text/csv`, { schema: {} }, 'listPets'],
    ['a code of a response', 'components responses BadBody x-error-codes new', 'name_taken', 'createPet'],
    ['a header', `${RESPONSES} 200 headers Link`, undefined, 'listPets'],
    ['a header that may be left out', `${RETRY_AFTER} required`, false, ALL.join(' ')],
    ['what a header may hold', `${RETRY_AFTER} schema pattern`, undefined, ALL.join(' ')],
  ]
  test.each(ROWS.map((row) => [row[0], row] as const))('%s', (_, row) => {
    expect([...new Set(changesAfter(row).map(({ operationId }) => operationId))].join(' ')).toBe(`${row[3]}`)
  })

  test('with the place, and what it was and is', () => {
    const what = 'parameters query limit schema maximum is 50 instead of 100'
    const expected = { operationId: 'listPets', stability: 'stable' as const, what }
    expect(changesAfter(['', `${PARAMETERS} 0 schema maximum`, 50])).toEqual([expected])
  })
})

describe('what breaks no client passes:', () => {
  const ROWS: Row[] = [
    ['nothing', 'openapi', '3.1.0'],
    ['an operation', 'paths /shops', document.paths['/pets']],
    ['a parameter', `${PARAMETERS} new`, SHOP],
    ['a wider bound of a request', `${PARAMETERS} 0 schema maximum`, 1_000],
    ['a field that may be left out', `${SCHEMAS} NewPet properties colour`, { type: 'string' }],
    ['a field that a response always has', `${SCHEMAS} Pet allOf 0 required new`, 'status'],
    ['a header', `${RESPONSES} 200 headers X-Total`, { schema: { type: 'string' } }],
    ['a header that is always there', 'components headers NextLink required', true],
    ['a code that no longer occurs', 'components responses BadBody x-error-codes 0', undefined],
    ['a code that is known', `${SCHEMAS} ErrorCode x-extensible-enum new`, 'name_taken'],
    ['a stronger label', 'paths /store/orders get x-stability', 'stable'],
    ['a later removal', 'paths /pets/{petId} get x-deprecated-sunset', '2031-12-05'],
    ['words of an operation', 'paths /pets get description', 'Pets.'],
    ['words of a schema', `${SCHEMAS} Pet description`, 'One pet.'],
  ]
  test.each(ROWS.map((row) => [row[0], row] as const))('%s', (_, row) => {
    expect(changesAfter(row)).toEqual([])
  })
})

describe('a change that breaks clients is allowed', () => {
  const change = (stability: Operation['x-stability']) => [{ operationId: 'getOrder', stability, what: 'was removed' }]
  const changelog = (unreleased: string) =>
    `# Changelog\n\n## Unreleased\n\n${unreleased}\n\n## 1.0.0\n\n### Removed\n\n- \`getOrder\`.\n`

  test('of an experimental operation', () => {
    expect(forbidden(change('experimental'), changelog(''))).toEqual([])
  })

  test('of a beta operation, when the changelog announces it', () => {
    for (const heading of ['Changed', 'Deprecated', 'Removed']) {
      expect(forbidden(change('beta'), changelog(`### ${heading}\n\n- \`getOrder\` ends.`))).toEqual([])
    }
    const not = ['', '### Added\n\n- `getOrder`.', '### Changed\n\n- `getOrders`.', '### Changed\n\n- getOrder']
    for (const text of not) expect(forbidden(change('beta'), changelog(text))).toEqual(['getOrder: was removed'])
  })

  test('of a stable operation never', () => {
    expect(forbidden(change('stable'), changelog('### Changed\n\n- `getOrder`.'))).toEqual(['getOrder: was removed'])
  })
})
