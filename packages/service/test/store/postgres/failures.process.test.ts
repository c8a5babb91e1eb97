// What the service answers when its PostgreSQL fails: 503 within seconds, and the truth again once it is back.

import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { newPet, petBody } from '../../../../../test/support/pets.ts'
import { Cluster, databaseOf } from '../../../../../test/support/postgres.ts'
import { ask, type Running, serve } from '../../../../../test/support/process.ts'
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
/** To trace the processes of another user. */
const CAP_SYS_PTRACE = 19n
const canTrace = strace && ((capabilities() >> CAP_SYS_PTRACE) & 1n) === 1n
/** The longest that any request may take, whatever the database does: each of its waits, and what a busy machine adds. */
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

  /** Answers of requests that were sent together, none of them later than it may be. */
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

  test('has locked tables: list, create and fetch fail within their time limit', async () => {
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
      /** Resolves when no more come. */
      const taken = async () => {
        for (let [before, now] = [-1, 0]; now > before; await Bun.sleep(200)) {
          before = now
          now = (await sql<{ n: number }[]>`SELECT count(*)::int AS n FROM pg_stat_activity`)[0]?.n ?? 0
        }
      }
      const hogging = hog()
      await taken()
      await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'petstore'`
      // What that has set free is taken, too.
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
    `commits slowly, as with a slow disk: the log names no standby${canTrace ? '' : ' (needs strace and CAP_SYS_PTRACE)'}`,
    async () => {
      const [pid] = readFileSync(join(cluster.folder, 'postmaster.pid'), 'utf8').split('\n')
      const isTraced = () => !/^TracerPid:\t0$/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
      // The processes that are started from now on, too.
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
      expect(reasons()).toContainEqual(expect.stringContaining('is the disk slow'))
      expect(reasons()).not.toContainEqual(expect.stringContaining('standby'))
    },
  )

  test('closes every connection', async () => {
    await list()
    await terminateAll()
    for (const status of await together(list(), service.post(PET))) expect([200, 201, 503]).toContain(status)
  })

  test('no longer accepts writes', async () => {
    await setting(`default_transaction_read_only = 'on'`)
    expect(await together(service.post(PET))).toEqual([503])
    // Its connections are left, and it is not taken for the primary again.
    expect(await together(list(), service.post(PET))).toEqual([503, 503])
    await setting(`default_transaction_read_only = 'off'`)
  })

  const LOSES = 'loses the connection at the commit'
  const ends = Object.entries({ [LOSES]: 'pg_terminate_backend', 'stops waiting for its standby': 'pg_cancel_backend' })
  for (const [what, end] of ends) {
    test(`${what}: the pet exists, and the error says that it may`, async () => {
      await awaitingStandby(async (creating, backend) => {
        await cluster.run(`SELECT ${end}(${backend})`)
        const { status, text } = await creating
        expect(status).toBe(503)
        expect(text).toContain(MAY_BE_CHANGED)
      })
    })
  }

  test('loses the connection at the commit of a correction: it is made, and the error says that it may be', async () => {
    const { store } = service
    const by = 1n
    const [held, mistake] = await Promise.all([store.createPet(NEW_PET, by), store.createPet(NEW_PET, by)])
    const [petPath, mistakePath] = [held, mistake].map(({ value }) => `/pets/${value.id}`) as [string, string]
    const orderPath = `/store/orders/${(await store.placeOrder({ petId: held.value.id }, by)).value.id}`
    for (const [method, path, body] of [
      ['PATCH', petPath, '{"name":"Corrected"}'],
      ['PATCH', orderPath, '{"reference":"corrected"}'],
      ['DELETE', mistakePath, undefined],
    ] as const) {
      await setting(`synchronous_standby_names = 'nobody'`)
      const correcting = service.request(method, path, { body, headers: { 'Content-Type': 'application/json' } })
      const backend = await cluster.waitingBackend(correcting)
      await cluster.run(`SELECT pg_terminate_backend(${backend})`)
      const { status, text } = await correcting
      await setting(`synchronous_standby_names = ''`)
      expect([status, text]).toEqual([503, expect.stringContaining('during the change, which may have been saved.')])
      await servesAgain()
    }
    expect((await service.get(petPath)).text).toContain('Corrected')
    expect((await service.get(orderPath)).text).toContain('corrected')
    expect((await service.get(mistakePath)).status).toBe(404)
  })

  test('waits for a missing standby: no create is acknowledged, and lists work', async () => {
    await awaitingStandby(async (creating) => {
      expect(await together(creating, list())).toEqual([503, 200])
      expect(await together(service.post(PET), list())).toEqual([503, 200])
    })
  })

  /** A create that is committed and waits for a synchronous standby that is not there; with its backend's number. */
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

/** Returns this process's capabilities, or none if the system has no such thing. */
function capabilities(): bigint {
  if (process.platform !== 'linux') return 0n
  return BigInt(`0x${/^CapEff:\t(\w+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0'}`)
}

async function setting(text: string): Promise<void> {
  await cluster.run(`ALTER SYSTEM SET ${text}`)
  await cluster.run('SELECT pg_reload_conf()')
  await Bun.sleep(100)
}

test('a database restarted under load causes 503 and no other error', async () => {
  const address = await cluster.newDatabase()
  const server: Running = await serve([], { env: { PETSTORE_DATABASE: address } })
  const statuses = new Set<number>()
  const acknowledged: string[] = []
  let stopping = false
  let addedAt = 0
  const clients = Array.from({ length: 8 }, async (_, client) => {
    for (let number = 1; !stopping; number++) {
      const name = `${client}-${number}`
      const askedAt = performance.now()
      const added = await ask('POST', `${server.url}/pets`, server.key, petBody({ name }))
      const listed = await ask('GET', `${server.url}/pets?limit=${client + 1}`, server.key)
      for (const { status, headers } of [added, listed]) {
        statuses.add(status)
        if (status === 503) expect(headers.get('Retry-After')).toBe(RETRY_AFTER_S)
      }
      if (added.status === 201) {
        acknowledged.push(name)
        addedAt = askedAt
      }
    }
  })
  for (let round = 0; round < 2; round++) {
    await Bun.sleep(200)
    await cluster.down('SIGQUIT')
    await Bun.sleep(300)
    await cluster.up()
    const upAt = performance.now()
    while (addedAt < upAt) {
      expect(performance.now() - upAt).toBeLessThan(20_000)
      await Bun.sleep(5)
    }
  }
  stopping = true
  await Promise.all(clients)
  expect([...statuses].sort()).toEqual([200, 201, 503])
  const names = (await cluster.run('SELECT name FROM pets', address)).map(({ name }) => name as string)
  expect(new Set(names).size).toBe(names.length)
  expect(acknowledged.filter((name) => !names.includes(name))).toEqual([])
  expect(await server.stop()).toBe(0)
})

test('the host that accepts writes is used; a standby alone is refused', async () => {
  const own = await Cluster.start()
  // The standby has it from the beginning: it takes in the rest when it comes to it.
  await own.run(`CREATE DATABASE petstore`)
  const standby = await own.startStandby('standby')
  const addressOf = (...ports: number[]) =>
    `postgres://postgres@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/petstore`
  const store = await openStore(addressOf(1, standby.port, own.port), { now: Date.now })
  await store.createFirstKey({ name: 'k', hash: 'h' as never, readOnly: false, expiresAt: undefined })
  expect((await store.createPet(NEW_PET, 1n)).value.id).toBe(1n)
  await store.close()
  const alone = openStore(addressOf(standby.port).replace('petstore', 'postgres'), { now: Date.now })
  expect((await rejectionOf(alone)).message).toMatch(/is a standby.*If the primary is not among them, name it, too/)
  await own.down('SIGKILL')
  // As in the middle of a failover: every host is named, and none is to be added.
  const all = openStore(addressOf(own.port, standby.port), { now: Date.now })
  expect((await rejectionOf(all)).message).toMatch(/all that respond are standbys.*or try again/)
  await own.remove()
  await standby.remove()
})
