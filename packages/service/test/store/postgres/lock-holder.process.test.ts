// A server that freezes between reading and writing in a change, while it holds the lock that orders the commits.

import { expect, test } from 'bun:test'
import { newKey } from '../../../../../test/support/keys.ts'
import { orderFilter } from '../../../../../test/support/lists.ts'
import { newPet } from '../../../../../test/support/pets.ts'
import { databaseOf, sharedCluster } from '../../../../../test/support/postgres.ts'
import { ask, serve } from '../../../../../test/support/process.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { TRANSACTION_IDLE_MS } from '../../../src/store/postgres/connect/time-limits.ts'

const cluster = await sharedCluster()
const CLIENTS = 8
/** The time until another server adds a pet and places an order, on a busy machine. */
const OTHERS_GO_ON_MS = TRANSACTION_IDLE_MS + 1_500

test('a frozen server blocks other servers until PostgreSQL ends its transaction, and then answers 503 without having written anything', async () => {
  const address = await cluster.newStore()
  const stopping = await serve(['--database', address])
  const others = await openStore(address, { now: Date.now })
  const { id: by } = await others.createKey(newKey())
  const addPet = async () => (await others.createPet(newPet({ status: 'available' }), by)).value.id

  const answers = new Map<bigint, number>()
  let caught = false
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!caught) {
      const petId = await addPet()
      const answer = await ask('POST', `${stopping.url}/store/orders`, stopping.key, `{"petId":${petId}}`)
      answers.set(petId, answer.status)
    }
  })
  /** The states of the sessions that hold the lock. */
  const holders = () =>
    cluster.run(
      `SELECT state FROM pg_stat_activity JOIN pg_locks USING (pid)
         WHERE locktype = 'advisory' AND objid = 1 AND granted AND datname = '${databaseOf(address)}'`,
      address,
    )
  /** Waits until a statement in progress has ended. */
  async function isIdleWithLock(): Promise<boolean> {
    for (;;) {
      const states = (await holders()).map(({ state }) => state)
      if (states.length === 0 || states.includes('idle in transaction')) return states.length > 0
    }
  }
  while (!caught) {
    await Bun.sleep(1)
    process.kill(stopping.pid, 'SIGSTOP')
    caught = await isIdleWithLock()
    if (!caught) process.kill(stopping.pid, 'SIGCONT')
  }

  const startedAt = performance.now()
  const petId = await addPet()
  expect((await others.placeOrder({ petId }, by)).value.petId).toBe(petId)
  expect(performance.now() - startedAt).toBeLessThan(OTHERS_GO_ON_MS)

  process.kill(stopping.pid, 'SIGCONT')
  await Promise.all(clients)
  expect([...answers.values()]).toContain(503)
  for (const [petId, status] of answers) {
    const { json } = await others.listOrders(orderFilter({ limit: 2, petId }))
    expect([petId, status, json === '[]']).toEqual([petId, status === 201 ? 201 : 503, status !== 201])
  }
  const petIdAfter = await addPet()
  expect((await ask('POST', `${stopping.url}/store/orders`, stopping.key, `{"petId":${petIdAfter}}`)).status).toBe(201)
  await stopping.stop()
  await others.close()
})
