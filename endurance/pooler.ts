// Two servers on one PostgreSQL, one of them behind PgBouncer in transaction mode: pets are added, ordered, expire and are listed, while
// backends and the pooler are killed, and every answer is compared with its request. An answer that belongs to another statement shows at once.
//
//   npm run endurance:pooler -- --seconds 180 --report

import { PgBouncer, pgbouncerVersion } from '../test/support/pgbouncer.ts'
import { Cluster } from '../test/support/postgres.ts'
import { type Running, serve } from '../test/support/process.ts'
import { faultsLine, print, runCommand } from './command.ts'
import { audit } from './order-audit.ts'
import { reader, readTables } from './order-stores.ts'
import { Shop } from './pooler-clients.ts'

const BUYERS_PER_SERVER = 8
const READERS_PER_SERVER = 4
const KILL_EVERY_MS = 700
/** Each so many kills it is the pooler, which comes back at once. */
const POOLER_EVERY = 4

export interface Tally {
  shop: Shop
  /** What was killed in the second half of the time. */
  killed: { backends: number; poolers: number }
}

export async function underPooler(seconds: number): Promise<Tally> {
  const cluster = await Cluster.start()
  let pooler = await PgBouncer.start(cluster.port)
  const address = await cluster.newDatabase()
  const servers: Running[] = []
  try {
    // One after the other, so that the first shows the key.
    for (const database of [pooler.through(address), address])
      servers.push(await serve([], { env: { PETSTORE_DATABASE: database, PETSTORE_LOG_LEVEL: 'silent' } }))
    const shop = new Shop((servers[0] as Running).key)
    const working = servers.flatMap(({ url }, server) => [
      ...Array.from({ length: BUYERS_PER_SERVER }, (_, n) => shop.buy(url, `${server}-${n}`, n)),
      ...Array.from({ length: READERS_PER_SERVER }, () => shop.read(url)),
    ])
    await Bun.sleep(500 * seconds)
    const killed = { backends: 0, poolers: 0 }
    const until = performance.now() + 500 * seconds
    for (let round = 0; performance.now() < until || round < 2; round++) {
      if (round % POOLER_EVERY === 1) {
        await pooler.stop()
        pooler = await PgBouncer.start(cluster.port, pooler.port)
        killed.poolers++
      } else killed.backends += await killBackend(cluster)
      await Bun.sleep(KILL_EVERY_MS)
    }
    shop.close()
    await Promise.all(working)
    const tables = await readTables(reader(cluster, new URL(address).pathname.slice(1)))
    shop.faults.push(...shop.journal.faults, ...audit(tables, shop.journal))
    for (const { url } of servers) await shop.compareList(url)
    return { shop, killed }
  } finally {
    await Promise.all(servers.map((server) => server.stop('SIGKILL')))
    await pooler.stop()
    await cluster.remove()
  }
}

/** Terminates one of the service's backends. Returns how many it were. */
async function killBackend(cluster: Cluster): Promise<number> {
  const KILL = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'petstore' ORDER BY state = 'active' DESC, random() LIMIT 1`
  return (await cluster.asAdmin((sql) => sql.unsafe(KILL))).length
}

async function run({ seconds }: { seconds: number }) {
  const { shop, killed } = await underPooler(seconds)
  const counts = Object.entries(shop.counts).map(([what, count]) => `${count} ${what}`)
  const text = `${seconds} seconds, PgBouncer ${pgbouncerVersion} in transaction mode before one of two servers on one PostgreSQL, ${BUYERS_PER_SERVER + READERS_PER_SERVER} clients each.
In the second half, ${killed.backends} backends of the service were killed with \`pg_terminate_backend\`, and the pooler ${killed.poolers} times with SIGKILL.

- Every answer was compared with its request: ${counts.join(', ')}. ${shop.unavailable} requests got 503 and were sent again.
- The longest time in which a client had to send a request again: ${Math.round(shop.longestMs)} ms.
${faultsLine(shop.faults)}`
  return { text, passed: shop.faults.length === 0 }
}

if (import.meta.main) {
  if (!pgbouncerVersion) {
    print('PgBouncer is not installed.')
    process.exit(1)
  }
  const status = await runCommand({
    name: 'pooler',
    title: 'Behind PgBouncer',
    description:
      'Compares every answer of a server behind PgBouncer with its request, while backends and the pooler are killed.',
    options: { seconds: ['how long', 180] },
    run,
  })
  process.exit(status)
}
