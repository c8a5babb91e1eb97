// `petstore serve` stops gracefully within 10 seconds, even if something delays it, and immediately after a second signal.

import { describe, expect, test } from 'bun:test'
import { closeSync, constants, openSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFile } from '../../../test/support/files.ts'
import { machineLoad } from '../../../test/support/load.ts'
import { petBody } from '../../../test/support/pets.ts'
import { freePort } from '../../../test/support/ports.ts'
import { answering, ask, COUNTING, launcher, type Running, root, serve } from '../../../test/support/process.ts'
import { childrenOf } from '../../../test/support/process-tree.ts'
import { inTwoParts } from '../../../test/support/slow-body.ts'
import { noStrace } from '../../../test/support/strace.ts'
import { openTerminal } from '../../../test/support/terminal.ts'
import { until } from '../../../test/support/until.ts'

const PET = petBody()
const LINUX = process.platform === 'linux'
/** The service stops within 10 s, or immediately after a second signal. The rest is slack for a busy machine. */
const STOP_MAX_MS = 20_000 * machineLoad()
const AT_ONCE_MS = 6_000

async function expectEnd(service: Running, status = 0, withinMs = STOP_MAX_MS, signal?: NodeJS.Signals): Promise<void> {
  const begun = performance.now()
  expect(await service.stop(signal)).toBe(status)
  expect(performance.now() - begun).toBeLessThan(withinMs)
}

/** A request whose body arrives in two parts: the second when `first` resolves, or never without `first`. */
function slowCreate(service: Running, first?: Promise<void>): Promise<Response> {
  const headers = { Authorization: `Bearer ${service.key}` }
  const answer = fetch(`${service.url}/pets`, { method: 'POST', headers, body: inTwoParts(PET, first) })
  answer.catch(() => undefined)
  return answer
}

/** A service with a request in flight, whose rest `sendRest` sends. */
async function withRequest() {
  const service = await serve(['--ephemeral'], { env: COUNTING })
  const { promise: first, resolve: sendRest } = Promise.withResolvers<void>()
  const answer = slowCreate(service, first)
  await answering(service, 1)
  return { service, answer, sendRest }
}

/** A pipe for standard error, and the command that starts a service with it. */
function pipe() {
  const path = temporaryFile('stderr')
  Bun.spawnSync(['mkfifo', path])
  const descriptor = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  const command = ['sh', '-c', `exec "$0" "$@" 2>'${path}'`, join(root, 'bin/petstore')]
  return { descriptor, command }
}

function fill(descriptor: number): void {
  try {
    for (;;) writeSync(descriptor, '\n'.repeat(512))
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe('EAGAIN')
  }
}

/** The processes with this store in their environment. */
function processesOf(database: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`=${database}\0`)
    } catch {
      return false
    }
  })
}

async function withWorkers() {
  const database = temporaryFile('petstore.db')
  // The second process has its metrics on the next port.
  const env = { PETSTORE_DATABASE: database, PETSTORE_ADMIN_PORT: String(freePort()) }
  const service = await serve(['--workers', '2'], { env })
  return { service, database, workers: childrenOf(service.pid) }
}

test.concurrent('at SIGTERM, the service responds to requests in flight, then exits with 0', async () => {
  const { service, answer, sendRest } = await withRequest()
  const ended = service.stop('SIGTERM')
  await service.logs('stopping')
  sendRest()
  expect([(await answer).status, await ended]).toEqual([201, 0])
  const [line = ''] = service.stderr().split('\n')
  expect(JSON.parse(line)).toMatchObject({ level: 'info', msg: 'stopping', signal: 'SIGTERM' })
})

test.concurrent.each([
  ['is a full pipe', fill],
  ['is a closed pipe', closeSync],
] as const)('the stop is not delayed if standard error %s', async (_, prepare) => {
  const { descriptor, command } = pipe()
  const service = await serve(['--ephemeral'], { command })
  prepare(descriptor)
  for (let n = 0; n < 20; n++) expect((await ask('POST', `${service.url}/pets`, service.key, PET)).status).toBe(201)
  await expectEnd(service)
})

describe.concurrent('a second signal', () => {
  test('a second signal stops the service immediately', async () => {
    const { service } = await withRequest()
    process.kill(service.pid, 'SIGTERM')
    await service.logs('stopping')
    await expectEnd(service, 130, AT_ONCE_MS, 'SIGINT')
  })

  test.skipIf(!LINUX)('a second signal also ends the workers, even one that is frozen by SIGSTOP', async () => {
    const { service, database, workers } = await withWorkers()
    expect(workers.length).toBe(1)
    process.kill(workers[0] as number, 'SIGSTOP')
    process.kill(service.pid, 'SIGTERM')
    await service.logs('stopping')
    await expectEnd(service, 130, AT_ONCE_MS, 'SIGINT')
    expect(processesOf(database)).toEqual([])
  })
})

