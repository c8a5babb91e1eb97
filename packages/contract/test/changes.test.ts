// Compares the contract with the releases (packages/contract/test/released/): stable operations have no
// breaking changes, and beta operations only announced ones, and each input that a release accepted is accepted. Also tests that the comparison detects each kind of
// change.

import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import document from '../../../openapi.yaml'
import { breakingChanges, forbidden } from '../../../test/support/contract-changes.ts'
import { rejectedInputs } from '../../../test/support/contract-inputs.ts'
import { isRemoved } from '../../../test/support/released.ts'
import type { OpenApi, Operation } from '../src/openapi.ts'

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
const releases = readdirSync(new URL('released', import.meta.url)).map((name) => name.replace('.yaml.gz', ''))

test.each(releases)(
  'since %s, no stable operation has a breaking change, and no beta operation an unannounced one',
  (of) => {
    const released = gunzipSync(readFileSync(new URL(`released/${of}.yaml.gz`, import.meta.url))).toString()
    const changes = breakingChanges(Bun.YAML.parse(released) as OpenApi, document)
    expect(forbidden(changes, read('../../../CHANGELOG.md'), of)).toEqual([])
  },
)

test.each(releases)('every parameter and body that %s accepted is still accepted', (of) => {
  const released = gunzipSync(readFileSync(new URL(`released/${of}.yaml.gz`, import.meta.url))).toString()
  expect(rejectedInputs(Bun.YAML.parse(released) as OpenApi, document)).toEqual([])
})

test.each([
  ['a bound', 'paths /pets get parameters 0 schema maximum', 50, 'listPets limit 99'],
  [
    'a pattern',
    'components schemas NewPet properties name pattern',
    '^[A-Z]',
    'createPet body {"name":"ä","categoryId":7}',
  ],
  [
    'a length',
    'components schemas NewOrder properties reference maxLength',
    3,
    /^placeOrder body .*"reference":" Rex "/,
  ],
] as const)('an input that only the older contract accepts is found: %s', (_, place, value, input) => {
  const contract = structuredClone(document)
  const path = place.split(' ')
  const name = path.pop() as string
  // biome-ignore lint/suspicious/noExplicitAny: any place
  path.reduce((one: any, key) => one[key], contract)[name] = value
  const found = rejectedInputs(document, contract)
  expect(found.some((one) => (typeof input === 'string' ? one === input : input.test(one)))).toBe(true)
})

