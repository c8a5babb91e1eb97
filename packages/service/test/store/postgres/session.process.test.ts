// A session with PostgreSQL: what the store expects from the driver, and lost responses.

import { describe, expect, test } from 'bun:test'
import { type AddressInfo, createServer } from 'node:net'
import { Forwarder } from '../../../../../test/support/forwarder.ts'
import { sharedCluster } from '../../../../../test/support/postgres.ts'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { until } from '../../../../../test/support/until.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { parsePostgresAddress } from '../../../src/store/postgres/address.ts'
import { Client } from '../../../src/store/postgres/connect/client.ts'
import { PrimaryConnection } from '../../../src/store/postgres/connect/primary.ts'
import { Session } from '../../../src/store/postgres/connect/session.ts'
import { STATEMENT_TIMEOUT_MS, TRANSACTION_IDLE_MS } from '../../../src/store/postgres/connect/time-limits.ts'

const cluster = await sharedCluster()
const address = parsePostgresAddress(cluster.address('postgres'))

describe('a session', () => {
  const use = async (work: (session: Session) => Promise<void>) => {
    const session = new Session(() => Client.open(address, { host: '127.0.0.1', port: cluster.port }))
    await work(session).finally(() => session.close(1_000))
  }

  test('a session responds to statements in the order in which they were sent, even after one that fails', () =>
    use(async ({ execute }) => {
      const sent = ['SELECT pg_sleep(0.05)', 'SELECT 1 / 0', 'SELECT 3 AS n'].map((statement) => execute(statement))
      const order: number[] = []
      sent.forEach((each, at) => void each.then(...Array(2).fill(() => order.push(at))))
      const answers = await Promise.allSettled(sent)
      expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      expect(answers[2]).toMatchObject({ value: [{ n: 3 }] })
      expect(order).toEqual([0, 1, 2])
    }))

  test('a session returns all rows of a statement after one that failed between two rows', () =>
    use(async ({ execute, query }) => {
      for (const statement of [execute, query]) {
        await rejectionOf(execute('SELECT 1 / (3 - n) AS n FROM generate_series(1, 5) AS n WHERE $1::int = 1', 1))
        expect(await statement('SELECT n FROM generate_series(1, $1::int) AS n', 2)).toEqual([{ n: 1 }, { n: 2 }])
      }
    }))

  test('a session connects again after an attempt that failed', async () => {
    let attempts = 0
    const session = new Session(() => {
      if (attempts++ === 0) return Promise.reject(new Error('too many connections'))
      return Client.open(address, { host: '127.0.0.1', port: cluster.port })
    })
    expect((await rejectionOf(session.execute('SELECT 1'))).message).toBe('too many connections')
    expect(await session.execute('SELECT 1 AS n')).toEqual([{ n: 1 }])
    await session.close(1_000)
  })

  test('a session runs statements after a transaction that was aborted', () =>
    use(async (session) => {
      const abort = new AbortController()
      const aborted = session.transaction(async () => abort.abort(new Error('late')), undefined, abort)
      expect((await rejectionOf(aborted)).message).toBe('late')
      expect(await session.query('SELECT 1 AS n')).toEqual([{ n: 1 }])
    }))

  test('a session commits nothing if a statement failed, even if its error was ignored', () =>
    use(async (session) => {
      const ignoring = session.transaction(() => session.execute('SELECT 1 / 0').catch(() => []))
      expect((await rejectionOf(ignoring)).message).toBe('COMMIT was answered with ROLLBACK')
    }))

  test('a session commits nothing if BEGIN or the statement sent with COMMIT fails, and rejects with the reason', () =>
    use(async (session) => {
      await session.execute('CREATE TEMP TABLE written (n int)')
      const write = () => session.execute('INSERT INTO written VALUES ($1::int)', 1)
      const divided = { code: '22012' }
      expect(await rejectionOf(session.transaction(write, 'BEGIN; SELECT 1 / 0'))).toMatchObject(divided)
      const finishing = session.transaction(async () => {
        await write()
        session.finish('SELECT 1 / (1 - $1::int)', 1)
      })
      expect(await rejectionOf(finishing)).toMatchObject(divided)
      expect(await session.execute('SELECT n FROM written')).toEqual([])
      await session.transaction(async () => session.finish('INSERT INTO written VALUES ($1::int)', 2))
      expect(await session.execute('SELECT n FROM written')).toEqual([{ n: 2 }])
    }))

  test('a session releases the locks of a transaction whose client freezes, before statements that wait for them are ended', () =>
    use(async (session) => {
      expect(TRANSACTION_IDLE_MS).toBeLessThan(STATEMENT_TIMEOUT_MS)
      const key = BigInt(`0x${crypto.randomUUID().slice(0, 8)}`)
      const lock = (name: string) => `SELECT ${name}(${key})`
      const startedAt = performance.now()
      const stopped = session.transaction(async () => {
        await session.execute(lock('pg_advisory_xact_lock'))
        await cluster.run(`SET lock_timeout = '10s'; ${lock('pg_advisory_lock')}`)
      })
      expect(await rejectionOf(stopped)).toMatchObject({ code: expect.stringMatching(/^(25P03|CONNECTION_LOST)$/) })
      expect(performance.now() - startedAt).toBeWithin(TRANSACTION_IDLE_MS, TRANSACTION_IDLE_MS + 2_000)
    }))

  test('a session returns 64-bit integers exactly, and types other than numbers, booleans and text as text', () =>
    use(async ({ query }) => {
      const json = '{"n": 9223372036854775807}'
      const values = `$1::bigint AS least, 7::int AS int, 2.5::float8 AS float, true AS yes, NULL::bigint AS none,
        $2::json AS json, $2::jsonb AS jsonb, date '2026-11-21' AS date, '\\x00ff'::bytea AS bytes, ARRAY[1] AS array, 0.10 AS numeric`
      expect(await query(`SELECT ${values}`, -(2n ** 63n), json)).toEqual([
        {
          ...{ least: -(2n ** 63n), int: 7, float: 2.5, yes: true, none: null, json, jsonb: json },
          ...{ date: '2026-11-21', bytes: '\\x00ff', array: '{1}', numeric: '0.10' },
        },
      ])
    }))

  test('a session ends the running statement if closing takes too long', async () => {
    const session = new Session(() => Client.open(address, { host: '127.0.0.1', port: cluster.port }))
    await session.execute('SELECT 1')
    const sleeping = rejectionOf(session.execute('SELECT pg_sleep(60)'))
    await session.close(100)
    expect(await sleeping).toMatchObject({ code: 'CONNECTION_LOST' })
  })
})

