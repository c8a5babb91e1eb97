// The load generator against servers that misbehave: a wrong answer gives no figure. And the floor beside the service.

import { expect, test } from 'bun:test'
import { answerOf } from '../bench/answers.ts'
import { floor } from '../bench/contenders.ts'
import { withFolder } from '../bench/folders.ts'
import { type Asked, audit, type Load, measure, writeRequests } from '../bench/load.ts'
import { findProgram } from '../bench/machine.ts'
import { creates, LIST } from '../bench/requests.ts'
import { temporaryFile } from './support/files.ts'
import { rejectionOf } from './support/rejection.ts'
import { startService } from './support/service.ts'

/** wrk is a package of the system, which only the benchmark needs. */
const withWrk = test.skipIf(!findProgram('wrk') || !findProgram('taskset') || navigator.hardwareConcurrency < 2)

function loadOn(fetch: (request: Request) => Response, status = 200): { load: Load; stop: () => Promise<void> } {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch })
  const requests = temporaryFile('requests')
  const asked = ['/a', '/b'].map((target) => ({ method: 'GET' as const, target }))
  writeRequests(requests, asked, 'k')
  const running = { port: server.port as number, pid: process.pid, stop: () => server.stop(true) }
  return { load: { server: running, requests, connections: 4, status, sent: 0 }, stop: () => server.stop(true) }
}

withWrk('counts answers, one by one and in sum', async () => {
  let seen = 0
  const { load, stop } = loadOn(({ url, headers }) => {
    seen++
    return new Response(url.endsWith('/a') || url.endsWith('/b') ? 'x' : 'yy', {
      status: headers.get('Authorization') === 'Bearer k' ? 200 : 401,
    })
  })
  try {
    const bytesPerAnswer = await audit(load, 1)
    const run = await measure({ ...load, bytesPerAnswer }, 1)
    expect(run.perSecond).toBeGreaterThan(100)
    expect(seen).toBeGreaterThan(run.perSecond)
    expect(run.p99Ms).toBeGreaterThanOrEqual(run.p50Ms)
    expect((await rejectionOf(measure({ ...load, bytesPerAnswer: bytesPerAnswer * 2 }, 1))).message).toContain(
      'bytes where',
    )
  } finally {
    await stop()
  }
})

withWrk('refuses a figure with another status in it, be it a success', async () => {
  let count = 0
  const { load, stop } = loadOn(() => new Response('x', { status: ++count % 1000 === 0 ? 204 : 200 }))
  try {
    expect((await rejectionOf(audit(load, 1))).message).toContain('not all answers are 200')
  } finally {
    await stop()
  }
})

withWrk('refuses a figure with a failure in it', async () => {
  let count = 0
  const { load, stop } = loadOn(() => new Response('x', { status: ++count === 1000 ? 500 : 200 }))
  try {
    expect((await rejectionOf(measure({ ...load, bytesPerAnswer: 100 }, 1))).message).toContain('failed answers')
  } finally {
    await stop()
  }
})

/** The floor starts on a core of its own, by taskset. */
test.skipIf(!findProgram('taskset'))(
  'the floor sends the headers and the bytes of the service, for its key only',
  async () => {
    const service = await startService()
    try {
      for (const asked of [LIST, creates()[0] as Asked]) {
        const answer = await answerOf(service.port, asked, service.key)
        await withFolder(async (folder) => {
          const { running } = await floor(answer, service.key).start(0, folder)
          try {
            expect(await answerOf(running.port, asked, service.key)).toEqual(answer)
            expect((await rejectionOf(answerOf(running.port, asked, 'another'))).message).toContain('401')
          } finally {
            await running.stop()
          }
        })
      }
    } finally {
      await service.stop()
    }
  },
)