test('the contract of each release since 1.0.0 is kept', () => {
  const released = [...read('../../../CHANGELOG.md').matchAll(/^## (\d\S+)/gm)].map(([, version]) => version as string)
  expect(releases.toSorted()).toEqual(released.toSorted())
})

type Row = [description: string, place: string, value: unknown, operations?: string]

/**
 * Returns the breaking changes after setting or removing a value of the contract. Throws if its parent does not exist.
 */
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

describe('detects a breaking change:', () => {
  const ROWS: Row[] = [
    ['a removed operation', 'paths /pets get', undefined, 'listPets'],
    ['a removed path', 'paths /pets', undefined, 'listPets createPet'],
    ['another operationId', 'paths /pets get operationId', 'getPets', 'listPets'],
    ['a weaker stability label', 'paths /pets get x-stability', 'beta', 'listPets'],
    ['a removed credential', 'paths /pets get security', undefined, 'listPets'],
    ['another kind of key', 'components securitySchemes apiKey scheme', 'basic', ALL.join(' ')],
    ['an earlier removal', 'paths /pets/{petId} get x-deprecated-sunset', '2030-12-04', 'getPet'],
    ['a removed parameter', `${PARAMETERS} 0`, undefined, 'listPets'],
    ['a parameter that becomes required', `${PARAMETERS} 1 required`, true, 'listPets'],
    ['a new parameter that is required', `${PARAMETERS} new`, { ...SHOP, required: true }, 'listPets'],
    ['a narrower bound of a parameter', `${PARAMETERS} 0 schema maximum`, 50, 'listPets'],
    ['a higher bound of a parameter', `${PARAMETERS} 0 schema minimum`, 5, 'listPets'],
    ['another default', `${PARAMETERS} 0 schema default`, 50, 'listPets'],
    ['another type', `${PARAMETERS} 0 schema type`, 'string', 'listPets'],
    ['another pattern of a request', `${PARAMETERS} 5 schema pattern`, '^[0-9]+$', 'listPets'],
    ['an unknown keyword', `${PARAMETERS} 0 schema const`, 7, 'listPets'],
    ['a removed request media type', 'paths /pets post requestBody content application/json', undefined, 'createPet'],
    ['a body that becomes required', 'paths /pets get requestBody', { required: true, content: {} }, 'listPets'],
    ['a field of a request that becomes required', `${SCHEMAS} NewOrder required new`, 'reference', 'placeOrder'],
    ['a shorter reservation', `${SCHEMAS} NewOrder properties expiresAt x-days-ahead-max`, 30, 'placeOrder'],
    ['a shorter text in a request', `${SCHEMAS} PetChange properties name maxLength`, 100, 'updatePet'],
    ['a shorter text in a response', `${SCHEMAS} NewPet properties name minLength`, 0, PETS],
    ['a longer text in a response', `${SCHEMAS} NewPet properties name maxLength`, 1_000, PETS],
    ['a removed value of a request', `${SCHEMAS} OrderStatus enum 0`, undefined, 'listOrders'],
    ['a new value of a response', `${SCHEMAS} OrderStatus enum new`, 'lost', ORDERS],
    ['an enum that becomes open', `${SCHEMAS} OrderStatus enum`, undefined, ORDERS],
    ['a removed field of a response', `${SCHEMAS} Inventory properties sold`, undefined, 'getInventory'],
    ['a field of a response that becomes optional', `${SCHEMAS} Inventory required 0`, undefined, 'getInventory'],
    ['a longer array in a response', `${SCHEMAS} Pets maxItems`, 1_000, 'listPets'],
    ['a removed response', `${RESPONSES} 304`, undefined, 'listPets'],
    ['a new response', `${RESPONSES} 418`, { description: '' }, 'listPets'],
    ['a removed media type of a response', `${RESPONSES} 200 content application/json`, undefined, 'listPets'],
    ['a new media type of a response', `${RESPONSES} 200 content text/csv`, { schema: {} }, 'listPets'],
    ['a new code of a response', 'components responses BadBody x-error-codes new', 'name_taken', 'createPet'],
    ['a removed header', `${RESPONSES} 200 headers Link`, undefined, 'listPets'],
    ['a header that becomes optional', `${RETRY_AFTER} required`, false, ALL.join(' ')],
    ['a removed pattern of a header', `${RETRY_AFTER} schema pattern`, undefined, ALL.join(' ')],
  ]
  test.each(ROWS.map((row) => [row[0], row] as const))('%s', (_, row) => {
    expect([...new Set(changesAfter(row).map(({ operationId }) => operationId))].join(' ')).toBe(`${row[3]}`)
  })

  test('a breaking change is reported with its place, and its old and new value', () => {
    const what = 'parameters query limit schema maximum is 50 instead of 100'
    const expected = { operationId: 'listPets', stability: 'stable' as const, what }
    expect(changesAfter(['', `${PARAMETERS} 0 schema maximum`, 50])).toEqual([expected])
  })
})

describe('ignores a compatible change:', () => {
  const ROWS: Row[] = [
    ['no change', 'openapi', '3.1.0'],
    ['a new operation', 'paths /shops', document.paths['/pets']],
    ['a new optional parameter', `${PARAMETERS} new`, SHOP],
    ['a wider bound of a request', `${PARAMETERS} 0 schema maximum`, 1_000],
    ['a new optional field', `${SCHEMAS} NewPet properties colour`, { type: 'string' }],
    ['a field of a response that becomes required', `${SCHEMAS} Pet allOf 0 required new`, 'status'],
    ['a new header', `${RESPONSES} 200 headers X-Total`, { schema: { type: 'string' } }],
    ['a header that becomes required', 'components headers NextLink required', true],
    ['a removed code of a response', 'components responses BadBody x-error-codes 0', undefined],
    ['a new known code', `${SCHEMAS} ErrorCode x-extensible-enum new`, 'name_taken'],
    ['a stronger stability label', 'paths /store/orders get x-stability', 'stable'],
    ['a later removal', 'paths /pets/{petId} get x-deprecated-sunset', '2031-12-05'],
    ['another description of an operation', 'paths /pets get description', 'Pets.'],
    ['another description of a schema', `${SCHEMAS} Pet description`, 'One pet.'],
  ]
  test.each(ROWS.map((row) => [row[0], row] as const))('%s', (_, row) => {
    expect(changesAfter(row)).toEqual([])
  })
})

test('a released name can be removed if the newest version announces it', () => {
  const changelog =
    '## Unreleased\n\n### Removed\n\n- `petstore pets sell`: use `petstore sell`.\n- The lesson `a.b`.\n\n## 1.0.0\n\n### Removed\n\n- `old`.\n'
  const names = ['pets sell', 'pets sell --json', 'a.b', 'sell', 'pets', 'old']
  expect(names.filter((name) => isRemoved(name, changelog))).toEqual(['pets sell', 'pets sell --json', 'a.b'])
})

describe('allows a breaking change', () => {
  const change = (stability: Operation['x-stability']) => [{ operationId: 'getOrder', stability, what: 'was removed' }]
  const changelog = (unreleased: string) =>
    `# Changelog\n\n## Unreleased\n\n${unreleased}\n\n## 1.0.0\n\n### Removed\n\n- \`getOrder\`.\n`

  test('an experimental operation can change', () => {
    expect(forbidden(change('experimental'), changelog(''), '1.0.0')).toEqual([])
  })

  test('a beta operation can change if the changelog announces it', () => {
    for (const heading of ['Changed', 'Deprecated', 'Removed']) {
      const announced = changelog(`### ${heading}\n\n- \`getOrder\` ends.`)
      expect(forbidden(change('beta'), announced, '1.0.0')).toEqual([])
      // A later release has announced it, too.
      expect(forbidden(change('beta'), announced.replace('Unreleased', '1.1.0'), '1.0.0')).toEqual([])
    }
    const not = ['', '### Added\n\n- `getOrder`.', '### Changed\n\n- `getOrders`.', '### Changed\n\n- getOrder']
    for (const text of not)
      expect(forbidden(change('beta'), changelog(text), '1.0.0')).toEqual(['getOrder: was removed'])
  })

  test('a stable operation can never change', () => {
    const announced = changelog('### Changed\n\n- `getOrder`.')
    expect(forbidden(change('stable'), announced, '1.0.0')).toEqual(['getOrder: was removed'])
  })
})
