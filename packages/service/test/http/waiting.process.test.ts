// A wait for events beyond the limit for stalled connections: direct, behind nginx, and behind PgBouncer.

import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { temporaryFile } from '../../../../test/support/files.ts'
import { petBody } from '../../../../test/support/pets.ts'
import { PgBouncer, pgbouncerVersion } from '../../../../test/support/pgbouncer.ts'
import { freePort } from '../../../../test/support/ports.ts'
import { sharedCluster } from '../../../../test/support/postgres.ts'
import { PROXIES, startProxy } from '../../../../test/support/proxies.ts'
import { type Service, startService } from '../../../../test/support/service.ts'
import { until } from '../../../../test/support/until.ts'
import { WAIT_MAX_S } from '../../../contract/src/generated.ts'

/** The service closes a stalled connection after about 12 s. */
const LONG_MS = 13_500

const [nginx] = PROXIES
const without = [...(nginx?.found ? [] : ['nginx']), ...(pgbouncerVersion ? [] : ['PgBouncer'])]
const missing = without.length > 0 ? ` (without ${without.join(' and ')}: not installed)` : ''

interface Way {
  readonly service: Service
  readonly port: number
  readonly other: Service
}

test(`a long wait for events is answered${missing}`, async () => {
  const stops: (() => Promise<void>)[] = []
  const startOne = async (address: string) => {
    const service = await startService({ address, now: Date.now })
    stops.unshift(() => service.stop())
    return service
  }
  /** One server waits, and another adds a pet. */
  const start = async (address: string) => {
    const service = await startOne(address)
    return { service, port: service.port, other: await startOne(address) }
  }
  const ways = [await start(temporaryFile('petstore.db'))]
  if (nginx?.found) {
    const { service, other } = await start(temporaryFile('petstore.db'))
    const port = freePort()
    await startProxy(nginx, port, service.port)
    ways.push({ service, port, other })
  }
  const cluster = await sharedCluster()
  ways.push(await start(await cluster.newStore()))
  if (pgbouncerVersion) {
    const address = await cluster.newStore()
    const pooler = await PgBouncer.start(Number(new URL(address).port))
    stops.push(() => pooler.stop())
    ways.push(await start(pooler.through(address)))
  }
  await Promise.all(ways.map((way) => waitLong(way)))
  for (const stop of stops) await stop()
})

async function waitLong({ service, port, other }: Way): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  let endedAt = 0
  socket.on('data', (bytes) => {
    received += bytes
  })
  socket.on('close', () => {
    endedAt = performance.now()
  })
  socket.write(
    `GET /v1/store/events?from=now&petId=1&wait=${WAIT_MAX_S} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.key}\r\n\r\n`,
  )
  await Bun.sleep(LONG_MS)
  expect({ received, endedAt }).toEqual({ received: '', endedAt: 0 })
  await other.post(petBody())
  await until('the body begins', () => received.includes('\r\n\r\n['))
  expect(received).toStartWith('HTTP/1.1 200')
  expect(received).toContain('"type":"pet.added"')
  socket.destroy()
}
