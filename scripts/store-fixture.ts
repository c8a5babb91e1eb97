// `npm run store-fixture`, once with each migration: makes packages/service/test/store/stores/sqlite-N, a store of the newest schema as a killed
// service leaves it, for packages/service/test/store/versions.process.test.ts. Never make one again: later versions must open it as it is.
//
// The log beside the file contains commits that are not in the file yet, followed by a transaction that was never committed.
// `contents.json` lists what the service had acknowledged.

import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { hashKey } from '../packages/service/src/domain/keys.ts'
import type { NewPet, Pet } from '../packages/service/src/domain/pets.ts'
import type { Store } from '../packages/service/src/domain/store.ts'
import { openStore } from '../packages/service/src/store/kinds.ts'
import { NEWEST_VERSION } from '../packages/service/src/store/sqlite/schema.ts'

const [, script = '', path] = process.argv
if (path === undefined) await make()
else await fillAndDie(path)

async function make(): Promise<void> {
  const fixture = join(import.meta.dir, '../packages/service/test/store/stores', `sqlite-${NEWEST_VERSION}`)
  if (existsSync(fixture)) throw new Error(`${fixture} is there already, and stays as it is.`)
  const folder = mkdtempSync(join(tmpdir(), 'petstore-fixture-'))
  const file = join(folder, 'petstore.db')
  const child = Bun.spawn([process.execPath, script, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  const contents = await new Response(child.stdout).text()
  await child.exited
  if (child.signalCode !== 'SIGKILL') throw new Error('The service that fills the store did not come to its end.')
  mkdirSync(fixture, { recursive: true })
  for (const name of ['petstore.db', 'petstore.db-wal']) {
    writeFileSync(join(fixture, `${name}.gz`), gzipSync(readFileSync(join(folder, name)), { level: 9 }))
  }
  writeFileSync(join(fixture, 'contents.json'), contents)
  rmSync(folder, { recursive: true })
  process.stdout.write(`Made ${fixture}.\n`)
}

/** At least one row of every table. A later schema with more tables adds to this. */
async function fillAndDie(path: string): Promise<void> {
  const begunAt = Date.now()
  let at = begunAt
  const now = () => at++
  const pets: Pet[] = []
  const hashes = ['a', 'b', 'c'].map((text) => hashKey(`${text} ${begunAt}`))
  const newPet = (n: number): NewPet => ({
    name: n % 2 ? `Ada "é" ${n}` : `\u{1F436} ${n}`,
    categoryId: n % 3 ? BigInt(n) : 2n ** 63n - 1n - BigInt(n),
    status: n === 40 ? 'available' : ((['available', 'pending', 'sold'] as const)[n % 3] ?? 'sold'),
  })

  // SQLite moves the log into the file when its last connection closes. So this part is in the file itself.
  const first = await openStore(path, { now })
  const keys = []
  for (const [n, hash] of hashes.entries()) {
    keys.push(
      await first.createKey({ name: `key ${n}`, hash, readOnly: n === 1, expiresAt: n ? at + 1e10 : undefined }),
    )
  }
  const by = keys[0]?.id ?? 0n
  for (let n = 0; n < 20; n++) pets.push((await first.createPet(newPet(n), by)).value)
  const available = pets.filter(({ status }) => status === 'available')
  const place = async (store: Store, reference?: string, expiresAt?: number) =>
    (await store.placeOrder({ petId: available.shift()?.id ?? 0n, reference, expiresAt }, by)).value.id
  const orders = [await place(first, 'the "first"', at + 1e10), await place(first), await place(first, '\u{1F436}')]
  await first.close()

  // This part is only in the log.
  const store = await openStore(path, { now })
  await store.revokeKey(keys[2]?.id ?? 0n)
  for (let n = 20; n < 40; n++) pets.push((await store.createPet(newPet(n), by)).value)
  const once = []
  for (const key of ['x', 'Y']) {
    const { value: pet } = await store.createPet(newPet(40), by, key)
    pets.push(pet)
    once.push({ by, key, petId: pet.id, pet })
  }
  await store.completeOrder(orders[1] ?? 0n, by)
  await store.cancelOrder(orders[2] ?? 0n, by)
  orders.push(await place(store))
  await store.completeOrder(orders[3] ?? 0n, by)
  await store.returnOrder(orders[3] ?? 0n, by)
  orders.push(await place(store, 'overdue', at + 3))
  at += 10
  await store.expireOrders(1)
  const edited = await place(store, 'edited')
  await store.updateOrder(edited, { reference: 'the "edited"', expiresAt: at + 1e10 }, by)
  orders.push(edited)
  const order = { petId: once[0]?.petId ?? 0n, reference: 'Y' }
  const { value: answer } = await store.placeOrder(order, by, 'order')
  orders.push(answer.id)
  await store.completeOrder(answer.id, by)
  await store.saveKeyUses([{ keyId: by, ending: 'aB12', at }])
  await store.countDeprecatedCalls([{ keyId: by, operationId: 'getPet', calls: 3, lastAt: at }])
  const { value: removed } = await store.createPet(newPet(41), by)
  await store.deletePet(removed.id, by)
  const database = new Database(path, { safeIntegers: true })
  const listed = (await store.listKeys()).map((key, n) => ({ ...key, hash: hashes[n] }))
  const contents = {
    at,
    keys: listed,
    pets: await Promise.all(pets.map(({ id }) => store.getPet(id))),
    once,
    orders: await Promise.all(orders.map((id) => store.getOrder(id))),
    ordered: [{ by, key: 'order', order, answer }],
    inventory: await store.getInventory(),
    deprecatedCalls: await store.listDeprecatedCalls(),
    nextPetId: removed.id + 1n,
  }
  const text = JSON.stringify(contents, (_, value) => (typeof value === 'bigint' ? `${value}n` : value), 2)
  await Bun.write(Bun.stdout, `${text}\n`)

  // With so small a cache SQLite writes to the log before it commits.
  database.run('PRAGMA cache_size = 1')
  database.run(`BEGIN; UPDATE pets SET name = 'never committed'; INSERT INTO pets
    (name, category_id, status, created_at, created_by) SELECT name, 1, 'sold', 0, 1 FROM pets, json_each('[1, 2, 3, 4]')`)
  process.kill(process.pid, 'SIGKILL')
}
