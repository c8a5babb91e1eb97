// `petstore verify`: its flags, exit statuses and reports, and servers that cannot be examined. What its checks find stands in the tests of
// the catalogue.

import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFile } from '../../../test/support/files.ts'
import { run } from '../../../test/support/process.ts'
import { startService } from '../../../test/support/service.ts'
import { PROMISES } from '../src/catalogue.ts'

const service = await startService({ now: Date.now })
const readOnly = await service.addKey({ readOnly: true })
afterAll(() => service.stop())

const verify = (args: string[], env: Record<string, string> = {}) =>
  run(['verify', ...args], { env: { PETSTORE_API_KEY: service.key, ...env } })
const resultsOf = ({ stdout }: { stdout: string }) => JSON.parse(stdout).results as Record<string, string>[]

/** A server that answers GET /v1/pets with two pets, the others as `answer` says. */
function fake(answer: (request: Request) => Response | Promise<Response>) {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer })
  return { url: `http://127.0.0.1:${server.port}/v1`, stop: () => server.stop(true) }
}

/** A server that answers whatever it gets with these bytes. */
function bytes(send: (socket: { write(text: string): void; end(): void }) => void) {
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: (socket) => send(socket) } })
  return { url: `http://127.0.0.1:${server.port}/v1`, stop: () => server.stop(true) }
}

describe('our own service', () => {
  test('keeps every promise; at least four of five are checked', async () => {
    const levels = ['interface', 'pets', 'store'].flatMap((level) => ['--level', level])
    const keys = { PETSTORE_READ_ONLY_KEY: readOnly }
    const ended = await verify([service.url, ...levels, '--write', '--yes', '--json'], keys)
    const results = resultsOf(ended)
    expect(results.filter(({ outcome }) => outcome === 'broken')).toEqual([])
    expect(ended.status).toBe(0)
    expect(results.map(({ id }) => id as string)).toEqual(PROMISES.map(({ id }) => id))
    const held = results.filter(({ outcome }) => outcome === 'held').length
    expect(held / results.length).toBeGreaterThan(0.8)
    expect(`${ended.stdout}${ended.stderr}`).not.toContain(service.key)
  })

  test('gets nothing but reads without --write, at the level interface', async () => {
    const methods = new Set<string>()
    const proxy = fake((request) => {
      methods.add(request.method)
      const { pathname, search } = new URL(request.url)
      return fetch(service.origin + pathname + search, request)
    })
    const ended = await verify([proxy.url, '--json'])
    expect([ended.status, ended.stderr]).toEqual([0, ''])
    expect(new Set(resultsOf(ended).map(({ level }) => level))).toEqual(new Set(['interface']))
    expect(['GET', 'HEAD', 'OPTIONS']).toEqual(expect.arrayContaining([...methods]))
    await proxy.stop()
  })

  test('--only examines what the promise depends on, and reports it alone', async () => {
    const ended = await verify([service.url, '--only', 'pets.list.item.name', '--json'])
    expect(JSON.parse(ended.stdout)).toEqual({
      target: service.url,
      levels: ['interface'],
      results: [{ id: 'pets.list.item.name', level: 'interface', outcome: 'held' }],
    })
  })

  test('for people: a summary by level, and why something was not checked', async () => {
    const { stdout, status } = await verify([service.url])
    expect(stdout).toMatch(/LEVEL +HELD +BROKEN +NOT CHECKED\ninterface +\d+ +0 +\d+\n/)
    expect(stdout).toContain('It needs --write.')
    expect([stdout, status]).toEqual([
      expect.stringContaining(`${service.url} keeps every promise that was checked.\n`),
      0,
    ])
  })
})

