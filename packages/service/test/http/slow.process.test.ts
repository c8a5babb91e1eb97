// Slow clients, clients that do not read or wait, and a lack of descriptors.
// connections.test.ts and work-time.test.ts test each limit.

import { expect, test } from 'bun:test'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { petBody } from '../../../../test/support/pets.ts'
import { answers, ask, largestFile, type Running, root, serve } from '../../../../test/support/process.ts'
import { until } from '../../../../test/support/until.ts'
import { TEXT_LENGTH_MAX } from '../../../contract/src/generated.ts'

/** The runtime cuts a slow client after about 12 s. The rest is slack for a busy machine. */
const CUT_MS_MAX = 40_000
/** Longer than the runtime waits for a slow client. */
const LONGER_S = 14
const PET = petBody()

const portOf = ({ url }: Running) => Number(new URL(url).port)
const memoryMb = (pid: number) =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

test('clients that drip headers, bodies or chunks are cut, while other clients are served, wait or are idle', async () => {
  const server = await serve(['--ephemeral'])
  const [port, to] = [portOf(server), `Host: a\r\nAuthorization: Bearer ${server.key}\r\n`]
  const post = `POST /v1/pets HTTP/1.1\r\n${to}`
  const unreadFile = await stalled(server, await largestFile(server), 'Accept-Encoding: identity')
  const idle = await answered(server)
  const waiting = ask('GET', `${server.url}/store/events?from=now&petId=0&wait=${LONGER_S}`, server.key)
  let watching = true
  const others = (async () => {
    let slowest = 0
    for (; watching; await Bun.sleep(50)) {
      const begun = performance.now()
      expect((await ask('POST', `${server.url}/pets`, server.key, PET)).status).toBe(201)
      slowest = Math.max(slowest, performance.now() - begun)
    }
    return slowest
  })()
  const cut = await Promise.all([
    drip(port, 'GET /v1/pets HTTP/1.1\r\nHost: a\r\n', 'X: y\r\n'),
    drip(port, 'G', 'E'),
    drip(port, `${post}Content-Length: 60000\r\n\r\n`, ' '),
    drip(port, `${post}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'),
  ])
  expect((await waiting).text).toBe('[]')
  idle.write(`GET /v1/pets HTTP/1.1\r\n${to}\r\n`)
  expect(String(await Promise.race([once(idle, 'data'), once(idle, 'close')]))).toStartWith('HTTP/1.1 200')
  idle.destroy()
  watching = false
  expect(cut.filter((ms) => ms > CUT_MS_MAX)).toEqual([])
  expect(await others).toBeLessThan(20_000)
  unreadFile.terminate()
  // A message of the runtime about a connection would not be JSON.
  const log = server.stderr().trim().split('\n')
  expect(log.filter((line) => !line.startsWith('{'))).toEqual([])
  await server.stop()
})

test.if(process.platform === 'linux')(
  'clients that do not read a large file or a list cost little memory in the process and the system',
  async () => {
    const server = await serve(['--ephemeral'], { env: { PETSTORE_LOG_LEVEL: 'silent' } })
    const pet = petBody({ name: '😀'.repeat(TEXT_LENGTH_MAX) })
    await Promise.all(Array.from({ length: 100 }, () => ask('POST', `${server.url}/pets`, server.key, pet)))
    const { origin } = new URL(server.url)
    const script = await largestFile(server)
    const asked: [path: string, header: string][] = [
      [script, 'Accept-Encoding: identity'],
      [script, 'Accept-Encoding: gzip'],
      [script, 'Accept-Encoding: br'],
      ['/openapi.json', 'Accept-Encoding: identity'],
      ['/v1/pets?limit=100', `Authorization: Bearer ${server.key}`],
    ]
    // Fill the caches first.
    for (const [path, header] of asked) {
      const [, encoding = null] = /: (gzip|br)$/.exec(header) ?? []
      const answer = await fetch(origin + path, { headers: [header.split(': ')], decompress: false })
      await answer.bytes()
      expect(answer.headers.get('Content-Encoding')).toBe(encoding)
    }
    const before = memoryMb(server.pid)
    const each = 100
    const unread = await Promise.all(asked.flatMap((one) => Array.from(Array(each), () => stalled(server, ...one))))
    const unreadCount = () => held(portOf(server)).unread.filter((bytes) => bytes > 0).length
    await until('every connection has bytes that are not read', () => unreadCount() >= unread.length, { everyMs: 50 })
    // One copy per client would be 540 MB.
    expect(memoryMb(server.pid) - before).toBeLessThan(100)
    expect(Math.max(...held(portOf(server)).unsent)).toBeLessThan(500_000)
    for (const socket of unread) socket.terminate()
    expect(await server.stop()).toBe(0)
  },
)

test('open connections are served when descriptors run out, and new ones when some are free again', async () => {
  const limited = `ulimit -n 64; exec "${root}/bin/petstore" "$@"`
  const server = await serve([], { command: ['sh', '-c', limited, 'petstore'] })
  const first = await answered(server)
  const sockets = await Promise.all(Array.from({ length: 200 }, () => opened(portOf(server))))
  // The server takes a descriptor for a connection only when something arrives on it.
  for (const socket of sockets) socket.write('GET')
  const taken = () => readdirSync(`/proc/${server.pid}/fd`).length
  await until('no descriptor is free', () => taken() >= 64, { seen: taken })
  // The search runs in a thread; starting it without a free descriptor would end the process.
  for (const path of ['/v1/pets', '/v1/pets?search=rex']) {
    first.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${server.key}\r\n\r\n`)
    const answer = await Promise.race([once(first, 'data'), once(first, 'close')])
    expect(String(answer)).toStartWith('HTTP/1.1 200')
  }
  for (const socket of [first, ...sockets]) socket.destroy()
  await until('new connections are served', () => answers(server.url))
  expect((await ask('POST', `${server.url}/pets`, server.key, PET)).status).toBe(201)
  expect((await ask('GET', `${server.url}/pets?search=rex`, server.key)).status).toBe(200)
  expect(await server.stop()).toBe(0)
})

function opened(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket))
    socket.on('error', reject)
  })
}

