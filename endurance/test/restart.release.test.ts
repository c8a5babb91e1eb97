// How the kernel treats new connections to a port that closes.

import { expect, test } from 'bun:test'
import { redirectNewConnections } from '../../packages/service/src/http/listening-sockets.ts'
import { exchange } from '../../test/support/exchange.ts'
import { freePort } from '../../test/support/ports.ts'
import { serve } from '../../test/support/process.ts'

test.skipIf(process.platform !== 'linux')(
  'new connections go to the process that started last (Linux only)',
  async () => {
    const listen = (port: number, text: string) =>
      Bun.serve({ hostname: '127.0.0.1', port, reusePort: true, fetch: () => new Response(text) })
    const first = listen(0, 'first')
    const port = first.port as number
    const second = listen(port, 'second')
    const answers = async () => {
      const request = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
      const all = await Promise.all(Array.from({ length: 64 }, () => exchange(port, request)))
      return new Set(all.map((answer) => answer.body))
    }
    expect(await answers()).toEqual(new Set(['first', 'second']))
    redirectNewConnections(port)
    expect(await answers()).toEqual(new Set(['second']))
    await first.stop(true)
    expect(await answers()).toEqual(new Set(['second']))
    await second.stop(true)
  },
)

test.skipIf(process.platform !== 'linux')(
  'a server that stops resets no connection that it let in (Linux only)',
  async () => {
    const port = freePort()
    const ends = { answered: 0, reset: 0, unanswered: 0 }
    const stopped = new AbortController()
    const clients = Array.from({ length: 16 }, async () => {
      while (!stopped.signal.aborted) {
        const request = 'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
        // The service closes the connection before the rest is over.
        const { status, error } = await exchange(port, request, 1_000)
        if (error === 'ECONNREFUSED') continue
        if (error) ends.reset++
        if (status === 200) ends.answered++
        else if (!error) ends.unanswered++
      }
    })
    for (let round = 0; round < 8; round++) {
      const service = await serve(['--ephemeral', '--port', String(port)])
      await Bun.sleep(100)
      await service.stop()
    }
    stopped.abort()
    await Promise.all(clients)
    expect(ends).toEqual({ answered: expect.any(Number), reset: 0, unanswered: 0 })
    expect(ends.answered).toBeGreaterThan(0)
  },
)
