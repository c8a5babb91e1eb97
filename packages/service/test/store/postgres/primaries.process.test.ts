// Several hosts of an address that accept writes on the same timeline: two servers, or one server with two addresses.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Forwarder } from '../../../../../test/support/forwarder.ts'
import { newKey } from '../../../../../test/support/keys.ts'
import { newPet } from '../../../../../test/support/pets.ts'
import { Cluster } from '../../../../../test/support/postgres.ts'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { passTime } from '../../../../../test/support/timers.ts'
import { until } from '../../../../../test/support/until.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { parsePostgresAddress } from '../../../src/store/postgres/address.ts'
import { writableHost } from '../../../src/store/postgres/connect/hosts.ts'
import { PrimaryConnection } from '../../../src/store/postgres/connect/primary.ts'
import { QUIET_MS } from '../../../src/store/postgres/connect/primary-state.ts'

let old: Cluster
let one: Cluster
let other: Cluster

const addressOf = (...clusters: { port: number }[]) =>
  `postgres://postgres@${clusters.map(({ port }) => `127.0.0.1:${port}`).join(',')}/petstore?connections=1`
const open = (...clusters: Cluster[]) => openStore(addressOf(...clusters), { now: Date.now })

beforeAll(async () => {
  old = await Cluster.start()
  await old.run('CREATE DATABASE petstore')
  await (await open(old)).close()
  // One after the other, because each takes a base backup.
  one = await old.startStandby('one')
  other = await old.startStandby('other')
})
afterAll(() => Promise.all([old, one, other].map((cluster) => cluster.remove())))

test('two addresses of one server can both be used, and change no connection', async () => {
  const proxies = await Promise.all([old, old].map(({ port }) => Forwarder.start(port)))
  const connection = await PrimaryConnection.open(parsePostgresAddress(addressOf(...proxies)))
  const backend = async () => (await connection.read<{ pid: number }>('SELECT pg_backend_pid() AS pid'))[0]?.pid
  const first = await backend()
  for (let search = 0; search < 3; search++) {
    passTime(QUIET_MS + 50)
    expect(await backend()).toBe(first)
  }
  await connection.close()
  for (const proxy of proxies) proxy.stop()
})

test('rejects two standbys that were both promoted, at the start and afterwards, and uses the one that remains', async () => {
  const names = [one, other].map(({ port }) => `127.0.0.1:${port}`).sort()
  const reason = `${names.join(' and ')} both accept writes on timeline 2, and assign the same ids. Stop the one that must`
  const store = await open(old, one, other)
  const { id: by } = await store.createKey(newKey())
  const create = () => store.createPet(newPet(), by)
  await create()
  await old.down('SIGKILL')
  await one.promote()
  await until('a create succeeds', () => create().catch(() => undefined), { everyMs: 10 })
  await other.promote()
  const failure = () =>
    create().then(
      () => undefined,
      ({ cause }) => String(cause),
    )
  // The store is never idle, which would also cause a search.
  await until('both are rejected', async () => (await failure())?.includes(reason))
  expect((await rejectionOf(open(old, one, other))).message).toContain(reason)

  // The host that responds late is judged when it responds.
  other.signalAll('SIGSTOP')
  const late: number[] = []
  const onLate = ({ port }: { port: number }) => late.push(port)
  const found = await writableHost(parsePostgresAddress(addressOf(one, other)), { onLate })
  expect([found.port, late]).toEqual([one.port, []])
  other.signalAll('SIGCONT')
  await until('the other host has responded', () => late.includes(other.port))

  await other.down()
  await until('a create succeeds', () => create().catch(() => undefined), { everyMs: 50 })
  await (await open(old, one, other)).close()
  await store.close()
})
