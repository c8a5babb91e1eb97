// A failing PostgreSQL: requests fail with 503 within seconds, and succeed again once it is back.

import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { petBody } from '../../../../../test/support/pets.ts'
import { Cluster, databaseOf } from '../../../../../test/support/postgres.ts'
import { type Answer, type Service, startService } from '../../../../../test/support/service.ts'
import { until } from '../../../../../test/support/until.ts'
import { RETRY_AFTER_S } from '../../../src/http/response/response.ts'
import {
  ANSWER_TIMEOUT_MS,
  CONNECT_TIMEOUT_MS,
  WRITE_QUEUE_MS,
} from '../../../src/store/postgres/connect/time-limits.ts'

const PET = petBody()
/** The maximum duration of a request: each of its waits, and some time for a busy machine. */
const WAIT_MAX_MS = CONNECT_TIMEOUT_MS + WRITE_QUEUE_MS + ANSWER_TIMEOUT_MS + 1_000

const cluster = await Cluster.start()

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

  /** The statuses of concurrent requests. Each must get its response within WAIT_MAX_MS. */
  async function together(...requests: Promise<Answer>[]): Promise<number[]> {
    const startedAt = performance.now()
    const answers = await Promise.all(requests)
    expect(performance.now() - startedAt).toBeLessThan(WAIT_MAX_MS)
    for (const { status, headers } of answers)
      if (status === 503) expect(headers.get('Retry-After')).toBe(RETRY_AFTER_S)
    return answers.map(({ status }) => status)
  }

  async function servesAgain(): Promise<void> {
    const statuses = async () => (await together(list(), service.post(PET))).join()
    await until('the service works again', async () => (await statuses()) === '200,201')
  }

  test('a database that has locked tables: requests fail within their time limit', async () => {
    const asking = async () =>
      expect(await together(list(), service.post(PET), service.get('/pets/1'))).toEqual([503, 503, 503])
    await cluster.locked(database, asking, 'LOCK TABLE pets IN ACCESS EXCLUSIVE MODE')
  })

  test('a database that does not respond: requests fail within their time limit', async () => {
    cluster.signalAll('SIGSTOP')
    try {
      expect(await together(list(), service.post(PET))).toEqual([503, 503])
      expect(await together(list(), service.post(PET), service.get('/pets/1'))).toEqual([503, 503, 503])
    } finally {
      cluster.signalAll('SIGCONT')
    }
  })

  test('no longer accepts writes', async () => {
    await readOnly('on')
    expect(await together(service.post(PET))).toEqual([503])
    // The connections were closed, and the server does not accept the host as primary.
    expect(await together(list(), service.post(PET))).toEqual([503, 503])
    await readOnly('off')
  })
})

async function readOnly(value: 'on' | 'off'): Promise<void> {
  const name = 'default_transaction_read_only'
  await cluster.run(`ALTER SYSTEM SET ${name} = '${value}'`)
  await cluster.run('SELECT pg_reload_conf()')
  await until(
    `new sessions have ${name} = ${value}`,
    async () => (await cluster.run(`SHOW ${name}`))[0]?.[name] === value,
  )
}
