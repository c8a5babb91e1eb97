// The contract as the reference shows it: with this service's address, with our typed client beside the library's own
// samples, and without what people need not read: regular expressions, which the descriptions state in words, and the bounds of int64,
// which the browser would round.

import type { Operations } from '../../contract/src/generated.ts'
import type { OpenApi } from '../../contract/src/openapi.ts'

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

/** `lang` is a tab of the library's card of clients: the one that it opens, and the one for Node.js. */
const INSTALLATION = ['shell', 'node'].map((lang) => ({
  lang,
  description:
    '`petstore-client`: typed, with exact integers. It is on no registry: ' +
    '`npm run build && npm pack ./dist/petstore-client` in a clone makes it.',
  source: 'npm install ./petstore-client-1.0.0.tgz',
}))

/** `home`: the address of the service's page, with its slash at the end. */
export function forReaders(contract: OpenApi, home: string): object {
  const baseUrl = `${home}${contract.servers[0]?.url.split('/').pop()}`
  const { info, paths, ...rest } = plainer(contract)
  return {
    ...rest,
    info: { ...info, 'x-scalar-sdk-installation': INSTALLATION },
    servers: [{ url: baseUrl, description: 'This service' }],
    paths: mapValues(paths, (operations) =>
      mapValues(operations, (operation) => ({
        ...operation,
        'x-codeSamples': [sample(operation.operationId as keyof Operations, baseUrl)],
      })),
    ),
  }
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

/** A copy. No pet and no order has a field `pattern`. */
function plainer(contract: OpenApi): OpenApi {
  const left = (name: string, value: unknown) => name === 'pattern' || Math.abs(value as number) === 2 ** 63
  return JSON.parse(JSON.stringify(contract, (name, value) => (left(name, value) ? undefined : value)))
}

function mapValues<Value, Result>(
  record: Record<string, Value>,
  map: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))
}
