// `petstore verify`: flags, exit statuses, and servers that cannot be examined.

import { describe, expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { passOn, startFake } from '../../../test/support/fake.ts'
import { atEndOfFile, temporaryFile } from '../../../test/support/files.ts'
import { run } from '../../../test/support/process.ts'
import { startService } from '../../../test/support/service.ts'
import { PROMISES } from '../../verify/src/promises/all.ts'

const service = await startService({ now: Date.now })
const readOnly = await service.addKey({ readOnly: true })

const verify = (args: string[], env: Record<string, string> = {}) =>
  run(['verify', ...args], { env: { PETSTORE_API_KEY: service.key, ...env } })
const resultsOf = ({ stdout }: { stdout: string }) => JSON.parse(stdout).results as Record<string, string>[]

/** Starts a server that sends these bytes on each connection. */
function bytes(send: (socket: { write(text: string): void; end(): void }) => void) {
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: (socket) => send(socket) } })
  atEndOfFile(() => server.stop(true))
  return { url: `http://127.0.0.1:${server.port}/v1` }
}

test('our own service only gets reads without --write, on the level interface, and is summarized by level', async () => {
  const methods = new Set<string>()
  const proxy = startFake((request) => {
    methods.add(request.method)
    return passOn(request, service)
  })
  const { stdout, stderr, status } = await verify([proxy.url])
  expect(stdout).toMatch(/LEVEL +HELD +BROKEN +NOT CHECKED\ninterface +\d+ +0 +\d+\n\n/)
  expect(stdout).toContain('Needs --write.')
  expect(stdout).toContain(`${proxy.url} keeps every promise that was checked.\n`)
  expect([status, stderr]).toEqual([0, ''])
  expect(['GET', 'HEAD', 'OPTIONS']).toEqual(expect.arrayContaining([...methods]))
})

test('our own service gets the read-only key, and no output has a key', async () => {
  const only = ['pets.create.success', 'keys.read-only.create'].flatMap((id) => ['--only', id])
  const keys = { PETSTORE_READ_ONLY_KEY: readOnly }
  const { stdout, stderr, status } = await verify([service.url, ...only, '--write', '--yes', '--json'], keys)
  expect([status, resultsOf({ stdout }).map(({ outcome }) => outcome)]).toEqual([0, ['held', 'held']])
  for (const key of [service.key, readOnly]) expect(stdout + stderr).not.toContain(key)
})

test('--only reports only this promise, after examining its premises', async () => {
  const ended = await verify([service.url, '--only', 'pets.list.item.name', '--json'])
  const results = [{ id: 'pets.list.item.name', level: 'interface', outcome: 'held' }]
  expect(JSON.parse(ended.stdout)).toEqual({ target: service.url, levels: ['interface'], results })
})

test('reads a chunked response to the end, even if a chunk looks like the end', async () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
  const chunked = bytes(async (socket) => {
    for (const part of [head, '3;x=y\r\n[\r', '\n\r\n', '3\r\n]\r\n\r\n', '0\r\nTrailer: x\r\n', '\r\n']) {
      socket.write(part)
      await Bun.sleep(20)
    }
  })
  const { stdout, status } = await verify([chunked.url, '--only', 'pets.list.array', '--json'])
  expect([status, resultsOf({ stdout }).map(({ outcome }) => outcome)]).toEqual([0, ['held']])
})

test('ignores a trailing slash of the base URL', async () => {
  const { status, stdout } = await verify([`${service.url}/`, '--only', 'pets.list.success', '--json'])
  expect([status, JSON.parse(stdout).target]).toEqual([0, service.url])
})

test('waits for a rate limit', async () => {
  let count = 0
  const limited = startFake((request) => {
    if (++count % 3 === 0) return new Response('slow down', { status: 429, headers: { 'Retry-After': '1' } })
    return passOn(request, service)
  })
  const only = ['--only', 'pets.list.success', '--only', 'pets.list.limit.default']
  const ended = await verify([limited.url, ...only, '--json'])
  expect([ended.status, resultsOf(ended).map(({ outcome }) => outcome)]).toEqual([0, ['held', 'held']])
})

test('a gateway that returns 502, 503 or 504 gets the request again, and a change starts its check again', async () => {
  const own = await startService({ now: Date.now })
  const first = new Set([/^GET .*limit=3/, /^POST .*Zoë/, /^DELETE/])
  const gateway = startFake(async (request) => {
    const line = `${request.method} ${request.url} ${await request.clone().text()}`
    const answer = await passOn(request, own)
    const [met] = [...first].filter((one) => one.test(line))
    return met && first.delete(met) ? new Response('<h1>Gateway</h1>', { status: 502 + first.size }) : answer
  })
  const only = ['pets.list.limit.between', 'pets.create.filtered', 'pets.delete.success', 'errors.members']
  const flags = ['--write', '--yes', '--json', ...only.flatMap((id) => ['--only', id])]
  const ended = await verify([gateway.url, ...flags], { PETSTORE_API_KEY: own.key })
  expect(resultsOf(ended).map(({ outcome }) => outcome)).toEqual(['held', 'held', 'held', 'held'])
  expect([ended.status, first.size]).toEqual([0, 0])
})

