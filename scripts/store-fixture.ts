// Run it once for each migration. It makes packages/service/test/store/stores/sqlite-N, a store of the newest schema that
// a killed service left, for packages/service/test/store/versions.process.test.ts. Never remake a fixture of a released
// schema: later versions must open it.
//
// The log next to the file contains commits that are not in the file yet, and then a transaction that was never committed.
// `contents.json` lists what the service had acknowledged.

import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { PAGE_MAX } from '../packages/contract/src/generated.ts'
import { openStore } from '../packages/service/src/store/kinds.ts'
import { NEWEST_VERSION } from '../packages/service/src/store/sqlite/schema/schema.ts'
import { filledFile, LATER } from '../test/support/copied-stores.ts'
import { orderFilter, petFilter } from '../test/support/lists.ts'
import { idsOf } from '../test/support/paging.ts'
import { newPet, petsOf } from '../test/support/pets.ts'

/** Adds 20 pets to the file; two of them use an idempotency key. */
const IN_FILE = 18
const IN_LOG = 20

const [, script = '', path] = process.argv
if (path === undefined) await make()
else await fillAndDie(path)

async function make(): Promise<void> {
  const fixture = join(import.meta.dir, '../packages/service/test/store/stores', `sqlite-${NEWEST_VERSION}`)
  if (existsSync(fixture)) throw new Error(`${fixture} exists. A fixture never changes.`)
  const folder = mkdtempSync(join(tmpdir(), 'petstore-fixture-'))
  const file = join(folder, 'petstore.db')
  const child = Bun.spawn([process.execPath, script, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  const contents = await new Response(child.stdout).text()
  await child.exited
  if (child.signalCode !== 'SIGKILL') throw new Error('The service that fills the store was not killed.')
  mkdirSync(fixture, { recursive: true })
  for (const name of ['petstore.db', 'petstore.db-wal']) {
    writeFileSync(join(fixture, `${name}.gz`), gzipSync(readFileSync(join(folder, name)), { level: 9 }))
  }
  writeFileSync(join(fixture, 'contents.json'), contents)
  rmSync(folder, { recursive: true })
  process.stdout.write(`Made ${fixture}.\n`)
}

/** `filledFile` writes at least one row into every table. A later schema with more tables adds to that. */
async function fillAndDie(path: string): Promise<void> {
  // SQLite moves the log into the file when the last connection closes, so these rows are in the file itself.
  await filledFile(IN_FILE, path)
  let at = LATER
  // The rows below are only in the log.
  const store = await openStore(path, { now: () => at++ })
  const by = (await store.listKeys())[0]?.id as bigint
  const name = (n: number) => (n % 2 ? `Ada "é" ${n}` : `\u{1F436} ${n}`)
  const add = async (n: number, key?: string) =>
    (await store.createPet(newPet({ name: name(n), categoryId: 2n ** 63n - 1n - BigInt(n) }), by, key)).value
  for (let n = 0; n < IN_LOG; n++) await add(n)
  const once = []
  for (const key of ['z', 'Z']) {
    const pet = await add(IN_LOG, key)
    once.push({ by, key, petId: pet.id, pet })
  }
  const order = { petId: once[0]?.petId as bigint, reference: 'Y' }
  const { value: answer } = await store.placeOrder(order, by, 'order')
  await store.completeOrder(answer.id, by)
  const removed = await add(IN_LOG)
  await store.deletePet(removed.id, by)
  const database = new Database(path, { safeIntegers: true })
  const hashes = database.query<{ hash: string }, []>('SELECT hash FROM keys ORDER BY id').all()
  const listed = (await store.listKeys()).map((key, n) => ({ ...key, ...hashes[n] }))
  const orders = idsOf(await store.listOrders(orderFilter({ limit: PAGE_MAX })))
  const contents = {
    at,
    keys: listed,
    pets: petsOf(await store.listPets(petFilter({ limit: PAGE_MAX }))),
    once,
    orders: await Promise.all(orders.map((id) => store.getOrder(id))),
    ordered: [{ by, key: 'order', order, answer }],
    inventory: await store.getInventory(),
    deprecatedCalls: await store.listDeprecatedCalls(),
    nextPetId: removed.id + 1n,
  }
  const text = JSON.stringify(contents, (_, value) => (typeof value === 'bigint' ? `${value}n` : value), 2)
  await Bun.write(Bun.stdout, `${text}\n`)

  // With such a small cache, SQLite writes to the log before it commits.
  database.run('PRAGMA cache_size = 1')
  database.run(`BEGIN; UPDATE pets SET name = 'never committed'; INSERT INTO pets
    (name, category_id, status, created_at, created_by) SELECT name, 1, 'sold', 0, 1 FROM pets, json_each('[1, 2, 3, 4]')`)
  process.kill(process.pid, 'SIGKILL')
}
