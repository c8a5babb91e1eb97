// An old primary that was frozen during a failover and is then used again. Its timeline is earlier than the one that
// the servers have used: it lacks acknowledged changes, and would reuse their ids.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { Forwarder } from '../../../../../test/support/forwarder.ts'
import { newKey } from '../../../../../test/support/keys.ts'
import { petFilter } from '../../../../../test/support/lists.ts'
import { newPet, petBody, petsOf } from '../../../../../test/support/pets.ts'
import { PgBouncer, pgbouncerVersion } from '../../../../../test/support/pgbouncer.ts'
import { Cluster } from '../../../../../test/support/postgres.ts'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { type Service, startService } from '../../../../../test/support/service.ts'
import { passTime } from '../../../../../test/support/timers.ts'
import { until } from '../../../../../test/support/until.ts'
import type { Store } from '../../../src/domain/store.ts'
import { migrateStore, openStore } from '../../../src/store/kinds.ts'
import { parsePostgresAddress } from '../../../src/store/postgres/address.ts'
import { PrimaryConnection } from '../../../src/store/postgres/connect/primary.ts'
import { QUIET_MS } from '../../../src/store/postgres/connect/primary-state.ts'

const DATABASE = 'petstore'
const PET = newPet()

let old: Cluster
let next: Cluster
let proxy: Forwarder
/** One service with all hosts in its address, and one behind a proxy. Each has added a pet on the later timeline. */
let services: Service[]
/** A store with all hosts in its address, opened before the failover and not used since. */
let idle: Store

beforeAll(async () => {
  old = await Cluster.start()
  await old.run(`CREATE DATABASE ${DATABASE}`)
  const store = await openStore(old.address(DATABASE), { now: Date.now })
  await store.createKey(newKey())
  await store.close()
  next = await old.startStandby('next')
  proxy = await Forwarder.start(next.port)
  const hosts = [`127.0.0.1:${old.port},127.0.0.1:${next.port}`, `127.0.0.1:${proxy.port}`] as const
  const addressOn = (host: string) => `postgres://postgres@${host}/${DATABASE}`
  idle = await openStore(addressOn(hosts[0]), { now: Date.now })
  expect(await idle.expireOrders()).toEqual([])
  old.signalAll('SIGSTOP')
  await next.promote()
  services = await Promise.all(hosts.map((host) => startService({ address: addressOn(host) })))
  for (const { post } of services) expect((await post(petBody())).status).toBe(201)
  old.signalAll('SIGCONT')
})

afterAll(async () => {
  await Promise.all(services.map((service) => service.stop()))
  proxy.stop()
  await Promise.all([old.remove(), next.remove()])
})

/** Closes the connections through the proxy, and sends new ones to this cluster. */
function leadTo({ port }: Cluster): void {
  proxy.target = port
  proxy.cut()
}

const petsIn = (cluster: Cluster): Promise<number> =>
  cluster.run('SELECT count(*)::int AS n FROM pets', DATABASE).then(([row]) => row?.n)

test('a server that was idle during a failover lists and expires on the new primary, even after the old primary resumes', async () => {
  passTime(QUIET_MS + 100)
  const list = () => idle.listPets(petFilter({ limit: 5 })).catch(() => undefined)
  expect(petsOf(await until('the list has a response', list))).toHaveLength(services.length)
  await next.run(
    `UPDATE pets SET status = 'pending' WHERE id = 1;
     INSERT INTO orders (pet_id, status, expires_at, placed_at, changed_at) VALUES (1, 'pending', 1, 1, 1)`,
    DATABASE,
  )
  expect(await idle.expireOrders()).toHaveLength(1)
  await idle.close()
})

test('a server that has used a later timeline is not ready while it finds only the earlier one, logs why, and recovers', async () => {
  leadTo(old)
  await next.down('SIGKILL')
  for (const { get, post, origin, logged } of services) {
    for (let attempt = 0; attempt < 5; attempt++) {
      expect((await get('/pets')).status).toBe(503)
      expect((await post(petBody())).status).toBe(503)
      expect((await fetch(`${origin}/readyz`)).status).toBe(503)
      await Bun.sleep(60)
    }
    const reasons = logged
      .map((line) => JSON.parse(line))
      .filter(({ msg, err }) => msg === 'failed' && /timeline/.test(err.message))
    expect(reasons.length).toBe(1)
    expect(reasons[0].err.message).toMatch(/^127\.0\.0\.1:\d+ is on timeline 1, .* timeline 2/)
  }
  expect(await petsIn(old)).toBe(0)
  await next.up()
  proxy.target = next.port
  for (const { get } of services) {
    await until('the list has a response', async () => (await get('/pets')).status === 200)
    expect((await get('/pets/1')).status).toBe(200)
  }
  expect(await petsIn(next)).toBe(services.length)
})

test('a server that starts on the earlier timeline serves', async () => {
  const store = await openStore(old.address(DATABASE), { now: Date.now })
  expect(petsOf(await store.listPets(petFilter({ limit: 1 })))).toEqual([])
  await store.close()
})

