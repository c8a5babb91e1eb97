// The log of a process: released names, trace ids, and readers that do not read.

import { expect, test } from 'bun:test'
import { closeSync, constants, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFile } from '../../../../test/support/files.ts'
import { petBody } from '../../../../test/support/pets.ts'
import { ask, root, serve } from '../../../../test/support/process.ts'
import { expectReleased } from '../../../../test/support/released.ts'
import { until } from '../../../../test/support/until.ts'
import { createLog, terminalLine } from '../../src/observability/log.ts'

const PET = petBody()
// The host has no effect, which the log reports.
const service = await serve(['--ephemeral'], { env: { PETSTORE_ADMIN_HOST: '127.0.0.1' } })

test('keeps the names of a release', async () => {
  for (let n = 0; n < 2; n++) await ask('POST', `${service.url}/pets`, service.key, PET)
  const place = (order: object) => ask('POST', `${service.url}/store/orders`, service.key, JSON.stringify(order))
  await place({ petId: 1 })
  await ask('POST', `${service.url}/store/orders/1/complete`, service.key)
  await place({ petId: 2, expiresAt: new Date(Date.now() + 200).toISOString() })
  await service.logs('"expireOrders"')
  const lines = service
    .stderr()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { msg: string })
  const shown = lines.flatMap((line) => Object.keys(line).map((field) => `${line.msg}: ${field}`))
  // The names of other lines are taken from the sources.
  const sources = [...new Bun.Glob('packages/{service,cli}/src/**/*.ts').scanSync({ cwd: root, absolute: true })]
  const written = sources
    .flatMap((path) => [...readFileSync(path, 'utf8').matchAll(/\blog\.\w+\(\{([^}]*)\}, '([^']+)'\)/g)])
    .flatMap(([, fields = '', msg]) => [...fields.matchAll(/(?:^|, ?) *(\w+)/g)].map(([, name]) => `${msg}: ${name}`))
  expect(written.length).toBeGreaterThan(20)
  expectReleased('log', [...shown, ...written])
})

// Only Linux distributes the connections of a shared port.
test.skipIf(process.platform !== 'linux')('every worker has the access log and knows the proxies', async () => {
  const env = { PETSTORE_TRUSTED_PROXIES: '127.0.0.0/8' }
  const flags = ['--workers', '2', '--access-log', 'all', '--database', temporaryFile('petstore.db')]
  const { url, key, stderr } = await serve(flags, { env })
  for (let n = 0; n < 40; n++) {
    const headers = { Authorization: `Bearer ${key}`, Connection: 'close', 'X-Forwarded-For': `10.0.0.${n}` }
    await fetch(`${url}/pets`, { headers, keepalive: false })
  }
  const clients = () =>
    [...stderr().matchAll(/"client":"10\.0\.0\.(\d+)",.*"msg":"request"/g)].map(([, n]) => Number(n))
  await until('every request is logged', () => clients().length === 40)
  expect(clients().sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n))
})

test('a line for a terminal has the time, the level, the message and the fields', () => {
  const line = Bun.stripANSI(terminalLine('info', { port: 80, name: 'a b' }, 'started'))
  expect(line).toMatch(/^\d\d:\d\d:\d\d info {2}started port=80 name="a b"\n$/)
})

test('a line has the causes of its error', () => {
  const lines: string[] = []
  const log = createLog('info', { destination: { write: (line) => lines.push(line) } })
  log.error({ err: new Error('commit', { cause: new Error('write', { cause: 'EIO' }) }) }, 'failed')
  expect(JSON.parse(lines[0] ?? '').err).toMatchObject({ message: 'commit', cause: { message: 'write', cause: 'EIO' } })
})

const create = async (traceparent: string) => {
  const headers = { Authorization: `Bearer ${service.key}`, traceparent }
  const answer = await fetch(`${service.url}/pets`, { method: 'POST', headers, body: PET })
  const requestId = answer.headers.get('X-Request-Id') as string
  await service.logs(`${requestId}`)
  return JSON.parse(
    service
      .stderr()
      .split('\n')
      .find((line) => line.includes(requestId)) ?? '',
  )
}

test('a caller’s trace is logged', async () => {
  const line = await create('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01')
  expect(line).toMatchObject({ traceId: '4bf92f3577b34da6a3ce929d0e0e4736', parentId: '00f067aa0ba902b7' })
})

test('a caller’s trace that is malformed is ignored', async () => {
  const [trace, span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
  for (const bad of ['x', `00-${'0'.repeat(32)}-${span}-01`, `00-${trace}-${'0'.repeat(16)}-01`, '00-4BF9-00f0-01']) {
    expect(await create(bad)).not.toHaveProperty('traceId')
  }
})

const LINES = 200_000
/** The lines are more than 200 MB; the runtime takes about 100 MB. */
const RESIDENT_MAX_MB = 250

/** Logs all lines, prints its memory, and ends after the buffered lines have been read. */
const LOGGING = `
  import { createLog } from ${JSON.stringify(join(root, 'packages/service/src/observability/log.ts'))}
  const log = createLog('info')
  for (let n = 0; n < ${LINES}; n++) {
    log.info({ n }, '${'x'.repeat(1_000)}')
    if (n % 1000 === 0) await new Promise(setImmediate)
  }
  process.stdout.write(process.memoryUsage().rss / 1e6 + '\\n')
  await log.flush()`

test('bounds its memory if the reader does not read, counts lost lines, and continues with whole lines', async () => {
  const path = temporaryFile('stderr')
  Bun.spawnSync(['mkfifo', path])
  const held = openSync(path, constants.O_RDWR)
  const child = Bun.spawn(['sh', '-c', `exec "$0" -e "$LOGGING" 2>'${path}'`, process.execPath], {
    env: { ...process.env, LOGGING },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said = child.stdout.getReader()
  const resident = Number(new TextDecoder().decode((await said.read()).value))
  expect(resident).toBeGreaterThan(0)
  expect(resident).toBeLessThan(RESIDENT_MAX_MB)

  const reader = Bun.spawn(['cat', path], { stdio: ['ignore', 'pipe', 'inherit'] })
  const reading = new Response(reader.stdout).text()
  expect(await child.exited).toBe(0)
  closeSync(held)
  const lines = (await reading).trim().split('\n')
  const logged = lines.map((line) => JSON.parse(line) as { n?: number; lost?: number })
  const lost = logged.reduce((sum, line) => sum + (line.lost ?? 0), 0)
  expect(lost).toBeGreaterThan(0)
  expect(logged.filter(({ n }) => n !== undefined).length + lost).toBe(LINES)
})
