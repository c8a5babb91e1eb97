// The client against a real service.

import { expect, test } from 'bun:test'
import { clientOf, REX } from '../../../test/support/client.ts'
import { newPet } from '../../../test/support/pets.ts'
import { rejectionOf } from '../../../test/support/rejection.ts'
import { startService } from '../../../test/support/service.ts'
import {
  type Deprecation,
  type Pet,
  PetstoreApiError,
  PetstoreClient,
  type PetstoreClientOptions,
} from '../src/petstore.ts'

const service = await startService()
const client = clientOf(service.url, { apiKey: service.key })

test('the client on a service lists each pet and each order once, across pages', async () => {
  const categoryId = 2n ** 63n - 1n
  const adding = (_: unknown, n: number) => client.createPet({ ...REX, name: `pet ${n}`, categoryId })
  const added = (await Promise.all(Array.from({ length: 25 }, adding))).sort((a, b) => Number(a.id - b.id))
  const sold = await client.createPet(newPet({ name: 'Mia', categoryId, status: 'sold' }))
  for (const limit of [undefined, 1, 7, 26]) {
    expect(await Array.fromAsync(client.listPets({ categoryId, limit }))).toEqual([...added, sold])
  }
  expect(await Array.fromAsync(client.listPets({ categoryId, status: 'sold' }))).toEqual([sold])
  const { id: petId } = added[0] as Pet
  const first = await client.placeOrder({ petId })
  await client.cancelOrder(first.id)
  const second = await client.placeOrder({ petId })
  const orders = await Array.fromAsync(client.listOrders({ petId, sort: 'newest', limit: 1 }))
  expect(orders).toEqual([second, await client.getOrder(first.id)])
})

test('the client on a service tells the total of a category, even if the page is the same', async () => {
  const totals: unknown[] = []
  const page = () =>
    client.listPage({ categoryId: 77n, limit: 1 }, { onTotal: (total, more) => totals.push([total, more]) })
  for (let n = 0; n < 4; n++) {
    await client.createPet(newPet({ categoryId: 77n }))
    await page()
  }
  await client.listPage({ categoryId: 77n })
  expect(totals).toEqual([1, 2, 3, 4].map((total) => [total, false]))
})

test('the client on a service repeats reads with the ETag, and gets 304 or the changed list', async () => {
  const statuses: number[] = []
  const watched = clientOf(service.url, {
    apiKey: service.key,
    async fetch(url, init) {
      const response = await fetch(url, init)
      statuses.push(response.status)
      return response
    },
  })
  await client.createPet(REX)
  await client.createPet(REX)
  const newest = () => watched.listPage({ limit: 1, sort: 'newest' })
  const first = await newest()
  expect(await newest()).toEqual(first)
  const added = await client.createPet({ ...REX, name: 'Max' })
  expect((await newest()).pets).toEqual([added])
  expect(first.next).toBeString()
  // Twenty other lists evict it from the cache.
  for (let limit = 2; limit < 22; limit++) await watched.listPage({ limit })
  await newest()
  expect([statuses.slice(0, 3), statuses.at(-1)]).toEqual([[200, 304, 200], 200])
})

test('the client on a service reports a rejection with its code, status and request id', async () => {
  const error = await rejectionOf(client.createPet(newPet({ name: '' })))
  expect(error).toBeInstanceOf(PetstoreApiError)
  const requestId = expect.stringMatching(/^[0-9a-f-]{36}$/)
  expect(error).toMatchObject({ code: 'invalid_pet', status: 400, requestId })
  expect(error.message).toContain('name')
  const stranger = clientOf(service.url, { apiKey: 'pets_live_0000000000000000000000000000' })
  expect(await rejectionOf(stranger.listPage())).toMatchObject({ code: 'invalid_api_key', status: 401 })
})

test('the client on a service reports a deprecated operation once', async () => {
  const notices: Deprecation[] = []
  const watched = clientOf(service.url, { apiKey: service.key, onDeprecated: (notice) => notices.push(notice) })
  const { id } = await watched.createPet(REX)
  await watched.getPet(id)
  await watched.getPet(id)
  expect(notices).toEqual([{ operationId: 'getPet', since: new Date('2025-12-05'), removal: new Date('2030-12-05') }])
})

test.each([
  [{ baseUrl: 'http://127.0.0.1/v1' }, 'apiKey is required'],
  [{ baseUrl: 'http://127.0.0.1/v1', apiKey: '' }, 'apiKey is required'],
  [{ apiKey: 'key' }, 'baseUrl is required'],
  [{ baseUrl: 'http://127.0.0.1', apiKey: 'key' }, 'baseUrl must end in /v1'],
  [{ baseUrl: 'http://127.0.0.1/v1?x=1', apiKey: 'key' }, 'baseUrl must end in /v1'],
  [{ baseUrl: 'http://a:b@127.0.0.1/', apiKey: 'key' }, 'baseUrl must end in /v1 and have no password.$'],
])('the client on a service rejects invalid options with one sentence: %j', (options, message) => {
  expect(() => new PetstoreClient(options as PetstoreClientOptions)).toThrow(new RegExp(`^${message}[^.]*\\.?`))
  expect(() => new PetstoreClient(options as PetstoreClientOptions)).toThrow(TypeError)
})

test('the client on a service accepts a relative baseUrl, and one with a trailing slash', () => {
  for (const baseUrl of ['/v1', 'http://127.0.0.1/v1/']) clientOf(baseUrl)
})

test('the client on a service never shows its key', () => {
  expect(Bun.inspect(client) + JSON.stringify(client)).not.toContain(service.key)
  expect(() => clientOf(service.url, { apiKey: 'secret\n' })).toThrow(/^((?!secret).)*$/)
})