describe.skipIf(noStrace !== '')(`a stop on a slow or failing disk${noStrace}`, () => {
  /** Stops a service that has a pet in its log, while each sync of the disk has this fault. */
  async function stopWith(fault: string) {
    const database = temporaryFile('petstore.db')
    const service = await serve(['--database', database])
    expect((await ask('POST', `${service.url}/pets`, service.key, PET)).status).toBe(201)
    const syncs = 'fsync,fdatasync'
    const flags = ['-f', '-qq', '-o', '/dev/null', '-e', `trace=${syncs}`, '-e', `inject=${syncs}:${fault}`]
    const strace = Bun.spawn(['strace', ...flags, '-p', String(service.pid)])
    const traced = () => !readFileSync(`/proc/${service.pid}/status`, 'utf8').includes('TracerPid:\t0')
    await until('strace is attached', traced)
    const status = await service.stop()
    await strace.exited
    return { status, files: readdirSync(dirname(database)), log: service.stderr() }
  }

  test('a stop copies the log into the file even if each sync takes a second', async () => {
    expect(await stopWith('delay_enter=1000000')).toMatchObject({ status: 0, files: ['petstore.db'] })
  })

  test('a stop that cannot copy the log into the file exits with 1', async () => {
    const { status, log } = await stopWith('error=EIO')
    expect([status, log]).toEqual([1, expect.stringContaining('"step":"store"')])
    expect(log).toContain('stop step failed')
  })
})

// Only Linux distributes the connections of a shared port. The tests run one after the other, because workers have only
// half a second between the end of their requests and the end of the stop.
describe.skipIf(!LINUX)('with workers', () => {
  test('a worker that is frozen by SIGSTOP is killed in time', async () => {
    const { service, database, workers } = await withWorkers()
    process.kill(workers[0] as number, 'SIGSTOP')
    await expectEnd(service)
    expect(processesOf(database)).toEqual([])
    expect(service.stderr()).toContain('worker killed')
  })

  test('requests that never end are cut in time, without killing a worker', async () => {
    const { service } = await withWorkers()
    for (let n = 0; n < 8; n++) void slowCreate(service)
    await answering(service, 8, 'answering', 2)
    await expectEnd(service)
    expect(service.stderr()).not.toContain('worker killed')
  })

  test('each worker responds to its requests in flight after SIGINT to all processes, as from a terminal', async () => {
    const { service, workers } = await withWorkers()
    const { promise: first, resolve: sendRest } = Promise.withResolvers<void>()
    const answers = Array.from({ length: 8 }, () => slowCreate(service, first))
    await answering(service, 8, 'answering', 2)
    for (const pid of workers) process.kill(pid, 'SIGINT')
    const ended = service.stop('SIGINT')
    await service.logs('stopping')
    sendRest()
    expect(await ended).toBe(0)
    for (const answer of answers) expect((await answer).status).toBe(201)
  })

  test.each([0, 1_000, 1_150])('a stop %d ms after the crash of a worker leaves no process', async (pauseMs) => {
    const { service, database, workers } = await withWorkers()
    process.kill(workers[0] as number, 'SIGKILL')
    await service.logs('worker ended')
    await Bun.sleep(pauseMs)
    await expectEnd(service)
    expect(processesOf(database)).toEqual([])
  })
})

describe.concurrent('SIGHUP', () => {
  /** Starts the service from a shell script at a terminal. */
  const atTerminal = async (script: string) => {
    const args = ['serve', '--port', '0', '--database', temporaryFile('petstore.db')]
    const terminal = openTerminal([launcher, ...args], {}, 80, ['sh', '-c', script, 'sh'])
    await terminal.waitFor('petstore listening on ')
    const url = /petstore listening on (\S+)/.exec(terminal.shown())?.[1] as string
    return { terminal, ready: async () => (await fetch(new URL('/readyz', url))).status }
  }

  test('SIGHUP at a terminal stops the service gracefully', async () => {
    const { terminal } = await atTerminal('exec "$@"')
    process.kill(terminal.pid, 'SIGHUP')
    expect(await terminal.exited).toBe(0)
    expect(terminal.shown()).toContain('stopping')
  })

  test('SIGHUP does not stop the service if it was ignored at the start, as by nohup', async () => {
    const { terminal, ready } = await atTerminal(`trap '' HUP; exec "$@"`)
    process.kill(terminal.pid, 'SIGHUP')
    await terminal.waitFor('there is nothing to reload')
    expect(await ready()).toBe(200)
    process.kill(terminal.pid, 'SIGTERM')
    expect(await terminal.exited).toBe(0)
  })

  test('SIGHUP does not stop the service or its workers without a terminal', async () => {
    const { service, workers } = await withWorkers()
    for (const pid of [service.pid, ...workers]) process.kill(pid, 'SIGHUP')
    await service.logs('there is nothing to reload')
    expect((await ask('GET', `${service.url}/pets`, service.key)).status).toBe(200)
    expect(await service.stop()).toBe(0)
    expect(service.stderr().split('SIGHUP').length).toBe(2)
    expect(service.stderr()).not.toContain('worker ended')
  })
})

test('SIGTERM to `npm start` stops the service gracefully and frees the port', async () => {
  const database = temporaryFile('petstore.db')
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' }
  const command = ['npm', 'start', '--', '--port', '0', '--database', database]
  const npm = Bun.spawn(command, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const log = new Response(npm.stderr).text()
  let said = ''
  const reading = (async () => {
    for await (const text of npm.stdout.pipeThrough(new TextDecoderStream())) said += text
  })()
  await until('the service listens', () => said.includes('petstore listening on '))
  const url = /petstore listening on (\S+)\n/.exec(said)?.[1] as string
  npm.kill('SIGTERM')
  await npm.exited
  // The pipe is open until the service has ended.
  expect(await Promise.race([reading, Bun.sleep(STOP_MAX_MS).then(() => 'still running')])).toBeUndefined()
  expect(await log).toContain('"msg":"stopping"')
  const { hostname, port } = new URL(url)
  Bun.serve({ hostname, port: Number(port), fetch: () => new Response() }).stop(true)
})
