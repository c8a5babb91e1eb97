// The contract beside that of the last release, which packages/contract/test/released.yaml.gz keeps: what a stable operation promises stays, and a beta
// one changes only with an entry in the changelog. And that the comparison sees each kind of change.

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import document from '../../../openapi.yaml'
import { breakingChanges, forbidden } from '../../../test/support/contract-changes.ts'
import type { OpenApi, Operation, Parameter, Response, Schema } from '../src/openapi.ts'

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
const compressed = readFileSync(new URL('released.yaml.gz', import.meta.url))
const released = Bun.YAML.parse(gunzipSync(compressed).toString()) as OpenApi

test('nothing has changed that breaks a client of a stable operation, or unannounced one of a beta operation', () => {
  expect(forbidden(breakingChanges(released, document), read('../../../CHANGELOG.md'))).toEqual([])
})

/** Parts of a contract, to be changed. A test fails where one is not there. */
function partsOf(contract: OpenApi) {
  const { schemas, responses, headers, securitySchemes } = contract.components
  const operation = (path: string, method: string) => contract.paths[path]?.[method] as Operation
  const own = (path: string, method: string, status: string) => operation(path, method).responses[status] as Response
  const list = operation('/pets', 'get')
  return {
    contract,
    list,
    create: operation('/pets', 'post'),
    fetch: operation('/pets/{petId}', 'get'),
    listed: own('/pets', 'get', '200'),
    parameter: (name: string) => list.parameters?.find((one) => 'name' in one && one.name === name) as Parameter,
    schema: (name: string) => schemas[name] as Schema,
    field: (name: string, field: string) => schemas[name]?.properties?.[field] as Schema,
    response: (name: string) => responses[name] as Response,
    header: (name: string) => headers[name] as { required?: boolean; schema: Schema },
    apiKey: securitySchemes.apiKey as { type: string; scheme: string },
  }
}
type Parts = ReturnType<typeof partsOf>

const OPERATIONS = Object.values(document.paths).flatMap((methods) =>
  Object.values(methods).map(({ operationId }) => operationId),
)

function changesAfter(change: (parts: Parts) => unknown) {
  const contract = structuredClone(document)
  change(partsOf(contract))
  return breakingChanges(document, contract).map(({ operationId, what }) => `${operationId}: ${what}`)
}

/** A change of a field in every response that has a pet. */
const inPets = (what: string) => [
  `listPets: has another ${what} in an item of the response 200`,
  `createPet: has another ${what} in the response 201`,
  `getPet: has another ${what} in the response 200`,
  `updatePet: has another ${what} in the response 200`,
  `listEvents: has another ${what} in pet in an item of the response 200`,
]

