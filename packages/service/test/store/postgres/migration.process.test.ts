// A migration and the standby: a server relies on a migration only once the standby has it, and a server whose migration a failover has
// lost says so until there is one again. A real primary and a real standby.

import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { petFilter } from '../../../../../test/support/lists.ts'
import { newPet } from '../../../../../test/support/pets.ts'
import { Cluster, untilWaiting } from '../../../../../test/support/postgres.ts'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { fillDatabase, fixtureJson } from '../../../../../test/support/store-fixtures.ts'
import { until } from '../../../../../test/support/until.ts'
import { PetstoreError } from '../../../src/domain/petstore-error.ts'
import type { Store } from '../../../src/domain/store.ts'
import { kindOf, openStore } from '../../../src/store/kinds.ts'
import { NEWEST_VERSION } from '../../../src/store/postgres/schema.ts'

const PET = newPet()
const { nextPetId: NEXT } = fixtureJson<{ nextPetId: bigint }>('postgres-17', 'contents')
const GRANT = 'GRANT ALL ON ALL TABLES IN SCHEMA public TO till'
const OPTIONS = { now: Date.now }

let primary: Cluster
let standby: Cluster
let receiver: number | undefined

beforeAll(async () => {
  primary = await Cluster.start()
  await primary.asAdmin((sql) => sql`CREATE ROLE till LOGIN`)
  standby = await primary.startStandby('standby')
  await primary.setSynchronous(true)
})

afterEach(receive)

afterAll(async () => {
  await Promise.all([primary.remove(), standby.remove()])
})

/** Until `receive` the standby takes nothing in. */
async function stopReceiving(): Promise<void> {
  const [row] = await standby.asAdmin((sql) => sql<{ pid: number }[]>`SELECT pid FROM pg_stat_wal_receiver`)
  receiver = row?.pid as number
  process.kill(receiver, 'SIGSTOP')
}

function receive(): void {
  if (receiver !== undefined) process.kill(receiver, 'SIGCONT')
  receiver = undefined
}

/** As an operator who ends a commit's wait for the standby; `except` has ended before. Resolves with the backend. */
async function cancelWait(during: Promise<unknown>, except?: number): Promise<number> {
  for (;;) {
    const backend = await primary.waitingBackend(during)
    if (backend === except) continue
    await primary.asAdmin((sql) => sql`SELECT pg_cancel_backend(${backend})`)
    return backend
  }
}

/** A database of schema 17, which `till` may use. */
async function olderDatabase(name: string): Promise<void> {
  await primary.asAdmin((sql) => sql.unsafe(`CREATE DATABASE ${name}`))
  await fillDatabase(primary, name)
  await primary.asAdmin((sql) => sql.unsafe(GRANT), name)
}

const outcome = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'answered',
    (error) => (error instanceof PetstoreError ? error.code : String(error)),
  )

test('a start whose migration did not wait for the standby goes on once a later commit has reached it', async () => {
  await olderDatabase('waiting')
  let opening: Promise<Store> | undefined
  await primary.asAdmin(
    (sql) =>
      sql.begin(async (transaction) => {
        await transaction`SELECT pg_advisory_xact_lock(1346720851, 0)`
        opening = openStore(primary.address('waiting'), OPTIONS)
        await untilWaiting(transaction)
        await stopReceiving()
      }),
    'waiting',
  )
  const migrating = await cancelWait(outcome(opening as Promise<Store>))
  // The operator ends the wait of the next commit, too.
  const fence = await cancelWait(outcome(opening as Promise<Store>), migrating)
  await cancelWait(outcome(opening as Promise<Store>), fence)
  receive()
  const store = await (opening as Promise<Store>)
  const [there] = await standby.asAdmin((sql) => sql`SELECT version FROM petstore_schema`, 'waiting')
  expect(there?.version).toBe(NEWEST_VERSION)
  await store.close()
})

test('after a failover that lost a migration, a server is not ready until there is one again; one with the rights migrates by itself', async () => {
  await olderDatabase('lost')
  await primary.setSynchronous(true)
  await standby.down('SIGQUIT')
  await primary.setSynchronous(false)
  const address = (user: string) => `postgres://${user}@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/lost`
  const owner = await openStore(address('postgres'), OPTIONS)
  await primary.asAdmin((sql) => sql.unsafe(GRANT), 'lost')
  const till = await openStore(address('till'), OPTIONS)
  expect((await till.createPet(PET, 1n)).value.id).toBe(NEXT)

  await primary.down('SIGKILL')
  await standby.up()
  await standby.promote()
  await standby.setSynchronous(false)
  expect(await reasonOf(till, /schema/)).toMatch(/schema is 17.*petstore migrate --apply/)
  for (const call of [
    till.ping(),
    till.listPets(petFilter({ limit: 1 })),
    till.findKey('h' as never),
    till.createPet(PET, 1n),
  ]) {
    expect(await outcome(call)).toBe('unavailable')
  }
  await until(
    'the owner is answered',
    async () => (await outcome(owner.listPets(petFilter({ limit: 1 })))) === 'answered',
  )
  expect((await kindOf(address('postgres')).schema(address('postgres'))).version).toBe(NEWEST_VERSION)

  // Tables that were lost have lost their grants.
  expect(await reasonOf(till, /lacks/)).toMatch(/lacks privileges \(SELECT ON events/)
  await standby.asAdmin((sql) => sql.unsafe(GRANT), 'lost')
  await until('the till is answered', async () => (await outcome(till.ping())) === 'answered')
  expect((await till.createPet(PET, 1n)).value.id).toBe(NEXT)
  await Promise.all([owner.close(), till.close()])
})

/** Why the store is not ready. Other reasons may come before. */
async function reasonOf(store: Store, expected: RegExp): Promise<string> {
  for (;;) {
    const { message } = (await rejectionOf(store.ping())).cause as Error
    if (expected.test(message)) return message
    await Bun.sleep(20)
  }
}