/** A connection that has received a response. */
async function answered(server: Running): Promise<Socket> {
  const socket = await opened(portOf(server))
  socket.write(`GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${server.key}\r\n\r\n`)
  await once(socket, 'data')
  return socket
}

/** Sends a request, and does not read the response. */
function stalled(server: Running, path: string, header: string) {
  return Bun.connect({
    hostname: '127.0.0.1',
    port: portOf(server),
    socket: {
      open(socket) {
        socket.pause()
        socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n`)
      },
      data() {},
    },
  })
}

/** The bytes that the system buffers for each connection, at the server and at the client (proc_net(5)). */
function held(port: number): { unsent: number[]; unread: number[] } {
  const hex = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const sockets = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
  const queue = (at: number, index: number) =>
    sockets
      .filter((fields) => fields[at]?.endsWith(hex))
      .map(([, , , , queues]) => Number.parseInt(queues?.split(':')[index] ?? '', 16))
  return { unsent: queue(1, 0), unread: queue(2, 1) }
}

/** Milliseconds until the connection is cut. */
async function drip(port: number, first: string, then: string): Promise<number> {
  const begun = performance.now()
  const socket = await opened(port)
  const dripping = setInterval(() => socket.write(then), 500)
  socket.write(first)
  socket.on('data', () => undefined)
  socket.on('error', () => undefined)
  await Promise.race([new Promise((resolve) => socket.once('close', resolve)), Bun.sleep(CUT_MS_MAX + 1_000)])
  clearInterval(dripping)
  socket.destroy()
  return performance.now() - begun
}
