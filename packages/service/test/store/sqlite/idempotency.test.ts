// Idempotency keys in SQLite: their stored fields and their expiry.

import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { temporaryFile } from '../../../../../test/support/files.ts'
import { newKey } from '../../../../../test/support/keys.ts'
import { petFilter } from '../../../../../test/support/lists.ts'
import { petsOf } from '../../../../../test/support/pets.ts'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { commits, DAY_MS, PET, storeWithKey } from '../../../../../test/support/sqlite.ts'
import { openStore } from '../../../src/store/kinds.ts'

test('idempotency keys in a file are committed in one transaction with their pet', async () => {
  const { path, store, by } = await storeWithKey()
  const other = new Database(path)
  for (const table of ['pets', 'idempotency_answers']) {
    other.run(`CREATE TRIGGER refuse BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'refused'); END`)
    expect((await rejectionOf(store.createPet(PET, by, 'k'))).message).toContain('refused')
    other.run('DROP TRIGGER refuse')
    expect(petsOf(await store.listPets(petFilter({ limit: 1 })))).toEqual([])
  }
  const before = commits(path)
  expect((await store.createPet(PET, by, 'k')).replayed).toBe(false)
  expect(commits(path)).toBe(before + 1)
  other.close()
  await store.close()
})

/** A store with its own clocks, and helpers for its idempotency keys. */
async function openWithClocks(path = temporaryFile('petstore.db')) {
  const clock = { at: 1_000 * DAY_MS, ran: 0 }
  const store = await openStore(path, { now: () => clock.at, monotonic: () => clock.ran })
  const [first] = await store.listKeys()
  const { id: by } = first ?? (await store.createKey(newKey()))
  return {
    path,
    store,
    by,
    clock,
    /** Advances both clocks. */
    pass(ms: number) {
      clock.at += ms
      clock.ran += ms
    },
    add: (name: string, count: number) =>
      Promise.all(Array.from({ length: count }, (_, n) => store.createPet(PET, by, `${name} ${n}`))),
    /** Enough writes to delete all expired keys. */
    async writeSome() {
      for (let n = 0; n < 6; n++) await store.createPet(PET, by)
    },
    kept() {
      const database = new Database(path, { readonly: true })
      const keys = database.query(`SELECT substr(key, 1, instr(key, ' ') - 1) FROM idempotency_answers`).values().flat()
      database.close()
      return Object.fromEntries([...Map.groupBy(keys as string[], (key) => key)].map(([key, all]) => [key, all.length]))
    },
  }
}
type Opened = Awaited<ReturnType<typeof openWithClocks>>

test('idempotency keys in a file expire after one process has known them for a day', async () => {
  const { store, pass, add, writeSome, kept } = await openWithClocks()
  await add('first', 900)
  pass(DAY_MS - 1)
  await add('second', 3)
  expect(kept()).toEqual({ first: 900, second: 3 })
  pass(1)
  await writeSome()
  expect(kept()).toEqual({ first: 900, second: 3 })
  pass(DAY_MS - 1)
  await add('third', 900)
  expect(kept()).toEqual({ first: 900, second: 3, third: 900 })
  pass(1)
  await writeSome()
  // The newest row of a check stays, so that its number is not reused.
  expect(kept()).toEqual({ second: 1, third: 900 })
  pass(DAY_MS)
  await writeSome()
  expect(kept()).toEqual({ third: 1 })
  await store.close()
})

test('idempotency keys in a file expire within nine days in a store that is restarted every night', async () => {
  const path = temporaryFile('petstore.db')
  for (let day = 0; day < 11; day++) {
    const { store, clock, add, writeSome, kept } = await openWithClocks(path)
    clock.at += day * DAY_MS
    await add(`day${day}`, 600)
    await writeSome()
    const expected = Array.from({ length: 9 }, (_, n) => day - n).filter((one) => one >= 0)
    expect(kept()).toEqual(Object.fromEntries(expected.map((one) => [`day${one}`, 600])))
    await store.close()
  }
})

// The days by the clock of each process that adds keys, one after the other within 23 hours.
const LATER = 23 / 24
test.each([
  ['that runs ahead', [0, 6.9 + LATER, 6.9 + LATER]],
  ['that was behind', [-6.9, LATER, LATER]],
  ['that falls behind', [0, LATER - 6.9, LATER - 6.9, LATER]],
  ['that was ahead', [6.9, LATER, LATER]],
  ...[1.05, 400, -400].map((ahead): [string, number[]] => [
    `of one server that is ${ahead} days ahead`,
    [0, ahead, 0, 0],
  ]),
])('idempotency keys in a file survive restarts with a clock %s', async (_, days) => {
  const path = temporaryFile('petstore.db')
  const opened: Opened[] = []
  for (const [n, offset] of days.entries()) {
    const one = await openWithClocks(path)
    opened.push(one)
    one.clock.at += offset * DAY_MS
    await one.add(`key${n}`, 30)
    await one.writeSome()
  }
  expect(opened[0]?.kept()).toEqual(Object.fromEntries(days.map((_, n) => [`key${n}`, 30])))
  await Promise.all(opened.map(({ store }) => store.close()))
})

test('idempotency keys in a file expire even if a wrong clock gave others a later time, and those expire after a process has known them for a day', async () => {
  const path = temporaryFile('petstore.db')
  const at = async (days: number, work: (opened: Opened) => Promise<unknown> = async () => {}) => {
    const opened = await openWithClocks(path)
    opened.clock.at += days * DAY_MS
    await work(opened)
    await opened.writeSome()
    await opened.store.close()
    return opened.kept()
  }
  await at(365, ({ add }) => add('ahead', 600))
  await at(0, ({ add }) => add('right', 600))
  expect(await at(8)).toEqual({ ahead: 600, right: 1 })
  const two = async ({ pass, writeSome }: Opened) => {
    await writeSome()
    pass(2 * DAY_MS)
  }
  expect(await at(9, two)).toEqual({ right: 1 })
})
