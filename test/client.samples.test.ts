// The sample animals: a hundred, all different, and the service takes them all.

import { expect, test } from 'bun:test'
import { PetStore } from '../src/client/petstore.ts'
import { addSamples, sampleAnimals } from '../src/client/samples.ts'
import { startService } from './support/service.ts'

test('a hundred sample animals, each by its own name, of every status', () => {
  expect(sampleAnimals.length).toBe(100)
  expect(new Set(sampleAnimals.map(({ name }) => name)).size).toBe(100)
  expect(Object.keys(Object.groupBy(sampleAnimals, ({ status }) => status as string)).sort()).toEqual([
    'available',
    'pending',
    'sold',
  ])
})

test('the service takes them all, in order', async () => {
  const service = await startService()
  const client = new PetStore({ baseUrl: service.url, apiKey: service.key })
  const added = await Array.fromAsync(addSamples(client))
  expect(added.map(({ id: _, ...pet }) => pet)).toEqual([...sampleAnimals] as typeof added)
  expect(await Array.fromAsync(client.listPets())).toEqual(added.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
  await service.stop()
})