describe('statements that were prepared', () => {
  const one = { ...address, connections: 1 }
  const rowsAfter = async (spoil: string) => {
    const connection = await PrimaryConnection.open(one)
    const read = () => connection.read<{ n: number }>('SELECT * FROM prepared WHERE n = $1::int', 1)
    await connection.background('CREATE TABLE prepared AS SELECT 1 AS n')
    try {
      expect(await read()).toEqual([{ n: 1 }])
      await connection.background(spoil)
      expect(await rejectionOf(read())).toMatchObject({ code: 'unavailable' })
      return await until('the new connections can be used', () => read().catch(() => undefined))
    } finally {
      await connection.background('DROP TABLE prepared')
      await connection.close()
    }
  }

  test.each(['DEALLOCATE ALL', 'ALTER TABLE prepared ADD COLUMN m int'])(
    'statements that were prepared are unavailable once after %s',
    async (spoil) => {
      expect(await rowsAfter(spoil)).toMatchObject([{ n: 1 }])
    },
  )
})

test('a connection that took too long to open is closed', async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const silent = createServer((socket) => void socket.on('close', resolve).resume())
  await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening))
  const { port } = silent.address() as AddressInfo
  expect(await rejectionOf(Client.open(address, { host: '127.0.0.1', port }))).toMatchObject({
    code: 'CONNECT_TIMEOUT',
  })
  await closed
  silent.close()
})

test('a transaction whose caller got an error changes nothing, and the connections stay open', async () => {
  const connection = await PrimaryConnection.open({ ...address, connections: 1 })
  const backend = () => connection.read('SELECT pg_backend_pid() AS pid')
  await connection.background('CREATE TABLE given_up (n int)')
  const before = await backend()
  const work = Promise.withResolvers<void>()
  const late = connection.transaction(
    async ({ execute, finish }) => {
      await execute('INSERT INTO given_up VALUES ($1::int)', 1)
      await work.promise
      finish('INSERT INTO given_up VALUES ($1::int)', 2)
    },
    { begin: 'BEGIN' },
  )
  expect(await rejectionOf(late)).toMatchObject({ code: 'unavailable' })
  work.resolve()
  await until('the next transaction commits', () =>
    connection
      .transaction(({ execute }) => execute('INSERT INTO given_up VALUES ($1::int) RETURNING n', 3))
      .catch(() => undefined),
  )
  expect(await connection.read('SELECT n FROM given_up')).toEqual([{ n: 3 }])
  expect(await backend()).toEqual(before)
  expect(connection.pool().changes).toMatchObject({ found: 1, ready: 1, late_commit: 1, settled: 1, lost: 0 })
  await connection.background('DROP TABLE given_up')
  await connection.close()
})

test('connections that were replaced change nothing when they end', async () => {
  const connection = await PrimaryConnection.open({ ...address, connections: 1 })
  const backend = async () => (await connection.read<{ pid: number }>('SELECT pg_backend_pid() AS pid'))[0]?.pid ?? 0
  const replaced = await backend()
  await connection.renew()
  const current = await backend()
  await until('the replaced connection has ended', async () => {
    const found = await connection.read('SELECT pid FROM pg_stat_activity WHERE pid = $1::int', replaced)
    return found.length === 0
  })
  expect(await backend()).toBe(current)
  expect(connection.pool().changes).toMatchObject({ found: 2, ready: 2, renewed: 1, lost: 0 })
  await connection.close()
  expect(connection.pool().changes).toMatchObject({ closed: 1, lost: 0 })
})

test('a slow commit is explained by the disk if no commit waits for a standby', async () => {
  let isSlow = false
  // Drops the response to the first commit of new connections.
  const forwarder = await Forwarder.start(cluster.port, (bytes) =>
    isSlow && bytes.includes('pg_logical_emit_message') ? Buffer.alloc(0) : bytes,
  )
  const address = (await cluster.newStore()).replace(`:${cluster.port}`, `:${forwarder.port}`)
  const store = await openStore(address, { now: Date.now })
  isSlow = true
  forwarder.cut()
  const reason = async () => String((await rejectionOf(store.ping())).cause)
  await until('the reason is a slow commit', async () =>
    (await reason()).includes('a commit is slow: the disk is slow'),
  )
  isSlow = false
  await until('the store responds', () =>
    store.ping().then(
      () => true,
      () => false,
    ),
  )
  await store.close()
  forwarder.stop()
})