test('breaks a promise if it always returns 502 for one request', async () => {
  const gateway = startFake(async (request) =>
    request.url.endsWith('limit=3') ? new Response('', { status: 502 }) : passOn(request, service),
  )
  const ended = await verify([gateway.url, '--json'])
  const broken = resultsOf(ended).filter(({ outcome }) => outcome === 'broken')
  const found = broken.map(({ id, actual }) => `${id}: ${actual}`)
  expect([ended.status, found]).toEqual([1, ['pets.list.limit.between: status 502']])
})

test('breaks no promise if it returns 503 for every request', async () => {
  let count = 0
  const gateway = startFake((request) => (++count > 9 ? new Response('', { status: 503 }) : passOn(request, service)))
  const { stdout, stderr, status } = await verify([gateway.url])
  expect(stdout).toMatch(/^Only \d+ of \d+ promises could be checked/)
  expect(stdout).toContain('The server answers 503.')
  expect([status, stderr]).toEqual([2, expect.stringMatching(/^petstore: Only \d+ of/)])
})

describe('--min-checked', () => {
  const checked = (...args: string[]) => verify([service.url, ...args])

  test('--min-checked counts the promises that the flags allow, and defaults to 50 %', async () => {
    const slow = startFake((request) =>
      request.url.endsWith('/pets') ? passOn(request, service) : new Promise(() => undefined),
    )
    const ended = await verify([slow.url, '--timeout', '0.5', '--total-timeout', '90'])
    const [, few, all, needed] =
      /^Only (\d+) of (\d+) promises could be checked; --min-checked 50 needs (\d+)\.\n/.exec(ended.stdout) ?? []
    expect([ended.status, ended.stderr]).toEqual([2, `petstore: ${ended.stdout.split('\n')[0]}\n`])
    expect(Number(few)).toBeLessThan(Number(needed))
    expect(Number(needed)).toBe(Math.ceil(Number(all) / 2))
  })

  test.each([
    [0, ['--only', 'pets.create.success', '--min-checked', '0']],
    [2, ['--only', 'pets.create.success']],
    [0, ['--only', 'pets.list.success', '--only', 'pets.create.success', '--min-checked', '100']],
    [2, ['--only', 'pets.list.success', '--only', 'errors.retry-after', '--min-checked', '51']],
  ])('--min-checked exits with %i: %p', async (status, args) => {
    expect((await checked(...args)).status).toBe(status)
  })
})

test('a request that hangs does not affect others', async () => {
  const hanging = startFake((request) => {
    return request.url.endsWith('?limit=3') ? new Promise(() => undefined) : passOn(request, service)
  })
  const { stdout, status } = await verify([hanging.url, '--timeout', '5', '--json'])
  const results = resultsOf({ stdout })
  const lost = results.filter(({ reason }) => reason === 'The server did not answer within 5 seconds.')
  expect([status, lost.map(({ id }) => id)]).toEqual([0, ['pets.list.limit.between']])
  expect(results.filter(({ outcome }) => outcome === 'held').length).toBeGreaterThan(20)
})

