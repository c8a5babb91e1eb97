// Stores for the tests of `petstore copy`, and their rows.

import { Database } from 'bun:sqlite'
import { generateKey, hashKey } from '../../packages/service/src/domain/keys.ts'
import type { NewPet } from '../../packages/service/src/domain/pets.ts'
import { openStore } from '../../packages/service/src/store/kinds.ts'
import { TABLES } from '../../packages/service/src/store/shared/tables.ts'
import { temporaryFile } from './files.ts'
import { newPet } from './pets.ts'
import { run } from './process.ts'

/** More than one batch of a copy. */
export const PETS = 1_200
export const FIRST_ORDER = { petId: 1n, reference: 'till "3" \u{1F436}', expiresAt: 1e9 }
/** A time after all times in the source. */
export const LATER = 1e6

/** Creates a store with rows in every table, corrections, and the id of a deleted pet. */
export async function filledFile(count = PETS, path = temporaryFile('petstore.db')): Promise<string> {
  let at = 1_000
  const store = await openStore(path, { now: () => at++ })
  const hash = () => hashKey(generateKey('production'))
  const newKey = (name: string) => ({ name, hash: hash(), readOnly: name === 'b', expiresAt: 9e12 })
  const keys = await Promise.all(['a', 'b', 'c'].map((name) => store.createKey(newKey(name))))
  const by = keys[0]?.id as bigint
  await store.revokeKey(keys[2]?.id as bigint)
  const statuses = ['available', 'pending', 'sold'] as const
  const pets = Array.from({ length: count }, (_, n) =>
    newPet({
      ...{ name: n % 2 ? `Ada "é" \\ ${n}` : `\u{1F436}\n${n}`, status: statuses[n % 3] as NewPet['status'] },
      categoryId: n % 3 ? BigInt(n) : -(2n ** 63n) + BigInt(n),
    }),
  )
  const created = await Promise.all(pets.map((pet) => store.createPet(pet, by)))
  const free = created.map(({ value }) => value).filter(({ status }) => status === 'available')
  const ends = ['completeOrder', 'cancelOrder', 'returnOrder', 'expire', undefined] as const
  for (const [n, end] of ends.entries()) {
    if (!free[n]) break
    const reference = n % 2 ? undefined : FIRST_ORDER.reference
    const order = { petId: free[n].id, reference, expiresAt: end === 'expire' ? at + 50 : FIRST_ORDER.expiresAt }
    const { id } = (await store.placeOrder(order, by, `order ${n}`)).value
    if (end === 'returnOrder') await store.completeOrder(id, by)
    if (end === 'expire') {
      at += 100
      await store.expireOrders(1)
    } else if (end) await store[end](id, by)
    else await store.updateOrder(id, { reference: 'late', expiresAt: FIRST_ORDER.expiresAt + 1 }, by)
  }
  for (const key of ['x', 'Y']) await store.createPet(pets[0] as NewPet, by, key)
  await store.saveKeyUses([{ keyId: by, ending: 'aB12', at: 7 }])
  await store.countDeprecatedCalls([
    { keyId: by, operationId: 'getPet', calls: 3, lastAt: 5 },
    { keyId: by, operationId: 'Zoo', calls: 3, lastAt: 5 },
  ])
  const { value: last } = await store.createPet(pets[0] as NewPet, by)
  await store.updatePet(last.id - 1n, { name: 'corrected "é"', categoryId: -1n }, by)
  const mistake = created.find(({ value }) => value.status === 'sold')?.value
  if (mistake) await store.updatePet(mistake.id, { status: 'available' }, by)
  await store.deletePet(last.id, by)
  await store.setNames([{ id: -(2n ** 63n), name: 'Dogs "é"' }], () => undefined)
  await store.close()
  return path
}

/** The rows of each table as text. */
export function rowsOfFile(path: string, tables = TABLES.map(({ name }): string => name)): Record<string, string[]> {
  const database = new Database(path, { safeIntegers: true })
  const all = (table: string) => database.query(`SELECT * FROM ${table}`).values()
  const rows = tables.map((table) => [
    table,
    all(table)
      .map((row) => row.join('|'))
      .sort(),
  ])
  database.close()
  return Object.fromEntries(rows)
}

export function copy(from: string, to: string) {
  return run(['copy', '--from', from, '--to', to])
}