describe('what breaks a client is seen:', () => {
  const ROWS: [description: string, change: (parts: Parts) => unknown, ...found: string[]][] = [
    ['an operation', ({ contract }) => delete contract.paths['/pets']?.get, 'listPets: was removed'],
    ['a path', ({ contract }) => delete contract.paths['/pets'], 'listPets: was removed', 'createPet: was removed'],
    ['an operationId', ({ list }) => Object.assign(list, { operationId: 'getPets' }), 'listPets: is called getPets'],
    [
      'a weaker label',
      ({ list }) => Object.assign(list, { 'x-stability': 'beta' }),
      'listPets: is beta instead of stable',
    ],
    ['no credential', ({ list }) => delete list.security, 'listPets: needs another credential'],
    [
      'an earlier removal',
      ({ fetch }) => Object.assign(fetch, { 'x-deprecated-sunset': '2030-12-04' }),
      'getPet: is removed on 2030-12-04 instead of 2030-12-05',
    ],
    ['a parameter', ({ list }) => list.parameters?.shift(), 'listPets: lost the parameter query limit'],
    [
      'a parameter that becomes required',
      ({ parameter }) => Object.assign(parameter('status'), { required: true }),
      'listPets: needs the parameter query status',
    ],
    [
      'a new parameter that is required',
      ({ list }) => list.parameters?.push({ name: 'shop', in: 'query', required: true, schema: { type: 'string' } }),
      'listPets: needs the parameter query shop',
    ],
    [
      'a narrower bound of a parameter',
      ({ parameter }) => Object.assign(parameter('limit').schema, { maximum: 50 }),
      'listPets: has another maximum for the parameter query limit',
    ],
    [
      'an earlier end of what may be reserved',
      ({ field }) => Object.assign(field('NewOrder', 'expiresAt'), { 'x-days-ahead-max': 30 }),
      'placeOrder: has another x-days-ahead-max for expiresAt in the body',
    ],
    [
      'a higher bound of a parameter',
      ({ parameter }) => Object.assign(parameter('limit').schema, { minimum: 5 }),
      'listPets: has another minimum for the parameter query limit',
    ],
    [
      'a shorter text in a response',
      ({ field }) => Object.assign(field('NewPet', 'name'), { minLength: 0 }),
      ...inPets('minLength for name'),
    ],
    [
      'another default',
      ({ parameter }) => Object.assign(parameter('limit').schema, { default: 50 }),
      'listPets: has another default for the parameter query limit',
    ],
    [
      'another pattern of a request',
      ({ parameter }) => Object.assign(parameter('cursor').schema, { pattern: '^[0-9]+$' }),
      'listPets: has another pattern for the parameter query cursor',
    ],
    [
      'a type',
      ({ parameter }) => Object.assign(parameter('limit').schema, { type: 'string' }),
      'listPets: has another type for the parameter query limit',
    ],
    [
      'a format',
      ({ parameter }) => Object.assign(parameter('limit').schema, { format: 'int64' }),
      'listPets: has another format for the parameter query limit',
    ],
    [
      'a media type of a request',
      ({ create }) => delete create.requestBody?.content['application/json'],
      'createPet: has no application/json for the body',
    ],
    [
      'a body where none was needed',
      ({ list }) => Object.assign(list, { requestBody: { required: true, content: {} } }),
      'listPets: needs a body',
    ],
    [
      'a field of a request that becomes required',
      ({ schema }) => {
        schema('NewOrder').required?.push('reference')
      },
      'placeOrder: needs the field reference in the body',
    ],
    [
      'a new field of a request that is required',
      ({ schema }) => {
        Object.assign(schema('NewOrder').properties ?? {}, { till: { type: 'string' } })
        schema('NewOrder').required?.push('till')
      },
      'placeOrder: needs the field till in the body',
    ],
    [
      'a shorter text in a request',
      ({ field }) => Object.assign(field('NewPet', 'name'), { maxLength: 100 }),
      'createPet: has another maxLength for name in the body',
    ],
    [
      'a longer text in a response',
      ({ field }) => Object.assign(field('NewPet', 'name'), { maxLength: 1_000 }),
      ...inPets('maxLength for name'),
    ],
    [
      'a value that a request may no longer have',
      ({ schema }) => schema('OrderStatus').enum?.pop(),
      'listOrders: has another enum for the parameter query status',
    ],
    [
      'a value that a response never had',
      ({ field }) => {
        field('NewPet', 'status').enum = ['available', 'pending', 'sold', 'lost']
        delete field('NewPet', 'status').$ref
        field('NewPet', 'status').type = 'string'
      },
      ...inPets('enum for status'),
    ],
    [
      'a set of values that is open',
      ({ schema }) => delete schema('OrderStatus').enum,
      'listOrders: has another enum for status in an item of the response 200',
      'placeOrder: has another enum for status in the response 201',
      'getOrder: has another enum for status in the response 200',
      'updateOrder: has another enum for status in the response 200',
      'completeOrder: has another enum for status in the response 200',
      'returnOrder: has another enum for status in the response 200',
      'listEvents: has another enum for orderStatus in an item of the response 200',
    ],
    [
      'a field of a response',
      ({ schema }) => delete schema('Inventory').properties?.sold,
      'getInventory: lost the field sold in the response 200',
    ],
    [
      'a field that a response may leave out',
      ({ schema }) => schema('Inventory').required?.pop(),
      'getInventory: may leave out the field sold in the response 200',
    ],
    [
      'more items than before',
      ({ schema }) => Object.assign(schema('Pets'), { maxItems: 1_000 }),
      'listPets: has another maxItems for the response 200',
    ],
    ['a response', ({ list }) => delete list.responses['304'], 'listPets: lost the response 304'],
    [
      'a new response',
      ({ list, response }) => Object.assign(list.responses, { '418': response('Internal') }),
      'listPets: may answer 418',
    ],
    [
      'a media type of a response',
      ({ listed }) => Object.assign(listed, { content: {} }),
      'listPets: has no application/json for the response 200',
    ],
    [
      'a new media type of a response',
      ({ listed }) => Object.assign(listed.content ?? {}, { 'text/csv': { schema: { type: 'string' } } }),
      'listPets: may have text/csv for the response 200',
    ],
    [
      'a code of a response',
      ({ response }) => response('BadBody')['x-error-codes']?.push('name_taken'),
      'createPet: may answer 400 with the code name_taken',
    ],
    ['a header', ({ listed }) => delete listed.headers?.Link, 'listPets: lost the header Link of 200'],
    [
      'a header that may be left out',
      ({ header }) => Object.assign(header('RetryAfter'), { required: false }),
      ...OPERATIONS.flatMap((id) =>
        [429, 503].map((status) => `${id}: may leave out the header Retry-After of ${status}`),
      ),
    ],
    [
      'what a header may hold',
      ({ header }) => delete header('RetryAfter').schema.pattern,
      ...OPERATIONS.flatMap((id) =>
        [429, 503].map((status) => `${id}: has another pattern for the header Retry-After of ${status}`),
      ),
    ],
  ]
  for (const [description, change, ...found] of ROWS) {
    test(description, () => {
      expect(changesAfter(change)).toEqual(found)
    })
  }

  test('another kind of key, of every operation', () => {
    const found = changesAfter(({ apiKey }) => {
      apiKey.scheme = 'basic'
    })
    expect(found).toHaveLength(OPERATIONS.length)
    expect(found[0]).toBe('listPets: needs another credential')
  })
})

