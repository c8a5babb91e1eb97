// Idempotency keys with several processes: servers that share a file, and a server that is killed while it adds pets.

import { expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { temporaryFile } from '../../../../test/support/files.ts'
import { newPet } from '../../../../test/support/pets.ts'
import { serve } from '../../../../test/support/process.ts'
import { until } from '../../../../test/support/until.ts'
import { PetstoreClient, PetstoreNetworkError } from '../../../client/src/petstore.ts'

const keys = Array.from({ length: 300 }, (_, n) => `key ${n}`)

test('two servers of one file that get the same keys at the same time add one pet for each key', async () => {
  const cwd = mkdtempSync(temporaryFile('shop-'))
  const one = await serve([], { cwd })
  const two = await serve([], { cwd })
  const clients = [one, two].map(({ url }) => new PetstoreClient({ baseUrl: url, apiKey: one.key }))
  const addWith = (idempotencyKey: string, n: number) =>
    Promise.all(clients.map((client) => client.createPet(newPet({ name: `pet ${n}` }), { idempotencyKey })))
  const added = await Promise.all(keys.map(addWith))
  for (const [here, there] of added) expect(here).toEqual(there)
  const listed = await Array.fromAsync((clients[1] as PetstoreClient).listPets())
  expect(listed.length).toBe(keys.length)
  expect(await one.stop()).toBe(0)
  expect(await two.stop()).toBe(0)
})

test('after a server was killed, sending everything again adds the missing pets and none twice', async () => {
  const cwd = mkdtempSync(temporaryFile('shop-'))
  const first = await serve([], { cwd })
  const acknowledged = new Map<string, bigint>()
  // It sends again what a busy machine refuses.
  const before = new PetstoreClient({ baseUrl: first.url, apiKey: first.key })
  const running = Promise.allSettled(
    keys.map(async (key, n) => {
      await Bun.sleep(n)
      const { id } = await before.createPet(newPet({ name: key }), { idempotencyKey: key })
      acknowledged.set(key, id)
    }),
  )
  await until('50 creates are acknowledged', () => acknowledged.size >= 50, { everyMs: 1 })
  await first.stop('SIGKILL')
  for (const outcome of await running) {
    if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(PetstoreNetworkError)
  }
  expect(acknowledged.size).toBeLessThan(keys.length)

  const second = await serve([], { cwd })
  const after = new PetstoreClient({ baseUrl: second.url, apiKey: first.key })
  const pets = await Promise.all(keys.map((key) => after.createPet(newPet({ name: key }), { idempotencyKey: key })))
  pets.forEach(({ id }, n) => {
    expect(acknowledged.get(keys[n] as string) ?? id).toBe(id)
  })
  expect((await Array.fromAsync(after.listPets())).map(({ name }) => name).sort()).toEqual(keys.toSorted())
  expect(await second.stop()).toBe(0)
})