describe('exits with 2 and one sentence on stderr for', () => {
  const HEAD = 'HTTP/1.1 200 OK\r\n'
  const answering = (answer: Parameters<typeof startFake>[0]) => () => startFake(answer)
  const sending = (text: string, ends = false) => {
    return () =>
      bytes((socket) => {
        socket.write(text)
        if (ends) socket.end()
      })
  }
  let asked = 0
  const hanging = () => new Promise<Response>(() => undefined)
  const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(10_000).fill(0x20)) })
  const NO_HTTP = 'does not speak HTTP/1.1'
  const REDIRECTS = 'redirects GET /pets to http://127.0.0.1:9/elsewhere, and redirects are not followed'
  const WEB_PAGE = 'returned a web page; check the base URL.'
  const elsewhere = 'http://127.0.0.1:9/elsewhere'
  const servers: Record<string, readonly [() => { url: string }, string]> = {
    'that hangs': [answering(hanging), 'did not answer within 0.5 seconds'],
    'that hangs in the middle': [answering(() => (asked++ === 0 ? Response.json([]) : hanging())), 'is too slow: '],
    'that hangs up': [sending('', true), 'closed the connection without a complete response'],
    'with invalid chunks': [sending(`${HEAD}Transfer-Encoding: chunked\r\n\r\nno\r\n`), NO_HTTP],
    'that allows no request for an hour': [
      answering(() => new Response('', { status: 429, headers: { 'Retry-After': '3600' } })),
      'allows no more requests for now',
    ],
    'with an endless body': [answering(() => new Response(endless)), 'sent more than 4 MB'],
    'with endless headers': [sending(HEAD + 'a: b\r\n'.repeat(20_000)), 'sent more than 64 KB of headers'],
    'that compresses': [
      answering(() => new Response(Bun.gzipSync('[]'), { headers: { 'Content-Encoding': 'gzip' } })),
      'sent a compressed response (gzip) that the request does not accept',
    ],
    'that redirects': [answering(() => Response.redirect(elsewhere, 302)), REDIRECTS],
    'of web pages': [answering(() => new Response('<!doctype html><p>Hello')), WEB_PAGE],
    'of another interface': [
      answering(({ url }) => Response.json({ error: `${new URL(url).pathname} not found` }, { status: 404 })),
      'has no /pets (404): is the base URL right?',
    ],
    'that rejects the key': [answering(() => new Response('{}', { status: 401 })), 'refuses the API key (401)'],
    'without TLS, with an https URL': [
      () => ({ url: startFake(() => Response.json([])).url.replace('http:', 'https:') }),
      'could not be reached (ssl wrong version number)',
    ],
    'that does not run': [() => ({ url: 'http://127.0.0.1:1/v1' }), 'could not be reached (connection refused)'],
  }

  test.each(Object.entries(servers))('a server %s', async (_name, [start, message]) => {
    const server = start()
    // Generous for a busy machine, unless the test waits for the timeout.
    const timeout = /within|slow/.test(message) ? '0.5' : '60'
    const { stdout, stderr, status } = await verify([server.url, '--timeout', timeout, '--json'])
    expect([stdout, stderr]).toEqual(['', expect.stringContaining(`petstore: The server ${message}`)])
    expect([status, stderr.trimEnd().split('\n').length]).toEqual([2, 1])
  })

  const keyFile = temporaryFile('key')
  writeFileSync(keyFile, 'one two\n')
  test.each([
    ['no URL', [], 'Give the base URL'],
    ['a URL without /v1', ['http://127.0.0.1:1'], 'ends in /v1'],
    ['an unknown promise', [service.url, '--only', 'pets.fly'], 'there is no such promise'],
    ['an invalid time', [service.url, '--timeout', '0'], 'must be a number of seconds'],
    ['a key of production', [service.url, '--write'], 'Add --yes'],
    ['an impossible report', [service.url, '--junit', '/nowhere/a.xml'], 'be written (no such file or directory)'],
    ['a file without a key', [service.url, '--key-file', keyFile], 'must be printable ASCII'],
    ['two keys', [service.url, '--key', 'a', '--key-file', keyFile], 'not both'],
  ])('%s', async (_name, args, message) => {
    const { stdout, stderr, status } = await verify([...args, '--json'])
    expect([status, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)])
  })

  test('no key', async () => {
    const { stderr, status } = await verify([service.url], { PETSTORE_API_KEY: '' })
    expect([status, stderr]).toEqual([2, expect.stringContaining('There is no API key.')])
  })

  test('a server that does not run, and leaves no report file', async () => {
    const junit = temporaryFile('report.xml')
    expect((await verify(['http://127.0.0.1:1/v1', '--junit', junit])).status).toBe(2)
    expect(existsSync(junit)).toBe(false)
  })
})

test('--list needs no server and no key, and respects --level', async () => {
  const levels = ['--level', 'pets', '--level', 'store']
  const { stdout, status } = await verify(['--list', '--json', ...levels], { PETSTORE_API_KEY: '' })
  const rows = PROMISES.filter(({ level }) => level !== 'interface')
  const promises = rows.map(({ sources, needs = [], id, level, promise }) => {
    return { id, level, promise, source: sources.join('; '), needs }
  })
  expect(JSON.parse(stdout)).toEqual({ promises })
  expect(status).toBe(0)
})

test('accepts a key by flag, variable and file', async () => {
  const file = temporaryFile('key')
  writeFileSync(file, `${service.key}\n`)
  const only = [service.url, '--only', 'pets.list.success']
  for (const [args, env] of [
    [['--key', service.key], {}],
    [['--api-key', service.key], {}],
    [['--key-file', file], {}],
    [[], { PETSTORE_API_KEY_FILE: file }],
  ] as const) {
    expect((await verify([...only, ...args], { PETSTORE_API_KEY: '', ...env })).status).toBe(0)
  }
})