describe('a server that breaks a promise', () => {
  const evil = '"><script>\u0007\u202ealert(1)</script>'
  const broken = fake((request) => {
    const { searchParams } = new URL(request.url)
    if (!request.headers.has('Authorization'))
      return Response.json({ code: 'x', message: 'x', status: 401 }, { status: 401 })
    if (searchParams.has('status')) return Response.json([{ id: 1, name: evil, categoryId: 1, status: 'sold' }])
    const pets = [{ id: '1', name: `${evil}${request.headers.get('Authorization')}`, categoryId: 1 }]
    return Response.json(pets)
  })
  afterAll(() => broken.stop())

  test('is told by id, sentence, source, curl, expected and actual: 1', async () => {
    const ended = await verify([
      broken.url,
      '--json',
      '--only',
      'pets.list.item.id',
      '--only',
      'pets.list.status.available',
    ])
    expect(ended.status).toBe(1)
    expect(resultsOf(ended)).toEqual([
      {
        id: 'pets.list.item.id',
        level: 'interface',
        outcome: 'broken',
        promise: 'Each listed pet has an id, which is an int64.',
        source: 'docs/interface.md, Pets: `id`',
        curl: `curl -sSi --path-as-is -H "Authorization: Bearer $KEY" '${broken.url}/pets'`,
        expected: 'id: an int64',
        actual: 'id: "1"',
      },
      expect.objectContaining({
        id: 'pets.list.status.available',
        expected: 'status: available or none',
        actual: 'status: sold',
      }),
    ])
  })

  test('its curl line shows the same in a shell', async () => {
    const [result] = resultsOf(await verify([broken.url, '--json', '--only', 'pets.list.status.available']))
    const shell = Bun.spawn(['sh', '-c', result?.curl ?? ''], {
      env: { ...process.env, KEY: service.key },
      stdout: 'pipe',
    })
    expect(await new Response(shell.stdout).text()).toContain('"status":"sold"')
  })

  test('its texts control no terminal, no JUnit report and no page, and no key stands in any', async () => {
    const folder = mkdtempSync(temporaryFile('reports-'))
    const [junit, html] = [join(folder, 'report.xml'), join(folder, 'report.html')]
    const { stdout, stderr, status } = await verify([broken.url, '--junit', junit, '--html', html])
    expect([status, stderr]).toEqual([1, ''])
    const texts = [stdout, readFileSync(junit, 'utf8'), readFileSync(html, 'utf8')]
    for (const text of texts) {
      expect(text).toContain('pets.list.item.id')
      expect(text).not.toContain(service.key)
      for (const control of ['\u0007', '\u202e']) expect(text).not.toContain(control)
    }
    for (const text of texts.slice(1)) expect(text).not.toContain('<script')
    const cases = resultsOf(await verify([broken.url, '--json']))
    const of = (outcome: string) => cases.filter((one) => one.outcome === outcome).length
    const counts = `tests="${cases.length}" failures="${of('broken')}" errors="0" skipped="${of('not_checked')}"`
    expect(texts[1]).toContain(`<testsuites ${counts}>`)
    expect(texts[1]?.match(/<failure /g)?.length).toBe(of('broken'))
    expect(texts[1]?.match(/<skipped /g)?.length).toBe(of('not_checked'))
  })
})

test('an answer in chunks is read to its end, also where the end of a chunk looks like it', async () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
  const chunked = bytes(async (socket) => {
    for (const part of [head, '3;x=y\r\n[\r', '\n\r\n', '3\r\n]\r\n\r\n', '0\r\nTrailer: x\r\n', '\r\n']) {
      socket.write(part)
      await Bun.sleep(20)
    }
  })
  const { stdout, status } = await verify([chunked.url, '--only', 'pets.list.array', '--json'])
  expect([status, resultsOf({ stdout }).map(({ outcome }) => outcome)]).toEqual([0, ['held']])
  await chunked.stop()
})

