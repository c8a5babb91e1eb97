// The service closes connections soon if a request or response stalls, and later if they are idle.

import { expect, test } from 'bun:test'
import { once } from 'node:events'
import { connect } from 'node:net'
import { petBody } from '../../../../test/support/pets.ts'
import { largestFile } from '../../../../test/support/process.ts'
import { startService } from '../../../../test/support/service.ts'
import { IDLE_SECONDS } from '../../src/http/limits/connections.ts'

/** A stalled connection is closed after about 12 s. The rest is slack for a busy machine. */
const STALLED_MS_MAX = 35_000
const IDLE_MS_MIN = 36_000
const IDLE_MS_MAX = 50_000
/** When the client that does not read starts to read, because only then it notices that its connection was closed. */
const READS_AFTER_MS = 16_000
/** How much earlier the runtime can close a connection, because it checks only every 4 s. */
const EARLIER_SECONDS = 6
/** How long common load balancers keep an idle connection. */
const BALANCER_SECONDS = 60
/** The pause between the parts of a request. */
const APART_MS = 500

test('a connection is closed soon if it stalls, and kept open after a response', async () => {
  expect(IDLE_SECONDS).toBeGreaterThan(BALANCER_SECONDS)
  const server = await startService({ idleSeconds: IDLE_MS_MIN / 1000 + EARLIER_SECONDS })
  const port = Number(new URL(server.url).port)
  const key = `Authorization: Bearer ${server.key}\r\n`
  const to = (line: string, headers = key) => `${line} HTTP/1.1\r\nHost: a\r\n${headers}`
  const list = `${to('GET /v1/pets')}\r\n`
  const body = petBody()
  const head = (line: string, headers = key) => `${to(line, headers)}Content-Length: ${body.length}\r\n\r\n`
  const complete = 'POST /v1/store/orders/1/complete'

  /** Milliseconds from the last byte of the request until the service closes the connection. */
  const ended = async (reads: boolean, ...parts: string[]): Promise<number> => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined).on('data', () => undefined)
    await once(socket, 'connect')
    if (!reads) socket.pause()
    for (const part of parts) {
      socket.write(part)
      await Bun.sleep(APART_MS)
    }
    const begun = performance.now()
    if (!reads) setTimeout(() => socket.resume(), READS_AFTER_MS)
    await Promise.race([once(socket, 'close'), Bun.sleep(IDLE_MS_MAX)])
    socket.destroy()
    return performance.now() - begun
  }
  const stalled = {
    'before a request': ended(true),
    'in a first header': ended(true, list.slice(0, -2)),
    'in a body that is read': ended(true, head('POST /v1/pets')),
    'in a body that is refused': ended(true, head('POST /v1/pets', '')),
    'in a body that is ignored': ended(true, head(complete)),
    'in a response that is not read': ended(false, `${to(`GET ${await largestFile(server)}`, '')}\r\n`),
  }
  const idle = {
    'after a list': ended(true, list),
    'after an added pet': ended(true, head('POST /v1/pets') + body),
    'after an added pet whose body came late': ended(true, head('POST /v1/pets'), body),
    'after a body that is no JSON and came late': ended(true, head('POST /v1/pets'), 'x'.repeat(body.length)),
    'after a refused body': ended(true, head('POST /v1/pets', '') + body),
    'after an ignored body': ended(true, head(complete) + body),
    'after a wait': ended(true, `${to('GET /v1/store/events?from=now&petId=0&wait=5')}\r\n`),
    'after a stalled body, and another request': ended(true, head('POST /v1/pets', ''), body, list),
  }
  const outside = async (times: Record<string, Promise<number>>, from: number, to: number) => {
    const all = await Promise.all(Object.entries(times).map(async ([name, ms]) => [name, await ms] as const))
    return all.filter(([, ms]) => ms < from || ms > to)
  }
  expect(await outside(stalled, 0, STALLED_MS_MAX)).toEqual([])
  expect(await outside(idle, IDLE_MS_MIN, IDLE_MS_MAX - 1_000)).toEqual([])
})
