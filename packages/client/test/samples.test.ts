// The sample pets are a hundred different ones that the service accepts.

import { expect, test } from 'bun:test'
import { startService } from '../../../test/support/service.ts'
import { PetstoreClient } from '../src/petstore.ts'
import { addSamples, samplePets } from '../src/samples.ts'

test('a hundred sample pets with different names, of every status', () => {
  expect(samplePets.length).toBe(100)
  expect(new Set(samplePets.map(({ name }) => name)).size).toBe(100)
  const statuses = new Set(samplePets.map(({ status }) => status as string))
  expect([...statuses].sort()).toEqual(['available', 'pending', 'sold'])
})

test('are all added in order, and a repeated run adds none twice', async () => {
  const service = await startService()
  const client = new PetstoreClient({ baseUrl: service.url, apiKey: service.key })
  const added = await Array.fromAsync(addSamples(client, { run: 'one' }))
  expect(await Array.fromAsync(addSamples(client, { run: 'one' }))).toEqual(added)
  expect(added.map(({ id: _, ...pet }) => pet)).toEqual([...samplePets] as typeof added)
  expect(await Array.fromAsync(client.listPets())).toEqual(added.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
  const orders = await Array.fromAsync(client.listOrders())
  const held = added.filter(({ status }) => status !== 'available')
  expect(orders.map(({ petId, status }) => `${petId} ${status === 'completed' ? 'sold' : status}`).sort()).toEqual(
    held.map(({ id, status }) => `${id} ${status}`).sort(),
  )
  await service.stop()
})
