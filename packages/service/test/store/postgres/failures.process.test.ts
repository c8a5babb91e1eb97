// A failing PostgreSQL: requests fail with 503 within seconds, and succeed again once it is back.

import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { newPet, petBody } from '../../../../../test/support/pets.ts'
import { Cluster, databaseOf } from '../../../../../test/support/postgres.ts'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { type Answer, type Service, startService } from '../../../../../test/support/service.ts'
import { until } from '../../../../../test/support/until.ts'
import { RETRY_AFTER_S } from '../../../src/http/response/error-answer.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { MAY_BE_CHANGED } from '../../../src/store/postgres/connect/errors.ts'
import {
  ANSWER_TIMEOUT_MS,
  CONNECT_TIMEOUT_MS,
  WRITE_QUEUE_MS,
} from '../../../src/store/postgres/connect/time-limits.ts'

const PET = petBody()
const NEW_PET = newPet()
const strace = Bun.which('strace')
/** Needed to trace processes of another user. */
const CAP_SYS_PTRACE = 19n
const canTrace = strace && ((capabilities() >> CAP_SYS_PTRACE) & 1n) === 1n
/** The maximum duration of a request: each of its waits, and some time for a busy machine. */
const WAIT_MAX_MS = CONNECT_TIMEOUT_MS + WRITE_QUEUE_MS + ANSWER_TIMEOUT_MS + 1_000
const MAX_CONNECTIONS = 24

const cluster = await Cluster.start({ max_connections: String(MAX_CONNECTIONS), synchronous_commit: 'local' })

