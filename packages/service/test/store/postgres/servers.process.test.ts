// Several servers on one PostgreSQL: concurrent migrations, and the order of commits.

import { expect, test } from 'bun:test'
import { newKey } from '../../../../../test/support/keys.ts'
import { petFilter } from '../../../../../test/support/lists.ts'
import { newPet, petsOf } from '../../../../../test/support/pets.ts'
import { sharedCluster } from '../../../../../test/support/postgres.ts'
import { type Running, serve } from '../../../../../test/support/process.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { CONNECTIONS_DEFAULT } from '../../../src/store/postgres/connect/address.ts'

const PET = newPet()
const cluster = await sharedCluster()

test('three servers that start together migrate once, create one first key, and report their connections', async () => {
  const address = await cluster.newDatabase()
  const env = { PETSTORE_DATABASE: address, PETSTORE_ADMIN_PORT: '0' }
  const servers = await Promise.all([1, 2, 3].map(() => serve([], { env })))
  const store = await openStore(address, { now: Date.now })
  expect((await store.listKeys()).filter(({ name }) => name === 'first').length).toBe(1)
  await store.close()
  const measure = async ({ stdout }: Running) => {
    const text = await (await fetch(/^metrics on (\S+)$/m.exec(stdout())?.[1] as string)).text()
    const values = ['size', 'busy', 'waiting'].map((name) =>
      new RegExp(`^petstore_pool_${name} (\\d+)$`, 'm').exec(text),
    )
    return values.map((found) => Number(found?.[1]))
  }
  for (const server of servers) {
    let measured = await measure(server)
    // Each server looks for overdue reservations twice a second.
    for (let attempt = 0; attempt < 50 && measured[1] !== 0; attempt++) measured = await measure(server)
    expect(measured).toEqual([CONNECTIONS_DEFAULT, 0, 0])
  }
  await Promise.all(servers.map((server) => server.stop('SIGKILL')))
})

test('a create waits for a transaction with an earlier id, so that pets are committed in the order of their ids', async () => {
  const address = await cluster.newDatabase()
  const store = await openStore(address, { now: Date.now })
  const { id: by } = await store.createKey(newKey())
  let second: Promise<unknown> | undefined
  await cluster.asAdmin(
    (sql) =>
      sql.begin(async (transaction) => {
        await transaction`INSERT INTO pets (name, category_id, status, created_at, created_by) VALUES ('slow', 1, 'sold', 0, ${String(by)})`
        second = store.createPet(PET, by)
        expect(await Promise.race([second, Bun.sleep(300).then(() => 'waits')])).toBe('waits')
        expect(await store.listPets(petFilter({ limit: 10 }))).toEqual({ json: '[]', next: undefined, prev: undefined })
      }),
    address,
  )
  await second
  const there = petsOf(await store.listPets(petFilter({ limit: 10 }))).map(({ id, name }) => `${id} ${name}`)
  expect(there).toEqual(['1 slow', '2 Rex'])
  await store.close()
})
