// The sample animals: a hundred, all different, and the service takes them all.

import { expect, test } from 'bun:test'
import { PetstoreClient } from '../src/client/petstore.ts'
import { addSamples, samplePets } from '../src/client/samples.ts'
import { startService } from './support/service.ts'

test('a hundred sample animals, each by its own name, of every status', () => {
  expect(samplePets.length).toBe(100)
  expect(new Set(samplePets.map(({ name }) => name)).size).toBe(100)
  expect(Object.keys(Object.groupBy(samplePets, ({ status }) => status as string)).sort()).toEqual([
    'available',
    'pending',
    'sold',
  ])
})

test('the service takes them all, in order', async () => {
  const service = await startService()
  const client = new PetstoreClient({ baseUrl: service.url, apiKey: service.key })
  const added = await Array.fromAsync(addSamples(client))
  expect(added.map(({ id: _, ...pet }) => pet)).toEqual([...samplePets] as typeof added)
  expect(await Array.fromAsync(client.listPets())).toEqual(added.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
  await service.stop()
})