test('a key that a server sends back is in no sentence either', async () => {
  const echo = fake((request) => {
    const sent = request.headers.get('Authorization') ?? ''
    if (request.method === 'POST') return new Response(sent, { status: 500 })
    if (request.url.includes('petId')) return Response.redirect(`http://127.0.0.1:9/?key=${sent.slice(7)}`, 302)
    return Response.json([])
  })
  const only = (id: string) => verify([echo.url, '--write', '--yes', '--json', '--only', id])
  // What its checks share cannot be made, which is the reason why it is not checked.
  for (const id of ['pets.list.next', 'orders.list.pet.text']) {
    const { stdout, stderr } = await only(id)
    expect(stdout + stderr).toContain('$KEY')
    expect(stdout + stderr).not.toContain(service.key)
  }
  await echo.stop()
})

test('a rate limit is waited for', async () => {
  let count = 0
  const limited = fake((request) => {
    if (++count % 3 === 0) return new Response('slow down', { status: 429, headers: { 'Retry-After': '1' } })
    const { pathname, search } = new URL(request.url)
    return fetch(service.origin + pathname + search, request)
  })
  const ended = await verify([
    limited.url,
    '--only',
    'pets.list.success',
    '--only',
    'pets.list.limit.default',
    '--json',
  ])
  expect([ended.status, resultsOf(ended).map(({ outcome }) => outcome)]).toEqual([0, ['held', 'held']])
  await limited.stop()
})

test('one answer that hangs loses no other', async () => {
  const hanging = fake((request) => {
    const { pathname, search } = new URL(request.url)
    if (search === '?limit=3') return new Promise(() => undefined)
    return fetch(service.origin + pathname + search, request)
  })
  const { stdout, status } = await verify([hanging.url, '--timeout', '5', '--json'])
  const results = resultsOf({ stdout })
  const lost = results.filter(({ reason }) => reason === 'The server did not answer within 5 seconds.')
  expect([status, lost.map(({ id }) => id)]).toEqual([0, ['pets.list.limit.between']])
  expect(results.filter(({ outcome }) => outcome === 'held').length).toBeGreaterThan(20)
  await hanging.stop()
})

