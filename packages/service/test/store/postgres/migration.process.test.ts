// Migrations with a real primary and standby: a server uses a migration once the standby has it, and reports a
// migration that a failover lost.

import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type postgres from 'postgres'
import { petBody } from '../../../../../test/support/pets.ts'
import { Cluster, untilWaiting } from '../../../../../test/support/postgres.ts'
import { ask, nextVersion, type Running, serve } from '../../../../../test/support/process.ts'
import { outcomeOf } from '../../../../../test/support/rejection.ts'
import { until } from '../../../../../test/support/until.ts'
import type { Store } from '../../../src/domain/store.ts'
import { kindOf, migrateStore, openStore } from '../../../src/store/kinds.ts'
import { NEWEST_VERSION } from '../../../src/store/postgres/schema/schema.ts'

const GRANT = 'GRANT ALL ON ALL TABLES IN SCHEMA public TO till'
const OPTIONS = { now: Date.now }
/** Recreates a table, which then has no grants. */
const AGAIN = `DROP TABLE deprecated_calls; CREATE TABLE deprecated_calls
  (key_id bigint, operation_id text, calls bigint, last_at bigint, PRIMARY KEY (key_id, operation_id))`

let primary: Cluster
let standby: Cluster

beforeAll(async () => {
  primary = await Cluster.start()
  await primary.run(`CREATE ROLE till LOGIN`)
  standby = await primary.startStandby('standby')
  await primary.setSynchronous(true)
})

afterEach(() => standby.receive())

afterAll(async () => {
  await Promise.all([primary.remove(), standby.remove()])
})

/**
 * Cancels a commit's wait for the standby, like an operator. `except` was cancelled before. Resolves with the
 * backend's pid.
 */
async function cancelWait(during: Promise<unknown>, except?: number): Promise<number> {
  for (;;) {
    const backend = await primary.waitingBackend(during)
    if (backend === except) continue
    await primary.run(`SELECT pg_cancel_backend(${backend})`)
    return backend
  }
}

test('a start whose migration did not wait for the standby continues once a later commit has reached it', async () => {
  await primary.run(`CREATE DATABASE waiting`)
  let opening: Promise<Store> | undefined
  const waiting = async (transaction: postgres.TransactionSql) => {
    opening = openStore(primary.address('waiting'), OPTIONS)
    await untilWaiting(transaction)
    await standby.stopReceiving()
  }
  await primary.locked('waiting', waiting, 'SELECT pg_advisory_xact_lock(1346720851, 0)')
  const migrating = await cancelWait(outcomeOf(opening as Promise<Store>))
  // The operator cancels the wait of the next commit, too.
  const fence = await cancelWait(outcomeOf(opening as Promise<Store>), migrating)
  await cancelWait(outcomeOf(opening as Promise<Store>), fence)
  standby.receive()
  const store = await (opening as Promise<Store>)
  const [there] = await standby.run(`SELECT version FROM petstore_schema`, 'waiting')
  expect(there?.version).toBe(NEWEST_VERSION)
  await store.close()
})

test('after a failover that lost a migration, a server is not ready until it is migrated again, and a server with the rights repeats the migration until it gets its locks', async () => {
  await primary.run(`CREATE DATABASE lost`)
  await migrateStore(primary.address('lost'))
  await primary.run(GRANT, 'lost')
  await primary.setSynchronous(true)
  await standby.down('SIGQUIT')
  await primary.setSynchronous(false)
  const address = (user: string) => `postgres://${user}@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/lost`
  const serveNext = (user: string) =>
    serve(['--database', address(user)], { command: nextVersion, env: { NEXT_MIGRATION: AGAIN } })
  const owner = await serveNext('postgres')
  await primary.run(GRANT, 'lost')
  const till = await serveNext('till')
  const isReady = async ({ url }: Running) => (await fetch(new URL('/readyz', url))).ok
  const create = (service: Running) => ask('POST', `${service.url}/pets`, owner.key, petBody())
  expect((await create(till)).status).toBe(201)

  process.kill(owner.pid, 'SIGSTOP')
  await primary.down('SIGKILL')
  await standby.up()
  await standby.promote()
  await standby.setSynchronous(false)
  const lost = `the schema is ${NEWEST_VERSION}, and this version needs ${NEWEST_VERSION + 1}`
  const logs = (reason: string, service = till) =>
    until(`a failure is logged with: ${reason}`, async () => {
      expect((await create(service)).status).toBe(503)
      return service.stderr().includes(reason)
    })
  await logs(lost)
  const repeated = async () => {
    process.kill(owner.pid, 'SIGCONT')
    await logs('needs a lock that pid', owner)
    await standby.asAdmin((sql) => untilWaiting(sql, 1, 'relation'), 'lost')
  }
  await standby.locked('lost', repeated, 'LOCK TABLE deprecated_calls IN ACCESS SHARE MODE')
  await until('the owner has migrated again', () => isReady(owner))
  expect((await kindOf(address('postgres')).schema(address('postgres'))).version).toBe(NEWEST_VERSION + 1)

  // The recreated table has no grants.
  await logs('lacks privileges (SELECT ON deprecated_calls')
  await standby.run(GRANT, 'lost')
  await until('the server is ready again', () => isReady(till))
  // The standby was down when the key was created.
  expect((await create(till)).status).toBe(401)
  await Promise.all([owner.stop(), till.stop()])
})
