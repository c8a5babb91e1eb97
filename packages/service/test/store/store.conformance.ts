// What every store promises (packages/service/src/domain/pets.ts, packages/service/src/domain/keys.ts), as tests. A store's own test file calls this with a way to open it.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { newKey } from '../../../../test/support/keys.ts'
import { petFilter } from '../../../../test/support/lists.ts'
import { expectPages, idsOf, quarter } from '../../../../test/support/paging.ts'
import { newPet, petsOf } from '../../../../test/support/pets.ts'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { TEXT_LENGTH_MAX } from '../../../contract/src/generated.ts'
import { stringifyJson } from '../../../contract/src/json.ts'
import type { KeyId } from '../../src/domain/keys.ts'
import type { Created, NewPet, Pet, PetFilter } from '../../src/domain/pets.ts'
import type { Store, StoreOptions } from '../../src/domain/store.ts'
import { keysConformance } from './keys.conformance.ts'

/** Each call gives a store with nothing in it. */
export function conformance(name: string, open: (options: StoreOptions) => Promise<Store>): void {
  describe(`${name} keeps the promises of a store`, () => {
    const clock = { at: 1_000 }
    let store: Store
    let by: KeyId

    beforeAll(async () => {
      store = await open({ now: () => clock.at })
      by = (await store.createKey(newKey())).id
    })
    afterAll(() => store.close())

    const create = async (pet: Partial<NewPet> = {}): Promise<Pet> => (await store.createPet(newPet(pet), by)).value
    const createUnder = (key: string, pet: Partial<NewPet> = {}, as: KeyId = by): Promise<Created<Pet>> =>
      store.createPet(newPet(pet), as, key)

    async function all(filter: Partial<PetFilter> = {}): Promise<Pet[]> {
      const pets: Pet[] = []
      for (let after: bigint | undefined; ; ) {
        const page = await store.listPets(petFilter({ limit: 3, after, ...filter }))
        const shown = petsOf(page)
        pets.push(...shown)
        if (page.next === undefined) return pets
        expect(shown.length).toBe(filter.limit ?? 3)
        expect(page.next).toBe(shown.at(-1)?.id as bigint)
        after = page.next
      }
    }

    describe('pets', () => {
      test('an empty store has one empty page, and ids begin at 1', async () => {
        const empty = await open({ now: () => clock.at })
        expect(await empty.listPets(petFilter({ limit: 20 }))).toEqual({ json: '[]', next: undefined, prev: undefined })
        const { id } = await empty.createKey(newKey())
        expect((await empty.createPet(newPet(), id)).value.id).toBe(1n)
        await empty.close()
      })

      test('gives back what was added', async () => {
        const pet = await create({ name: 'Mia', categoryId: -5n, status: 'sold' })
        expect(pet).toMatchObject({ name: 'Mia', categoryId: -5n, status: 'sold' })
        expect(await store.getPet(pet.id)).toEqual(pet)
      })

      test('has no pet under an id that was never given', async () => {
        await create()
        for (const id of [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n)]) expect(await store.getPet(id)).toBeUndefined()
        expect(await store.listPets(petFilter({ limit: 100, after: 2n ** 63n - 1n }))).toEqual({
          json: '[]',
          next: undefined,
          prev: 2n ** 63n - 1n,
        })
        expect(petsOf(await store.listPets(petFilter({ limit: 1, after: -(2n ** 63n) })))).toMatchObject([{ id: 1n }])
      })

      test('keeps every int64 exactly', async () => {
        await fc.assert(
          fc.asyncProperty(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), async (categoryId) => {
            const { id } = await create({ categoryId })
            expect((await store.getPet(id))?.categoryId).toBe(categoryId)
            expect(petsOf(await store.listPets(petFilter({ limit: 1, after: id - 1n })))).toMatchObject([
              { id, categoryId },
            ])
          }),
          { numRuns: 50, examples: [[2n ** 63n - 1n], [-(2n ** 63n)], [2n ** 53n + 1n], [0n]] },
        )
      })

      test('keeps every text exactly', async () => {
        const text = fc
          .string({ unit: 'binary', minLength: 1, maxLength: TEXT_LENGTH_MAX })
          .filter((name) => /^\s*[^\s\0][^\0]*$/u.test(name))
        await fc.assert(
          fc.asyncProperty(text, async (name) => {
            const { id } = await create({ name })
            expect((await store.getPet(id))?.name).toBe(name)
            const page = await store.listPets(petFilter({ limit: 1, after: id - 1n }))
            expect(page.json).toBe(stringifyJson([{ id, ...newPet({ name }) }]))
            await create()
            for (const filter of [{}, { status: newPet().status }])
              expect(await store.listPets(petFilter({ limit: 1, after: id - 1n, ...filter }))).toEqual({
                ...page,
                next: id,
              })
          }),
          {
            numRuns: 50,
            examples: [
              ['},{"id":7,'],
              [' a '],
              ['é'],
              ['e\u0301'],
              ['\u{1F436}'.repeat(TEXT_LENGTH_MAX)],
              ['\\u0000'],
              ["'; --"],
            ],
          },
        )
      })

      test('shows every pet forth and back, from the oldest and from the newest, with each filter', async () => {
        const statuses = ['available', 'pending', 'sold', 'sold'] as const
        for (let n = 0; n < 24; n++)
          await create({ status: statuses[n % 4] ?? 'sold', categoryId: BigInt(n % 3) - 100n })
        const everything = await all({ limit: 100 })
        for (const status of [undefined, 'pending', 'sold'] as const)
          for (const categoryId of [undefined, -99n, 12n ** 9n])
            for (const sort of ['oldest', 'newest'] as const) {
              const isIt = (pet: Pet) =>
                pet.status === (status ?? pet.status) && pet.categoryId === (categoryId ?? pet.categoryId)
              const ids = everything.filter(isIt).map(({ id }) => id)
              if (sort === 'newest') ids.reverse()
              for (const limit of [1, 5, 100, quarter(ids)].filter((one) => ids.length < 30 * one))
                await expectPages(ids, limit, (place) =>
                  store.listPets(petFilter({ limit, status, categoryId, sort, ...place })),
                )
            }
      })

      test('an empty page at either end of a list has a way back', async () => {
        const pets = await all({ limit: 100 })
        const [first, last] = [pets[0]?.id ?? 0n, pets.at(-1)?.id ?? 0n]
        const read = (after: bigint, place: Partial<PetFilter>) =>
          store.listPets(petFilter({ limit: 1, after, ...place }))
        expect(await read(last, {})).toEqual({ json: '[]', next: undefined, prev: last })
        expect(await read(first - 1n, { back: true })).toEqual({ json: '[]', next: first - 1n, prev: undefined })
        expect(await read(first - 1n, { sort: 'newest' })).toEqual({ json: '[]', next: undefined, prev: first - 1n })
        expect(await read(last, { sort: 'newest', back: true })).toEqual({ json: '[]', next: last, prev: undefined })
        expect(petsOf(await read(last, { back: true }))).toEqual([pets.at(-1) as Pet])
      })

      test('what is added while pages are read is on none of them from the newest on, and on the last from the oldest on', async () => {
        const before = (await all({ limit: 100 })).map(({ id }) => id)
        for (const sort of ['newest', 'oldest'] as const) {
          const seen: bigint[] = []
          const added: bigint[] = []
          for (let after: bigint | undefined; ; ) {
            const page = await store.listPets(petFilter({ limit: 7, sort, after }))
            seen.push(...idsOf(page))
            after = page.next
            if (after === undefined) break
            if (added.length < 3) added.push((await create()).id)
          }
          expect(seen).toEqual(sort === 'newest' ? before.toReversed() : [...before, ...added])
          before.push(...added)
        }
      })
    })

    describe('idempotency keys', () => {
      const DAY_MS = 86_400_000
      const count = async () => (await all({ limit: 100 })).length

      test('the same key adds a pet once, and gives it again', async () => {
        const before = await count()
        const first = await createUnder('a', { name: 'Mia' })
        expect(first.replayed).toBe(false)
        for (const _ of [1, 2]) {
          expect(await createUnder('a', { name: 'Mia' })).toEqual({ value: first.value, replayed: true })
        }
        expect(await count()).toBe(before + 1)
      })

      test('keys that differ in any character are different keys', async () => {
        const keys = ['k', 'K', 'k ', '"k"', '\\k', "k'", 'k'.repeat(TEXT_LENGTH_MAX)]
        const ids = await Promise.all(keys.map(async (key) => (await createUnder(key)).value.id))
        expect(new Set(ids).size).toBe(keys.length)
      })

      test('the same key with another pet is refused, and adds nothing', async () => {
        await createUnder('b')
        const before = await count()
        for (const other of [{ name: 'Max' }, { categoryId: 8n }, { status: 'sold' as const }]) {
          expect(await rejectionOf(createUnder('b', other))).toMatchObject({ code: 'idempotency_mismatch' })
        }
        expect(await count()).toBe(before)
      })

      test('a refusal affects only its own request: others that arrive with it are added', async () => {
        await createUnder('c')
        const before = await count()
        const [wrong, ...others] = await Promise.allSettled([
          createUnder('c', { name: 'another' }),
          createUnder('d'),
          create(),
        ])
        expect(wrong).toMatchObject({ status: 'rejected', reason: { code: 'idempotency_mismatch' } })
        expect(others.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
        expect(await count()).toBe(before + 2)
      })

      test('requests that arrive together under one key add one pet', async () => {
        const before = await count()
        const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => createUnder('e')))
        expect(await count()).toBe(before + 1)
        const { value: pet } = await createUnder('e')
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'idempotency_in_flight' })
          else expect(outcome.value.value).toEqual(pet)
        }
      })

      test('each API key has its own', async () => {
        const another = (await store.createKey(newKey())).id
        const first = await createUnder('f')
        const second = await createUnder('f', { name: 'Mia' }, another)
        expect(second.replayed).toBe(false)
        expect(second.value.id).not.toBe(first.value.id)
      })

      test('a key is kept, whatever the clock of a server says', async () => {
        const start = clock.at
        const { value: pet } = await createUnder('g')
        for (const days of [2, 400, -400, 0]) {
          clock.at = start + days * DAY_MS
          for (let n = 0; n < 3; n++) await create()
          expect(await createUnder('g')).toEqual({ value: pet, replayed: true })
          const { value: another } = await createUnder(`g ${days}`)
          clock.at = start
          for (let n = 0; n < 3; n++) await create()
          expect(await createUnder(`g ${days}`)).toEqual({ value: another, replayed: true })
        }
      })
    })

    keysConformance({
      ...{ open, clock },
      get store() {
        return store
      },
      get by() {
        return by
      },
    })

    test('answers a ping', () => store.ping())
  })
}
