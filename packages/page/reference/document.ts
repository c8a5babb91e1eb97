// Prepares the contract for the reference: adds this service's address, samples for curl and the typed client, and
// each operation's errors, which the library's search then finds. Removes regular expressions, which the descriptions
// state in words, and the bounds of int64, which the browser would round.

import type { Operations } from '../../contract/src/generated.ts'
import type { OpenApi, Operation, Schema } from '../../contract/src/openapi.ts'

const CALLS: Record<keyof Operations, string> = {
  listPets: 'for await (const pet of petstore.listPets()) console.log(pet)',
  createPet: "const pet = await petstore.createPet({ name: 'Rex', categoryId: 7n })",
  getPet: 'const pet = await petstore.getPet(42n)',
  updatePet: "const pet = await petstore.updatePet(42n, { name: 'Rex' })",
  deletePet: 'await petstore.deletePet(42n)',
  listOrders: 'for await (const order of petstore.listOrders()) console.log(order)',
  placeOrder: 'const order = await petstore.placeOrder({ petId: 42n })',
  getOrder: 'const order = await petstore.getOrder(7n)',
  completeOrder: 'const order = await petstore.completeOrder(7n)',
  cancelOrder: 'await petstore.cancelOrder(7n)',
  updateOrder: "const order = await petstore.updateOrder(7n, { reference: 'till 3' })",
  returnOrder: 'const order = await petstore.returnOrder(7n)',
  getInventory: 'const inventory = await petstore.getInventory()',
  listEvents: 'for await (const { event } of petstore.followEvents()) console.log(event)',
}

/** `lang` is a tab of the library's list of clients: the first one, and the one for Node.js. */
const installationOf = (release: string) =>
  ['shell', 'node'].map((lang) => ({
    lang,
    description:
      '`petstore-client`: typed, with exact integers. It is not published: run ' +
      '`npm run build && npm pack ./dist/petstore-client` in a clone.',
    source: `npm install ./petstore-client-${release}.tgz`,
  }))

/** `home`: the address of the service's page, with a trailing slash. */
export function forReaders(contract: OpenApi, home: string): object {
  const baseUrl = `${home}${contract.servers[0]?.url.split('/').pop()}`
  const { info, paths, components, ...rest } = plainer(contract)
  return {
    ...rest,
    components: { ...components, schemas: mapValues(components.schemas, typed) },
    info: { ...info, 'x-scalar-sdk-installation': installationOf(info['x-release']) },
    servers: [{ url: baseUrl, description: 'This service' }],
    paths: mapValues(paths, (operations, path) =>
      mapValues(operations, (operation, method) => ({
        ...operation,
        description: `${operation.description ?? ''}\n\n${errorsOf(operation, components)}`,
        'x-codeSamples': [
          curl(operation, method, baseUrl + path),
          sample(operation.operationId as keyof Operations, baseUrl),
        ],
      })),
    ),
  }
}

/** The library expects a type next to `allOf`. */
function typed(schema: Schema): Schema {
  return schema.allOf ? { type: 'object', ...schema } : schema
}

/** "Errors: 401 `missing_api_key`, `invalid_api_key`; 429 `rate_limited`." */
function errorsOf({ responses }: Operation, components: OpenApi['components']): string {
  const errors = Object.entries(responses).flatMap(([status, response]) => {
    const resolved = '$ref' in response ? components.responses[response.$ref.split('/').pop() ?? ''] : response
    const codes = resolved?.['x-error-codes']?.map((code) => `\`${code}\``) ?? []
    return codes.length > 0 ? [`${status} ${codes.join(', ')}`] : []
  })
  return `Errors: ${errors.join('; ')}.`
}

function curl({ requestBody }: Operation, method: string, address: string): object {
  const [example] = Object.values(requestBody?.content['application/json']?.examples ?? {})
  const parts = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}'${address.replace('{petId}', '42').replace('{orderId}', '7')}'`,
    `-H 'Authorization: Bearer pets_live_…'`,
    ...(example ? [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(example.value)}'`] : []),
  ]
  return { lang: 'Shell', label: 'curl', source: parts.join(' \\\n  ') }
}

function sample(operationId: keyof Operations, baseUrl: string): object {
  const source = `import { PetstoreClient } from 'petstore-client'

const petstore = new PetstoreClient({
  baseUrl: '${baseUrl}',
  apiKey: 'pets_live_…',
})
${CALLS[operationId]}`
  return { lang: 'TypeScript', label: 'petstore-client', source }
}

/** Returns a copy. No field of a pet or an order is named `pattern`. */
function plainer(contract: OpenApi): OpenApi {
  const left = (name: string, value: unknown) => name === 'pattern' || Math.abs(value as number) === 2 ** 63
  return JSON.parse(
    JSON.stringify(contract, (name, value) => (left(name, value) ? undefined : withoutPrefilledExample(value))),
  )
}

/** By default, the library sends the example of an optional parameter with each request. */
function withoutPrefilledExample(value: { in?: string; required?: boolean; example?: unknown } | null): unknown {
  if (!value?.in || value.required || value.example === undefined) return value
  const { example, ...parameter } = value
  return { ...parameter, examples: { example: { value: example, 'x-disabled': true } } }
}

function mapValues<Value, Result>(
  record: Record<string, Value>,
  map: (value: Value, name: string) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]))
}
