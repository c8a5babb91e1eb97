// How our typed client makes each call, beside the library's own samples for other clients.

import type { Operations } from '../contract/generated.ts'
import type { OpenApi } from '../contract/openapi.ts'

const CALLS: Record<keyof Operations, string> = {
  listPets: 'for await (const pet of petstore.listPets()) console.log(pet)',
  createPet: "const pet = await petstore.createPet({ name: 'Rex', categoryId: 7n })",
  getPet: 'const pet = await petstore.getPet(42n)',
  listOrders: 'for await (const order of petstore.listOrders()) console.log(order)',
  placeOrder: 'const order = await petstore.placeOrder({ petId: 42n })',
  getOrder: 'const order = await petstore.getOrder(7n)',
  completeOrder: 'const order = await petstore.completeOrder(7n)',
  cancelOrder: 'await petstore.cancelOrder(7n)',
  returnOrder: 'const order = await petstore.returnOrder(7n)',
  getInventory: 'const inventory = await petstore.getInventory()',
}

/** The paths of the contract, with a sample of each operation. */
export function withClientSamples(paths: OpenApi['paths'], baseUrl: string): OpenApi['paths'] {
  const entries = Object.entries(paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => {
        const source = `import { PetstoreClient } from 'petstore-client'

const petstore = new PetstoreClient({ baseUrl: '${baseUrl}', apiKey: '…' })
${CALLS[operation.operationId as keyof Operations]}`
        return [method, { ...operation, 'x-codeSamples': [{ lang: 'TypeScript', label: 'petstore-client', source }] }]
      }),
    ),
  ])
  return Object.fromEntries(entries)
}
