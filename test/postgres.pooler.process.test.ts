// That an answer of PostgreSQL is the one to its statement, whatever stands between: a real PgBouncer in transaction mode, and a wire that
// repeats or loses answers.

import { afterAll, describe, expect, test } from 'bun:test'
import postgres from 'postgres'
import { underPooler } from '../endurance/pooler.ts'
import type { Store } from '../src/domain/store.ts'
import { openStore } from '../src/store/kinds.ts'
import { parsePostgresAddress } from '../src/store/postgres/address.ts'
import { Client } from '../src/store/postgres/client.ts'
import { Session } from '../src/store/postgres/session.ts'
import { Forwarder } from './support/forwarder.ts'
import { newKey } from './support/keys.ts'
import { petFilter } from './support/lists.ts'
import { newPet, petsOf } from './support/pets.ts'
import { PgBouncer, pgbouncerVersion } from './support/pgbouncer.ts'
import { sharedCluster } from './support/postgres.ts'
import { rejectionOf } from './support/rejection.ts'

const TEST_MS = 60_000
const now = Date.now
const cluster = await sharedCluster()

describe.skipIf(!pgbouncerVersion)(
  pgbouncerVersion ? `behind PgBouncer ${pgbouncerVersion}` : 'behind PgBouncer (not installed)',
  () => {
    // The short version of `npm run endurance:pooler`.
    test(
      'every answer belongs to its request, and none is missing, also while backends are killed',
      async () => {
        const { shop, killed } = await underPooler(5)
        expect(shop.faults.slice(0, 5)).toEqual([])
        for (const [what, count] of Object.entries(shop.counts)) expect([what, count]).not.toEqual([what, 0])
        expect(killed).toBeGreaterThan(0)
      },
      2 * TEST_MS,
    )

    test(
      'a key that was created is there, and one that was revoked is not; no statement is left with the database',
      async () => {
        const pooler = await PgBouncer.start(cluster.port)
        const address = await cluster.newDatabase()
        const [store, other] = [await openStore(pooler.through(address), { now }), await openStore(address, { now })]
        const ids: bigint[] = []
        for (let n = 0; n < 12; n++) {
          // Lists at the same time, so that the next transaction meets another connection of the database.
          const lists = Array.from({ length: 8 }, (_, limit) => store.listPets(petFilter({ limit: limit + 1 })))
          const [{ id }] = await Promise.all([store.createKey(newKey({ name: `key ${n}` })), ...lists])
          ids.push(id)
          if (n % 2 === 0) await store.revokeKey(id)
        }
        const found = (await other.listKeys()).map(({ id, revokedAt }) => [id, revokedAt !== undefined] as const)
        expect(found).toEqual(ids.map((id, n) => [id, n % 2 === 0]))
        expect(await preparedThrough(pooler.through(address))).toBe(0)
        await Promise.all([store.close(), other.close()])
        await pooler.stop()
      },
      TEST_MS,
    )
  },
)

describe('a connection', () => {
  const use = async (work: (session: Session) => Promise<void>) => {
    const address = parsePostgresAddress(cluster.address('postgres'))
    const session = new Session(() => Client.open(address, { host: '127.0.0.1', port: cluster.port }))
    await work(session).finally(() => session.close(1_000))
  }

  test('carries one statement at a time', () =>
    use(async ({ send }) => {
      await send('SELECT 1')
      const [first, second] = await Promise.allSettled([send('SELECT 1'), send('SELECT 2')])
      expect([first.status, second.status]).toEqual(['fulfilled', 'rejected'])
    }))

  test('gives all rows of the statement behind one that failed between two rows', () =>
    use(async ({ send, ask }) => {
      for (const statement of [send, ask]) {
        await rejectionOf(send('SELECT 1 / (3 - n) AS n FROM generate_series(1, 5) AS n WHERE $1::int = 1', 1))
        expect(await statement('SELECT n FROM generate_series(1, $1::int) AS n', 2)).toMatchObject([{ n: 1 }, { n: 2 }])
      }
    }))

  test('commits nothing when a statement has failed, also when that was not noticed', () =>
    use(async (session) => {
      const ignoring = session.transaction(() => session.send('SELECT 1 / 0').catch(() => []))
      expect((await rejectionOf(ignoring)).message).toBe('COMMIT was answered with ROLLBACK')
    }))
})