test('a search that has found an earlier timeline than another search at the same time does not use it', async () => {
  const [early, late] = [await Forwarder.start(old.port), await Forwarder.start(1)]
  const hosts = [early, late].map(({ port }) => `127.0.0.1:${port}`)
  const gate = Promise.withResolvers<void>()
  let checks = 0
  const check = () => (checks++ === 0 ? gate.promise : Promise.resolve())
  const connection = await PrimaryConnection.open(
    parsePostgresAddress(`postgres://postgres@${hosts}/${DATABASE}`),
    check,
  )
  const first = connection.renew().catch(() => undefined)
  await until('the first search checks the earlier timeline', () => checks > 0)
  late.target = next.port
  await connection.renew()
  gate.resolve()
  await first
  late.stop()
  expect((await rejectionOf(connection.renew())).message).toContain('is on timeline 1, but')
  await connection.close()
  early.stop()
})

test('a new connection through the same proxy returns nothing of an earlier timeline', async () => {
  const store = await openStore(`postgres://postgres@127.0.0.1:${proxy.port}/${DATABASE}`, { now: Date.now })
  expect(petsOf(await store.listPets(petFilter({ limit: 1 }))).length).toBe(1)
  proxy.target = old.port
  const lists = Array.from({ length: 30 }, (_, n) => store.listPets(petFilter({ limit: n + 1 })))
  for (const settled of await Promise.allSettled(lists)) {
    if (settled.status === 'fulfilled') expect(petsOf(settled.value).length).toBeGreaterThan(0)
    else expect(settled.reason.code).toBe('unavailable')
  }
  proxy.target = next.port
  await store.close()
})

/** Clients stay connected while the host behind the pooler changes, so each statement has to detect it. */
describe.skipIf(!pgbouncerVersion)(
  `behind PgBouncer${pgbouncerVersion ? '' : ' (not installed)'}, on an earlier timeline than its connection,`,
  () => {
    const statements: [what: string, ask: (store: Store) => Promise<unknown>][] = [
      ['a list', (store) => store.listPets(petFilter({ limit: 1 }))],
      ['a create', (store) => store.createPet(PET, 1n)],
      ['a new key', (store) => store.createKey(newKey())],
      ['the use of a key', (store) => store.saveKeyUses([{ keyId: 1n, ending: 'aB12', at: 1 }])],
    ]
    let pooler: PgBouncer | undefined
    const openThroughPooler = async () => {
      pooler ??= await PgBouncer.start(proxy.port)
      return openStore(pooler.through(next.address(DATABASE)), { now: Date.now })
    }

    afterEach(() => {
      leadTo(next)
    })
    afterAll(() => pooler?.stop())

    test.each(statements)('%s is rejected and changes nothing', async (_, ask) => {
      const contents = () =>
        old.run('SELECT (SELECT json_agg(pets) FROM pets) AS pets, (SELECT json_agg(keys) FROM keys) AS keys', DATABASE)
      const store = await openThroughPooler()
      await store.listPets(petFilter({ limit: 1 }))
      const before = await contents()
      leadTo(old)
      expect(await rejectionOf(ask(store))).toMatchObject({ code: 'unavailable' })
      expect(await rejectionOf(ask(store))).toMatchObject({ code: 'unavailable' })
      expect(Array.from(await contents())).toEqual(Array.from(before))
      await store.close()
    })
  },
)

test('after a failover that lost commits, a server assigns no id again that it has seen, and reports the failover', async () => {
  const primary = await Cluster.start()
  await primary.run(`CREATE DATABASE ${DATABASE}`)
  await migrateStore(primary.address(DATABASE))
  await primary.run('CREATE ROLE till LOGIN; GRANT ALL ON ALL TABLES IN SCHEMA public TO till', DATABASE)
  const standby = await primary.startStandby('standby')
  const troubles: string[] = []
  const store = await openStore(`postgres://till@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/${DATABASE}`, {
    now: Date.now,
    onTrouble: ({ reason }) => troubles.push(reason),
  })
  const add = async () => {
    const key = await store.createKey(newKey({ name: crypto.randomUUID() }))
    const { value: pet } = await store.createPet(PET, key.id)
    const { value: order } = await store.placeOrder({ petId: pet.id }, key.id)
    return { key: key.id, pet: pet.id, order: order.id, event: (await store.findEnd()).id }
  }
  await add()
  await until('the standby has the pet', async () => (await petsIn(standby)) === 1)
  await standby.run("ALTER SYSTEM SET primary_conninfo = ''")
  await standby.run('SELECT pg_reload_conf()')
  const isReceiving = async () => (await standby.run('SELECT FROM pg_stat_wal_receiver')).length > 0
  await until('the standby receives nothing', async () => !(await isReceiving()))
  // A sequence logs 32 values ahead, which a standby skips.
  for (let n = 0; n < 40; n++) await add()
  expect(await store.expireOrders()).toEqual([])
  const lost = await add()
  await primary.down('SIGKILL')
  await standby.promote()
  const later = await until('the store writes again', () => add().catch(() => undefined))
  for (const kind of ['key', 'pet', 'order', 'event'] as const) expect(later[kind]).toBeGreaterThan(lost[kind])
  expect(troubles).toEqual([expect.stringContaining('the failover has lost commits')])
  await store.close()
  await Promise.all([primary.remove(), standby.remove()])
})
