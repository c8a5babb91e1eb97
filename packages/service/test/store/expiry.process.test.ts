// Two thousand reservations that end at the same moment, under a real server of each store: it goes on answering.

import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { temporaryFile } from '../../../../test/support/files.ts'
import { sharedCluster } from '../../../../test/support/postgres.ts'
import { ask, type Running, serve } from '../../../../test/support/process.ts'

const COUNT = 2_000
const READERS = 4
const IDLE_MS = 500
/** Of a page while they end: no wait for all of them. Generous, because a machine may be busy. */
const PAGE_MS_MAX = 10_000

/** In the SQL of both stores: pets that are reserved, each by an order with the same `endsAt`. */
const reservations = (endsAt: number, numbers: string) => [
  `INSERT INTO pets (name, category_id, status, created_at, created_by) SELECT 'Rex', 1, 'pending', 1, 1 FROM ${numbers}`,
  `INSERT INTO orders (pet_id, status, expires_at, placed_at, changed_at) SELECT id, 'pending', ${endsAt}, 1, 1 FROM pets`,
]

async function endAtOnce(database: string, reserve: (statements: (numbers: string) => string[]) => Promise<void>) {
  const server = await serve([], { env: { PETSTORE_DATABASE: database } })
  let reading = true
  const idle: number[] = []
  const ending: number[] = []
  let times = idle
  const readers = Array.from({ length: READERS }, async () => {
    while (reading) {
      const startedAt = performance.now()
      const { status } = await ask('GET', `${server.url}/pets?limit=100&status=available`, server.key)
      expect(status).toBe(200)
      times.push(performance.now() - startedAt)
    }
  })
  await Bun.sleep(IDLE_MS)
  // Committed together, when they are due already: the sweep finds all of them at once.
  await reserve((numbers) => reservations(Date.now(), numbers))
  times = ending
  const free = await freeUntilAll(server)
  reading = false
  await Promise.all(readers)
  const [before, during] = [idle, ending].map(p99)
  process.stdout.write(`p99 of a page: ${before} ms before, ${during} ms while ${COUNT} reservations end\n`)
  // One transaction for all of them would show none of them or all.
  expect(free.some((count) => count > 0 && count < COUNT)).toBe(true)
  expect(ending.length).toBeGreaterThan(READERS)
  expect(Math.max(...ending)).toBeLessThan(PAGE_MS_MAX)
  expect(await server.stop()).toBe(0)
}

/** How many pets are available, again and again until all are. */
async function freeUntilAll({ url, key }: Running): Promise<number[]> {
  const free: number[] = []
  while (free.at(-1) !== COUNT) {
    const { text } = await ask('GET', `${url}/store/inventory`, key)
    free.push(JSON.parse(text).available)
  }
  return free
}

function p99(times: number[]): string {
  return (times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0).toFixed(1)
}

test('on SQLite, many reservations that end at once are expired while requests are answered', async () => {
  const path = temporaryFile('petstore.db')
  await endAtOnce(path, async (statements) => {
    using file = new Database(path)
    file.run('PRAGMA busy_timeout = 5000')
    const numbers = `(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${COUNT}) SELECT i FROM n)`
    file.transaction(() => {
      for (const sql of statements(numbers)) file.run(sql)
    })()
  })
})

test('on PostgreSQL, many reservations that end at once are expired while requests are answered', async () => {
  const cluster = await sharedCluster()
  const address = await cluster.newStore()
  await endAtOnce(address, (statements) =>
    cluster.asAdmin(async (sql) => {
      await sql.begin(async (transaction) => {
        for (const statement of statements(`generate_series(1, ${COUNT}) AS n`)) await transaction.unsafe(statement)
      })
    }, address),
  )
})