/** How many statements the connections of a pooler have prepared. */
async function preparedThrough(address: string): Promise<number> {
  const sql = postgres(address, { max: 8, prepare: false, fetch_types: false })
  const asked = Array.from(
    { length: 8 },
    () => sql`SELECT count(*)::int AS n, pg_sleep(0.05) FROM pg_prepared_statements`,
  )
  const counts = await Promise.all(asked)
  await sql.end({ timeout: 1 })
  return counts.reduce((sum, [row]) => sum + row?.n, 0)
}

/** https://www.postgresql.org/docs/current/protocol-message-formats.html: each answer to a statement begins with BindComplete. */
const BIND_COMPLETE = 0x32
const BACKEND_KEY_DATA = Buffer.from('K\0\0\0\x0c')

describe('a wire that', () => {
  /** Each store has its own: what one does in the background must not take the change that is meant for another. */
  interface Wire {
    last: Buffer
    change: 'nothing' | 'repeat' | 'lose'
    pooled: boolean
  }
  const stores: Store[] = []

  function toClient(wire: Wire, bytes: Buffer): Buffer {
    const greeting = bytes.indexOf(BACKEND_KEY_DATA)
    // A pooler announces a number of its own.
    if (wire.pooled && greeting >= 0) bytes.writeUInt32BE(bytes.readUInt32BE(greeting + 5) + 1, greeting + 5)
    if (bytes[0] !== BIND_COMPLETE) return bytes
    if (wire.change === 'nothing') wire.last = bytes
    const answer = { nothing: bytes, repeat: wire.last, lose: Buffer.alloc(0) }[wire.change]
    wire.change = 'nothing'
    return answer
  }

  async function openThrough(pooled: boolean): Promise<{ wire: Wire; store: Store; create: () => Promise<bigint> }> {
    const wire: Wire = { last: Buffer.alloc(0), change: 'nothing', pooled }
    const forwarder = await Forwarder.start(cluster.port, (bytes) => toClient(wire, bytes))
    const address = (await cluster.newDatabase()).replace(`:${cluster.port}`, `:${forwarder.port}`)
    const store = await openStore(address, { now })
    stores.push(store)
    const { id: by } = await store.createKey(newKey())
    const create = async () => (await store.createPet(newPet(), by)).value.id
    for (let n = 0; n < 3; n++) await create()
    // What is done beside the creates.
    while (store.pool?.().busy) await Bun.sleep(10)
    return { wire, store, create }
  }

  afterAll(() => Promise.all(stores.map((store) => store.close())))

  test.each([false, true])(
    'repeats the answer to the create before: the pet may have been created; with a pooler: %p',
    async (behind) => {
      const { wire, store, create } = await openThrough(behind)
      wire.change = 'repeat'
      expect(await rejectionOf(create())).toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('may have been created'),
      })
      expect(await eventually(create)).toBe(5n)
      expect(petsOf(await store.listPets(petFilter({ limit: 9 }))).map(({ id }) => id)).toEqual([1n, 2n, 3n, 4n, 5n])
    },
    TEST_MS,
  )

  test(
    'repeats the answer to the list before: behind a pooler it is refused',
    async () => {
      const { wire, store } = await openThrough(true)
      const firstAfter = async (after: bigint) => petsOf(await store.listPets(petFilter({ limit: 1, after })))[0]?.id
      expect(await firstAfter(0n)).toBe(1n)
      wire.change = 'repeat'
      expect(await rejectionOf(firstAfter(1n))).toMatchObject({ code: 'unavailable' })
      expect(await eventually(() => firstAfter(1n))).toBe(2n)
    },
    TEST_MS,
  )

  test(
    'loses the answer to a create: the next ones are served again, and lists all the time',
    async () => {
      const { wire, store, create } = await openThrough(false)
      wire.change = 'lose'
      expect(await rejectionOf(create())).toMatchObject({ message: expect.stringContaining('may have been created') })
      expect(petsOf(await store.listPets(petFilter({ limit: 9 }))).length).toBe(4)
      expect(await eventually(create)).toBe(5n)
    },
    TEST_MS,
  )

  async function eventually(ask: () => Promise<bigint | undefined>): Promise<bigint | undefined> {
    for (const until = performance.now() + 30_000; ; await Bun.sleep(50)) {
      try {
        return await ask()
      } catch (error) {
        if (performance.now() > until) throw error
      }
    }
  }
})