describe('what breaks no client passes:', () => {
  const ROWS: [description: string, change: (parts: Parts) => unknown][] = [
    ['nothing', () => undefined],
    ['an operation', ({ contract, list }) => Object.assign(contract.paths, { '/shops': { get: list } })],
    ['a parameter', ({ list }) => list.parameters?.push({ name: 'name', in: 'query', schema: { type: 'string' } })],
    ['a wider bound of a request', ({ parameter }) => Object.assign(parameter('limit').schema, { maximum: 1_000 })],
    [
      'a field that may be left out',
      ({ schema }) => {
        Object.assign(schema('NewPet').properties ?? {}, { colour: { type: 'string' } })
      },
    ],
    [
      'a field that a response always has',
      ({ schema }) => {
        schema('Pet').allOf?.[0]?.required?.push('status')
      },
    ],
    [
      'a header',
      ({ listed, header }) => {
        Object.assign(listed.headers ?? {}, { 'X-Total': header('RequestId') })
      },
    ],
    ['a header that is always there', ({ header }) => Object.assign(header('NextLink'), { required: true })],
    ['a code that no longer occurs', ({ response }) => response('BadBody')['x-error-codes']?.pop()],
    ['a code that is known', ({ schema }) => schema('ErrorCode')['x-extensible-enum']?.push('name_taken')],
    [
      'a stronger label',
      ({ contract }) => {
        for (const one of Object.values(contract.paths['/store/orders'] ?? {})) one['x-stability'] = 'stable'
      },
    ],
    ['a later removal', ({ fetch }) => Object.assign(fetch, { 'x-deprecated-sunset': '2031-12-05' })],
    [
      'words',
      ({ list, schema }) => {
        Object.assign(list, { summary: 'Pets', description: 'Pets.' })
        schema('Pet').description = 'One pet.'
      },
    ],
  ]
  for (const [description, change] of ROWS) {
    test(description, () => {
      expect(changesAfter(change)).toEqual([])
    })
  }
})

test('a keyword whose change it could not judge is an error', () => {
  expect(() => changesAfter(({ field }) => Object.assign(field('NewPet', 'name'), { const: 'Rex' }))).toThrow('const')
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
