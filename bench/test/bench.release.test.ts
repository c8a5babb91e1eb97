// The benchmark rejects wrong responses, and the floor responds like the service.

import { expect, test } from 'bun:test'
import { temporaryFile } from '../../test/support/files.ts'
import { rejectionOf } from '../../test/support/rejection.ts'
import { FLOOR, requestsTo, US } from '../contenders.ts'
import { audit, type Load, measure, writeRequests } from '../load.ts'
import { temporaryFolder } from '../machine.ts'
import { type BenchRequest, WORK } from '../requests.ts'
import { answerOf, start } from '../servers.ts'

/** Only the benchmark needs wrk, a system package. */
const withWrk = test.skipIf(!Bun.which('wrk') || !Bun.which('taskset') || navigator.hardwareConcurrency < 2)

function loadOn(fetch: (request: Request) => Response, status = 200): { load: Load; stop: () => Promise<void> } {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch })
  const requests = temporaryFile('requests')
  const asked = ['/a', '/b'].map((target) => ({ method: 'GET' as const, target }))
  writeRequests(requests, asked, 'k')
  const running = { port: server.port as number, pid: process.pid }
  return { load: { name: 'it', server: running, requests, status, sent: 0 }, stop: () => server.stop(true) }
}

withWrk('counts responses, one by one and in total', async () => {
  let seen = 0
  const { load, stop } = loadOn(({ url, headers }) => {
    seen++
    return new Response(url.endsWith('/a') || url.endsWith('/b') ? 'x' : 'yy', {
      status: headers.get('Authorization') === 'Bearer k' ? 200 : 401,
    })
  })
  try {
    await audit(load, 1)
    const { perSecond = 0, p50Ms = 0, p99Ms = 0 } = await measure(load, 1)
    expect(perSecond).toBeGreaterThan(100)
    expect(seen).toBeGreaterThan(perSecond)
    expect(p99Ms).toBeGreaterThanOrEqual(p50Ms)
    expect((await rejectionOf(measure({ ...load, bytesPerAnswer: 10 }, 1))).message).toContain('bytes where')
  } finally {
    await stop()
  }
})

withWrk('rejects a figure with another status in it, be it a success', async () => {
  let count = 0
  const { load, stop } = loadOn(() => new Response('x', { status: ++count % 1000 === 0 ? 204 : 200 }))
  try {
    expect((await rejectionOf(audit(load, 1))).message).toContain('not all answers are 200')
  } finally {
    await stop()
  }
})

withWrk('rejects a figure with a failure in it', async () => {
  let count = 0
  const { load, stop } = loadOn(() => new Response('x', { status: ++count === 1000 ? 500 : 200 }))
  try {
    expect((await rejectionOf(measure(load, 1))).message).toContain('failed answers')
  } finally {
    await stop()
  }
})

/** taskset starts the servers on a core. */
test.skipIf(!Bun.which('taskset'))(
  'the floor sends the headers and bytes of the service, for its key only',
  async () => {
    for (const work of [WORK.list, WORK.create]) {
      using folder = temporaryFolder()
      await using service = await start(await US.prepare(folder.path, 20, work), folder.path)
      const [asked] = (await requestsTo(service, US, work, 20)) as [BenchRequest]
      await using floor = await start(await FLOOR.prepare(folder.path, 20, work), folder.path)
      const [theirs, ours] = [await answerOf(floor, asked), await answerOf(service, asked)]
      // This header differs in every response to a POST.
      for (const { headers } of [theirs, ours]) delete headers['x-request-id']
      expect(theirs).toEqual(ours)
      expect((await rejectionOf(answerOf({ ...floor, key: 'another' }, asked))).message).toContain('401')
    }
  },
)
