// A PostgreSQL that allows fewer connections than configured: servers work with the connections that are open.

import { expect, spyOn, test } from 'bun:test'
import { Forwarder } from '../../../../../test/support/forwarder.ts'
import { newKey } from '../../../../../test/support/keys.ts'
import { petFilter } from '../../../../../test/support/lists.ts'
import { newPet } from '../../../../../test/support/pets.ts'
import { databaseOf, sharedCluster } from '../../../../../test/support/postgres.ts'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { passTime } from '../../../../../test/support/timers.ts'
import { until } from '../../../../../test/support/until.ts'
import { connectionFailureLog, openObserved } from '../../../../cli/src/served-store.ts'
import { createLog } from '../../../src/observability/log.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { QUIET_MS } from '../../../src/store/postgres/connect/primary-state.ts'

const ROUNDS = 5
const cluster = await sharedCluster()

test('a server whose role can no longer log in keeps serving with its open connections', async () => {
  const address = await cluster.newDatabase()
  const name = databaseOf(address)
  const role = `role_of_${name}`
  await cluster.run(`CREATE ROLE ${role} LOGIN; ALTER DATABASE ${name} OWNER TO ${role}`)
  const lines: string[] = []
  const log = createLog('warn', { destination: { write: (line) => lines.push(line) } })
  const ofRole = address.replace('postgres@', `${role}@127.0.0.1:1,`)
  const store = await openObserved(ofRole, log, undefined, { now: Date.now })
  const { id: by } = await store.createKey(newKey())
  await cluster.run(`ALTER ROLE ${role} NOLOGIN`)
  for (let round = 0; round < ROUNDS; round++)
    // More calls than connections, but few enough for a slow machine to serve in time.
    await Promise.all([
      store.ping(),
      ...Array.from({ length: 6 }, (_, n) => store.listPets(petFilter({ limit: n + 1 }))),
      ...Array.from({ length: 2 }, () => store.createPet(newPet(), by)),
    ])
  await until('two connections have failed', async () => {
    await Promise.all(Array.from({ length: 4 }, (_, n) => store.listPets(petFilter({ limit: n + 1 }))))
    return (store.pool?.().failures ?? 0) > 1
  })
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'warn', err: { code: '28000', message: expect.stringContaining(role) } },
  ])
  // Now the server checks all hosts again.
  passTime(QUIET_MS + 100)
  await store.ping()
  await store.close()
})

test('each reason why connections fail is logged once a minute', () => {
  const lines: string[] = []
  const failed = connectionFailureLog(createLog('warn', { destination: { write: (line) => lines.push(line) } }))
  let now = 1_000
  const clock = spyOn(performance, 'now').mockImplementation(() => now)
  try {
    for (; now < 61_000; now += 100) for (const reason of ['too many', 'no password']) failed(new Error(reason))
    expect(lines.map((line) => JSON.parse(line).err.message)).toEqual(['too many', 'no password'])
    failed(new Error('too many'))
    expect(lines).toHaveLength(3)
  } finally {
    clock.mockRestore()
  }
})

test('a server drops a host that refuses connections because nothing listens there', async () => {
  const proxy = await Forwarder.start(cluster.port)
  const store = await openStore((await cluster.newStore()).replace(/:[0-9]+\//, `:${proxy.port}/`), { now: Date.now })
  proxy.refuse()
  const lists = Array.from({ length: 8 }, (_, n) => store.listPets(petFilter({ limit: n + 1 })))
  await Promise.allSettled(lists)
  expect(await rejectionOf(store.listPets(petFilter({ limit: 1 })))).toMatchObject({ code: 'unavailable' })
  await store.close()
  proxy.stop()
})
