// Idempotency keys in a file of SQLite: what is kept with them, and when they are forgotten.

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
  test('are committed with their pet, and only then', async () => {
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

  /** A store whose process has clocks of its own, and what is kept in it. */
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
      /** Both clocks go on. */
      pass(ms: number) {
        clock.at += ms
        clock.ran += ms
      },
      add: (name: string, count: number) =>
        Promise.all(Array.from({ length: count }, (_, n) => store.createPet(PET, by, `${name} ${n}`))),
      /** Enough to forget all that may be forgotten. */
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

  test('are forgotten by a process that has seen them for a day, and not before', async () => {
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
    // The last row of a look stays, so that none after it gets its number.
    expect(kept()).toEqual({ second: 1, third: 900 })
    pass(DAY_MS)
    await writeSome()
    expect(kept()).toEqual({ third: 1 })
    await store.close()
  })

  test('are forgotten in a store that is restarted every night, three nights later at the latest', async () => {
    const path = temporaryFile('petstore.db')
    for (let day = 0; day < 6; day++) {
      const { store, clock, add, writeSome, kept } = await openWithClocks(path)
      clock.at += day * DAY_MS
      await add(`day${day}`, 600)
      await writeSome()
      const expected = [day - 2, day - 1, day].filter((one) => one >= 0).map((one) => [`day${one}`, 600])
      expect(kept()).toEqual(Object.fromEntries(expected))
      await store.close()
    }
  })

  /** What is kept after each of the processes has written, the first of them with a right clock. */
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

  for (const days of [1.05, 3, 400, -1.05, -3, -400]) {
    test(`outlive a server whose clock is ${days} days ahead, and so do its own`, async () => {
      const right = ({ add }: Opened) => add('right', 30)
      const wrong = ({ clock, add }: Opened) => {
        clock.at += days * DAY_MS
        return add('wrong', 30)
      }
      const later = ({ add }: Opened) => add('later', 30)
      const all = { right: 30, wrong: 30, later: 30 }
      expect(await keptAfter(right, wrong, later)).toEqual(all)
    })

    test(`outlive a clock that jumps ${days} days ahead and back while the process runs`, async () => {
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

  test('are forgotten although a wrong clock dated others later, and those are when a process has seen them for a day', async () => {
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
    expect(await at(3)).toEqual({ ahead: 600, right: 1 })
    const two = async ({ pass, writeSome }: Opened) => {
      await writeSome()
      pass(2 * DAY_MS)
    }
    expect(await at(4, two)).toEqual({ right: 1 })
  })
})
