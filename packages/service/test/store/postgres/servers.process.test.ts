// Several servers on one PostgreSQL: pages that miss nothing while all of them add, migrations that take turns, keys
// that end everywhere.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cursorAfter } from '../../../../../test/support/cursors.ts'
import { newKey } from '../../../../../test/support/keys.ts'
import { petFilter } from '../../../../../test/support/lists.ts'
import { newPet, petBody, petsOf } from '../../../../../test/support/pets.ts'
import { sharedCluster } from '../../../../../test/support/postgres.ts'
import { ask, type Running, run, serve } from '../../../../../test/support/process.ts'
import { generateKey, hashKey } from '../../../src/domain/keys.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { CONNECTIONS_DEFAULT } from '../../../src/store/postgres/connect/address.ts'

const PET = newPet()
const SERVERS = 3
const CLIENTS_PER_SERVER = 6
const PETS_PER_CLIENT = 120

const cluster = await sharedCluster()

describe('three servers that start at the same time', () => {
  const key = generateKey('production')
  let address: string
  let servers: Running[]

  beforeAll(async () => {
    address = await cluster.newDatabase()
    const env = { PETSTORE_DATABASE: address, PETSTORE_BOOTSTRAP_KEY: key, PETSTORE_ADMIN_PORT: '0' }
    servers = await Promise.all(Array.from({ length: SERVERS }, () => serve([], { env })))
  })
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop('SIGKILL')))
  })

  test('migrate once, and create one first key', async () => {
    const store = await openStore(address, { now: Date.now })
    expect((await store.listKeys()).filter(({ name }) => name === 'first').length).toBe(1)
    await store.close()
  })

  test('show a reader every pet exactly once while all of them add pets', async () => {
    const added: string[] = []
    let adding = true
    const clients = servers.flatMap(({ url }) =>
      Array.from({ length: CLIENTS_PER_SERVER }, async () => {
        for (let number = 0; number < PETS_PER_CLIENT; number++) {
          const { status, text } = await ask('POST', `${url}/pets`, key, petBody())
          expect(status).toBe(201)
          added.push(idIn(text))
        }
      }),
    )
    // Each reads on from where it is, as fast as it can, from another server each time, until nothing is added any more.
    const readers = servers.map(async (_, first) => {
      const seen: string[] = []
      for (let after: bigint | undefined, turn = first; ; turn++) {
        const last = !adding
        const { url } = servers[turn % SERVERS] as Running
        const { text } = await ask('GET', `${url}/pets?limit=5${after ? `&cursor=${cursorAfter(after)}` : ''}`, key)
        const ids = idsIn(text)
        seen.push(...ids)
        if (ids.length > 0) after = BigInt(ids.at(-1) as string)
        else if (last) return seen
      }
    })
    await Promise.all(clients)
    adding = false
    const everything = added.toSorted((a, b) => Number(a) - Number(b))
    expect(everything.length).toBe(SERVERS * CLIENTS_PER_SERVER * PETS_PER_CLIENT)
    for (const seen of await Promise.all(readers)) expect(seen).toEqual(everything)
  })

  test('measure their connections to the database', async () => {
    const measure = async ({ stdout }: Running) => {
      const text = await (await fetch(/^metrics on (\S+)$/m.exec(stdout())?.[1] as string)).text()
      const values = ['size', 'busy', 'waiting'].map((name) =>
        new RegExp(`^petstore_pool_${name} (\\d+)$`, 'm').exec(text),
      )
      return values.map((found) => Number(found?.[1]))
    }
    for (const server of servers) {
      let measured = await measure(server)
      // Twice a second each looks for reservations that have ended.
      for (let attempt = 0; attempt < 50 && measured[1] !== 0; attempt++) measured = await measure(server)
      expect(measured).toEqual([CONNECTIONS_DEFAULT, 0, 0])
    }
  })

  test('refuse a revoked key within a second', async () => {
    const env = { PETSTORE_DATABASE: address }
    const { stdout } = await run(['keys', 'create', '--name', 'till'], { env })
    const till = stdout.trim()
    const statuses = () => Promise.all(servers.map(async ({ url }) => (await ask('GET', `${url}/pets`, till)).status))
    expect(await statuses()).toEqual([200, 200, 200])
    const store = await openStore(address, { now: Date.now })
    const keyId = (await store.findKey(hashKey(till)))?.id as bigint
    // Every server has the key in use when it ends.
    await statuses()
    await store.revokeKey(keyId)
    await Bun.sleep(900)
    expect(await statuses()).toEqual([401, 401, 401])
    await store.close()
  })
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

function idIn(text: string): string {
  return idsIn(text)[0] as string
}

function idsIn(text: string): string[] {
  return Array.from(text.matchAll(/"id":(\d+)/g), ([, id]) => id as string)
}