describe('what cannot be examined ends with a sentence and 2, and nothing on standard output', () => {
  const servers: Record<string, readonly [() => { url: string; stop(): void }, string]> = {
    'that hangs': [() => fake(() => new Promise(() => undefined)), 'did not answer within 0.5 seconds'],
    'that is slow': [
      () =>
        bytes(async (socket) => {
          for (const character of 'HTTP/1.1 200 OK\r\n\r\n') {
            socket.write(character)
            await Bun.sleep(100)
          }
        }),
      'did not answer within 0.5 seconds',
    ],
    'that hangs in the middle': [
      () => {
        let count = 0
        return fake(() => (count++ === 0 ? Response.json([]) : new Promise(() => undefined)))
      },
      'is too slow: ',
    ],
    'that hangs up': [() => bytes((socket) => socket.end()), 'closed the connection without a whole answer'],
    'with a length that is none': [
      () => bytes((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n[]')),
      'does not speak HTTP/1.1',
    ],
    'with chunks that are none': [
      () => bytes((socket) => socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno\r\n')),
      'does not speak HTTP/1.1',
    ],
    'that breaks off': [
      () =>
        bytes((socket) => {
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[')
          socket.end()
        }),
      'closed the connection without a whole answer',
    ],
    'without an end': [
      () =>
        fake(() => {
          const spaces = new Uint8Array(10_000).fill(0x20)
          return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(spaces) }))
        }),
      'sends more than 4 MB, or without an end',
    ],
    'with headers without an end': [
      () => bytes((socket) => socket.write(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(20_000)}`)),
      'sends headers without an end',
    ],
    'that compresses': [
      () => fake(() => new Response(Bun.gzipSync('[]'), { headers: { 'Content-Encoding': 'gzip' } })),
      'compresses (gzip) although not asked to',
    ],
    'that redirects': [
      () => fake(() => Response.redirect('http://127.0.0.1:9/elsewhere', 302)),
      'redirects GET /pets to http://127.0.0.1:9/elsewhere, and redirects are not followed',
    ],
    'of web pages': [
      () => fake(() => new Response('<!doctype html><p>Hello')),
      'answers with a web page, which this base URL should not.',
    ],
    'that refuses the key': [() => fake(() => new Response('{}', { status: 401 })), 'refuses the API key (401)'],
    'of another protocol': [
      () => bytes((socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n')),
      'does not speak HTTP/1.1',
    ],
    'without TLS, at https': [
      () => {
        const { url, stop } = fake(() => Response.json([]))
        return { url: url.replace('http:', 'https:'), stop }
      },
      'could not be reached (ssl wrong version number)',
    ],
    'that is not there': [
      () => ({ url: 'http://127.0.0.1:1/v1', stop: () => undefined }),
      'could not be reached (connection refused)',
    ],
  }

  test.each(Object.entries(servers))('a server %s', async (_name, [start, message]) => {
    const server = start()
    // Where nothing has to be waited for, a busy machine has its time.
    const timeout = /within|slow/.test(message) ? '0.5' : '60'
    const { stdout, stderr, status } = await verify([server.url, '--timeout', timeout, '--json'])
    expect([stdout, stderr]).toEqual(['', expect.stringContaining(`petstore: The server ${message}`)])
    expect([status, stderr.trimEnd().split('\n').length]).toEqual([2, 1])
    await server.stop()
  })

  const keyFile = temporaryFile('key')
  writeFileSync(keyFile, 'one two\n')
  test.each([
    ['no URL', [], 'Give the base URL'],
    ['a URL without /v1', ['http://127.0.0.1:1'], 'ends in /v1'],
    ['a URL with a query', ['http://127.0.0.1:1/v1?x=/v1'], 'ends in /v1'],
    ['a URL with a password', ['http://a:b@127.0.0.1:1/v1'], 'ends in /v1'],
    ['another scheme', ['ftp://127.0.0.1/v1'], 'ends in /v1'],
    ['an unknown promise', [service.url, '--only', 'pets.fly'], 'there is no such promise'],
    ['an unknown level', [service.url, '--level', 'all'], 'must be one of interface, pets, store'],
    ['a time that is none', [service.url, '--timeout', '0'], 'must be a number of seconds'],
    ['a key of production', [service.url, '--write'], 'add --yes'],
    [
      'a report that cannot be written',
      [service.url, '--junit', '/nowhere/report.xml'],
      'cannot be written (no such file or directory)',
    ],
    ['a file without a key', [service.url, '--key-file', keyFile], 'must be printable ASCII'],
    ['a file that is not there', [service.url, '--key-file', '/nowhere'], 'cannot be read (no such file or directory)'],
    ['two keys', [service.url, '--key', 'a', '--key-file', keyFile], 'not both'],
  ])('%s', async (_name, args, message) => {
    const { stdout, stderr, status } = await verify([...args, '--json'])
    expect([status, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)])
  })

  test('no key', async () => {
    const { stderr, status } = await verify([service.url], { PETSTORE_API_KEY: '' })
    expect([status, stderr]).toEqual([2, expect.stringContaining('There is no API key.')])
  })

  test('leaves no report behind', async () => {
    const html = temporaryFile('report.html')
    expect((await verify(['http://127.0.0.1:1/v1', '--html', html])).status).toBe(2)
    expect(existsSync(html)).toBe(false)
  })
})

test('--list needs neither server nor key, and obeys --level', async () => {
  const { stdout, status } = await verify(['--list', '--json'], { PETSTORE_API_KEY: '' })
  const rows = PROMISES.filter(({ level }) => level === 'interface')
  expect(JSON.parse(stdout)).toEqual({
    promises: rows.map(({ sources, needs = [], id, level, promise }) => ({
      id,
      level,
      promise,
      source: sources.join('; '),
      needs,
    })),
  })
  expect(status).toBe(0)
})

test('a key may come by each flag, variable and file', async () => {
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
