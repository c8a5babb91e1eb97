// Idempotency keys in SQLite: what is stored with them, and when they expire.

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { temporaryFile } from '../../../../../test/support/files.ts'
import { newKey } from '../../../../../test/support/keys.ts'
import { petFilter } from '../../../../../test/support/lists.ts'
import { petsOf } from '../../../../../test/support/pets.ts'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { commits, DAY_MS, PET, storeWithKey } from '../../../../../test/support/sqlite.ts'
import { openStore } from '../../../src/store/kinds.ts'

describe('idempotency keys in a file', () => {
  test('are committed in one transaction with their pet', async () => {
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
        const keys = database
          .query(`SELECT substr(key, 1, instr(key, ' ') - 1) FROM idempotency_answers`)
          .values()
          .flat()
        database.close()
        return Object.fromEntries(
          [...Map.groupBy(keys as string[], (key) => key)].map(([key, all]) => [key, all.length]),
        )
      },
    }
  }
  type Opened = Awaited<ReturnType<typeof openWithClocks>>

  test('expire after one process has known them for a day', async () => {
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

  test('expire within nine days in a store that is restarted every night', async () => {
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

  /** The keys that remain after each process has written. The first process has a correct clock. */
  async function keptAfter(...writing: ((opened: Opened) => Promise<unknown>)[]) {
    const path = temporaryFile('petstore.db')
    const stores = []
    for (const write of writing) {
      const opened = await openWithClocks(path)
      stores.push(opened.store)
      await write(opened)
      await opened.writeSome()
    }
    const { kept, store } = await openWithClocks(path)
    await Promise.all([...stores, store].map((one) => one.close()))
    return kept()
  }

  // The days by the clock of each process that adds keys. All of them run within 23 hours.
  const LATER = 23 / 24
  test.each([
    ['runs ahead', [0, 6.9 + LATER, 6.9 + LATER]],
    ['was behind', [-6.9, LATER, LATER]],
    ['falls behind', [0, LATER - 6.9, LATER - 6.9, LATER]],
    ['was ahead', [6.9, LATER, LATER]],
  ])('survive restarts if the clock %s by less than seven days', async (_, days) => {
    const writing = days.map((offset, n) => ({ clock, add }: Opened) => {
      clock.at += offset * DAY_MS
      return add(`key${n}`, 30)
    })
    expect(await keptAfter(...writing)).toEqual(Object.fromEntries(days.map((_, n) => [`key${n}`, 30])))
  })

  for (const days of [1.05, 400, -400]) {
    test(`survive a server whose clock is ${days} days ahead, and so do the keys of that server`, async () => {
      const right = ({ add }: Opened) => add('right', 30)
      const wrong = ({ clock, add }: Opened) => {
        clock.at += days * DAY_MS
        return add('wrong', 30)
      }
      const later = ({ add }: Opened) => add('later', 30)
      const all = { right: 30, wrong: 30, later: 30 }
      expect(await keptAfter(right, wrong, later)).toEqual(all)
    })

    test(`survive a clock that jumps ${days} days ahead and back while the process runs`, async () => {
      const { store, clock, pass, add, writeSome, kept } = await openWithClocks()
      await add('before', 30)
      clock.at += days * DAY_MS
      await add('meanwhile', 30)
      await writeSome()
      clock.at -= days * DAY_MS
      pass(DAY_MS - 1)
      await writeSome()
      expect(kept()).toEqual({ before: 30, meanwhile: 30 })
      await store.close()
    })
  }

  test('expire even if a wrong clock gave others a later time, and those expire after a process has known them for a day', async () => {
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
})
