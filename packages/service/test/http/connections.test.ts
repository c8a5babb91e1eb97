// How long a connection can stall or be idle: the limits that the service sets for it in the runtime.
// slow.process.test.ts shows that the runtime applies them.

import { expect, spyOn, test } from 'bun:test'
import { once } from 'node:events'
import { connect } from 'node:net'
import { petBody } from '../../../../test/support/pets.ts'
import { largestFile } from '../../../../test/support/process.ts'
import { startService } from '../../../../test/support/service.ts'
import { until } from '../../../../test/support/until.ts'
import { IDLE_SECONDS } from '../../src/http/limits.ts'
import { type Runtime, replaceRuntime } from '../../src/system/runtime.ts'

/** How long common load balancers keep an idle connection. */
const BALANCER_SECONDS = 60
const STALLED = 10
const PET = petBody()

const serve = spyOn(Bun, 'serve')
const service = await startService()
const runtime = serve.mock.results.at(-1)?.value as Bun.Server<undefined>
serve.mockRestore()
const file = await largestFile(service)

const key = `Authorization: Bearer ${service.key}\r\n`
const head = (line: string, headers = key, length = PET.length) =>
  `${line} HTTP/1.1\r\nHost: a\r\n${headers}Content-Length: ${length}\r\n\r\n`
const late = (first: string, body = PET) => [first, body]
const ADD = 'POST /v1/pets'
const COMPLETE = 'POST /v1/store/orders/1/complete'

test.each<[what: string, parts: string[], limits: number[]]>([
  ['a list', [`GET /v1/pets HTTP/1.1\r\nHost: a\r\n${key}\r\n`], []],
  ['a body that arrives with its head', [head(ADD) + PET], []],
  ['a rejected body that arrives with its head', [head(ADD, '') + PET], []],
  ['a body that arrives late', late(head(ADD)), [STALLED, IDLE_SECONDS]],
  ['a late body that is no JSON', late(head(ADD), 'x'.repeat(PET.length)), [STALLED, IDLE_SECONDS]],
  ['a late body that is rejected', late(head(ADD, '')), [STALLED]],
  ['a late body that is ignored', late(head(COMPLETE)), [STALLED]],
  ['a response that is not read', [`GET ${file} HTTP/1.1\r\nHost: a\r\n\r\n`], [STALLED]],
])('%s', async (what, parts, limits) => {
  const set: number[] = []
  const { timeout } = runtime
  const watched = spyOn(runtime, 'timeout').mockImplementation((request, seconds) => {
    set.push(seconds)
    timeout.call(runtime, request, seconds)
  })
  const real = replaceRuntime({} as Runtime)
  // The client that does not read has 2 seconds.
  replaceRuntime({ ...real, startTimer: (act, ms) => real.startTimer(act, ms === 2_000 ? 0 : ms) })
  const socket = connect(service.port, '127.0.0.1')
  await once(socket, 'connect')
  for (const [n, part] of parts.entries()) {
    socket.write(part)
    if (n < parts.length - 1) await until('the limit for a stalled body is set', () => set.length > 0)
  }
  if (what.endsWith('not read')) await until('the limit for an unread response is set', () => set.length > 0)
  else expect(String(await once(socket, 'data'))).toStartWith('HTTP/1.1 ')
  socket.destroy()
  replaceRuntime(real)
  watched.mockRestore()
  expect(set).toEqual(limits)
})

test('an idle connection stays open longer than load balancers keep it', () => {
  expect(IDLE_SECONDS).toBeGreaterThan(BALANCER_SECONDS)
})