describe('a database that', () => {
  let service: Service
  let database: string

  beforeAll(async () => {
    const address = await cluster.newDatabase()
    database = databaseOf(address)
    await cluster.run(`CREATE ROLE shop LOGIN; ALTER DATABASE ${database} OWNER TO shop`)
    service = await startService({ address: address.replace('postgres@', 'shop@') })
  })
  afterEach(async () => {
    await servesAgain()
  })

  const list = (limit = 20) => service.get(`/pets?limit=${limit}`)

  /** The statuses of concurrent requests. Each must be answered within WAIT_MAX_MS. */
  async function together(...requests: Promise<Answer>[]): Promise<number[]> {
    const startedAt = performance.now()
    const answers = await Promise.all(requests)
    expect(performance.now() - startedAt).toBeLessThan(WAIT_MAX_MS)
    for (const { status, headers } of answers)
      if (status === 503) expect(headers.get('Retry-After')).toBe(RETRY_AFTER_S)
    return answers.map(({ status }) => status)
  }

  async function servesAgain(): Promise<void> {
    const deadline = performance.now() + 30_000
    for (;;) {
      const statuses = await together(list(), service.post(PET))
      if (statuses[0] === 200 && statuses[1] === 201) return
      expect(performance.now()).toBeLessThan(deadline)
      await Bun.sleep(20)
    }
  }

  test('has locked tables: requests fail within their time limit', async () => {
    const asking = async () =>
      expect(await together(list(), service.post(PET), service.get('/pets/1'))).toEqual([503, 503, 503])
    await cluster.locked(database, asking, 'LOCK TABLE pets IN ACCESS EXCLUSIVE MODE')
  })

  test('does not respond: requests fail within their time limit', async () => {
    cluster.signalAll('SIGSTOP')
    try {
      expect(await together(list(), service.post(PET))).toEqual([503, 503])
      expect(await together(list(), service.post(PET), service.get('/pets/1'))).toEqual([503, 503, 503])
    } finally {
      cluster.signalAll('SIGCONT')
    }
  })

  test('has no free connection', async () => {
    await cluster.asAdmin(async (sql) => {
      await sql`SELECT 1`
      const hogs = postgres(cluster.address('postgres').replace('postgres@', 'shop@'), { max: MAX_CONNECTIONS })
      const hog = () => Array.from({ length: MAX_CONNECTIONS }, () => hogs`SELECT pg_sleep(30)`.catch(() => {}))
      /** Resolves when the number of connections stops growing. */
      const taken = async () => {
        for (let [before, now] = [-1, 0]; now > before; await Bun.sleep(200)) {
          before = now
          now = (await sql<{ n: number }[]>`SELECT count(*)::int AS n FROM pg_stat_activity`)[0]?.n ?? 0
        }
      }
      const hogging = hog()
      await taken()
      await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'petstore'`
      // Takes the connections that this released, too.
      hogging.push(...hog())
      await taken()
      const requests = Array.from({ length: 30 }, (_, n) => (n % 3 === 0 ? service.post(PET) : list(n + 1)))
      expect(new Set(await together(...requests))).toEqual(new Set([503]))
      await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(30)'`
      await Promise.all(hogging)
      await hogs.end({ timeout: 0 })
    })
  })

  test.skipIf(!canTrace)(
    `commits slowly because of its disk: the log does not blame a standby${canTrace ? '' : ' (needs strace and CAP_SYS_PTRACE)'}`,
    async () => {
      const [pid] = readFileSync(join(cluster.folder, 'postmaster.pid'), 'utf8').split('\n')
      const isTraced = () => !/^TracerPid:\t0$/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
      // Also traces processes that start later.
      const delay = ['-e', 'trace=fdatasync', '-e', 'inject=fdatasync:delay_enter=900000']
      const slowing = Bun.spawn([strace as string, '-f', '-q', '-o', '/dev/null', ...delay, '-p', pid as string])
      await until('the process is traced or has ended', () => isTraced() || slowing.exitCode !== null)
      const before = service.logged.length
      await terminateAll()
      const reasons = () => service.logged.slice(before).map((line) => JSON.parse(line).err?.message ?? '')
      for (const deadline = performance.now() + 20_000; !reasons().some((reason) => reason.startsWith('a commit')); ) {
        expect(performance.now(), 'waits for a slow commit').toBeLessThan(deadline)
        await list()
      }
      slowing.kill('SIGINT')
      await slowing.exited
      expect(reasons()).toContainEqual(expect.stringContaining('the disk is slow'))
      expect(reasons()).not.toContainEqual(expect.stringContaining('standby'))
    },
  )

  test('no longer accepts writes', async () => {
    await setting(`default_transaction_read_only = 'on'`)
    expect(await together(service.post(PET))).toEqual([503])
    // The connections were closed, and the server does not accept the host as primary.
    expect(await together(list(), service.post(PET))).toEqual([503, 503])
    await setting(`default_transaction_read_only = 'off'`)
  })

  const LOSES = 'loses the connection at the commit'
  const ends = Object.entries({ [LOSES]: 'pg_terminate_backend', 'stops waiting for its standby': 'pg_cancel_backend' })
  for (const [what, end] of ends) {
    test(`${what}: the pet exists, and the error says that it can exist`, async () => {
      await awaitingStandby(async (creating, backend) => {
        await cluster.run(`SELECT ${end}(${backend})`)
        const { status, text } = await creating
        expect(status).toBe(503)
        expect(text).toContain(MAY_BE_CHANGED)
      })
    })
  }

  test('waits for a missing standby: creates are not acknowledged, and lists work', async () => {
    await awaitingStandby(async (creating) => {
      expect(await together(creating, list())).toEqual([503, 200])
      expect(await together(service.post(PET), list())).toEqual([503, 200])
    })
  })

  /**
   * Calls `use` with a create that is committed and waits for a missing synchronous standby, and with the pid of its
   * backend.
   */
  async function awaitingStandby(use: (creating: Promise<Answer>, backend: number) => Promise<void>): Promise<void> {
    await list()
    const before = await count()
    await setting(`synchronous_standby_names = 'nobody'`)
    await Bun.sleep(100)
    const creating = service.post(PET)
    await use(creating, await cluster.waitingBackend(creating))
    await setting(`synchronous_standby_names = ''`)
    await until('the count has changed', async () => (await count()) !== before)
    expect(await count()).toBe(before + 1)
  }

  async function count(): Promise<number> {
    return (await cluster.run('SELECT count(*)::int AS n FROM pets', database))[0]?.n
  }

  async function terminateAll(): Promise<void> {
    await cluster.run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'petstore'`)
  }
})

/** The capabilities of this process, or 0 on other systems than Linux. */
function capabilities(): bigint {
  if (process.platform !== 'linux') return 0n
  return BigInt(`0x${/^CapEff:\t(\w+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0'}`)
}

async function setting(text: string): Promise<void> {
  await cluster.run(`ALTER SYSTEM SET ${text}`)
  await cluster.run('SELECT pg_reload_conf()')
  await Bun.sleep(100)
}

test('uses the host that accepts writes, and refuses a standby alone', async () => {
  const own = await Cluster.start()
  // The standby already has this database, and applies the rest when it replicates.
  await own.run(`CREATE DATABASE petstore`)
  const standby = await own.startStandby('standby')
  const addressOf = (...ports: number[]) =>
    `postgres://postgres@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/petstore`
  const store = await openStore(addressOf(1, standby.port, own.port), { now: Date.now })
  await store.createFirstKey({ name: 'k', hash: 'h' as never, readOnly: false, expiresAt: undefined })
  expect((await store.createPet(NEW_PET, 1n)).value.id).toBe(1n)
  await store.close()
  const alone = openStore(addressOf(standby.port).replace('petstore', 'postgres'), { now: Date.now })
  expect((await rejectionOf(alone)).message).toMatch(/all that respond are standbys.*Add the primary/)
  await own.down('SIGKILL')
  // As during a failover: all hosts are in the address.
  const all = openStore(addressOf(own.port, standby.port), { now: Date.now })
  expect((await rejectionOf(all)).message).toMatch(/all that respond are standbys.*or try again/)
  await own.remove()
  await standby.remove()
})
