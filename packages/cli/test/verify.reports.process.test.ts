// The reports of `petstore verify` about a broken server: text from the server is escaped, and no report has a key.

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { startFake } from '../../../test/support/fake.ts'
import { startProxy } from '../../../test/support/faulty.ts'
import { temporaryFile } from '../../../test/support/files.ts'
import { run } from '../../../test/support/process.ts'
import { startService } from '../../../test/support/service.ts'
import { CONTRACT_FAULTS } from '../../practice/src/contract-faults/all.ts'
import { behaviourOf, type ContractFault } from '../../practice/src/contract-faults/shared/faults.ts'
import { INTERFACE_CASES } from '../../verify/test/planted.ts'

const service = await startService({ now: Date.now })

const verify = (args: string[], env: Record<string, string> = {}) =>
  run(['verify', ...args], { env: { PETSTORE_API_KEY: service.key, ...env } })
const resultsOf = ({ stdout }: { stdout: string }) => JSON.parse(stdout).results as Record<string, string>[]

describe('a server that breaks a promise', () => {
  const evil = '"><script>\u0007\u202ealert(1)</script>'
  const broken = startFake((request) => {
    const { searchParams } = new URL(request.url)
    if (!request.headers.has('Authorization'))
      return Response.json({ code: 'x', message: 'x', status: 401 }, { status: 401 })
    if (searchParams.has('status')) return Response.json([{ id: 1, name: evil, categoryId: 1, status: 'sold' }])
    const pets = [{ id: '1', name: `${evil}${request.headers.get('Authorization')}`, categoryId: 1 }]
    return Response.json(pets)
  })

  test('a server that breaks a promise is reported with id, sentence, source, expected, actual and a curl line that reproduces it, and exit status 1', async () => {
    const wrong = { expected: 'status: available or none', actual: 'status: sold' }
    const only = ['--only', 'pets.list.item.id', '--only', 'pets.list.status.available']
    const ended = await verify([broken.url, '--json', ...only])
    expect(ended.status).toBe(1)
    expect(resultsOf(ended)).toEqual([
      {
        id: 'pets.list.item.id',
        level: 'interface',
        outcome: 'broken',
        promise: 'GET /pets: The id of each listed pet is an int64.',
        source: 'docs/interface.md, Pets: `id`',
        curl: `curl -sSi --path-as-is -H "Authorization: Bearer $KEY" '${broken.url}/pets'`,
        expected: 'id: an int64',
        actual: 'id: "1"',
      },
      expect.objectContaining({ id: 'pets.list.status.available', ...wrong }),
    ])
    expect(await runShell(resultsOf(ended)[1]?.curl)).toContain('"status":"sold"')
  })

  test('a server that breaks a promise cannot inject text into the terminal, or the JUnit report, and no output has the key', async () => {
    const junit = temporaryFile('report.xml')
    const { stdout, stderr, status } = await verify([broken.url, '--junit', junit])
    expect([status, stderr]).toEqual([1, ''])
    const report = readFileSync(junit, 'utf8')
    for (const text of [stdout, report]) {
      expect(text).toContain('pets.list.item.id')
      expect(text).not.toContain(service.key)
      for (const control of ['\u0007', '\u202e']) expect(text).not.toContain(control)
    }
    expect(report).not.toContain('<script')
    expect(report).toContain('&lt;script&gt;')
    const [, ...counts] = /<testsuites tests="(\d+)" failures="(\d+)" errors="0" skipped="(\d+)">/.exec(report) ?? []
    const elements = ['testcase', 'failure', 'skipped'].map((name) => report.split(`<${name} `).slice(1).length)
    expect(counts.map(Number)).toEqual(elements as number[])
    expect(stdout).toContain(` breaks ${counts[1]} promises.\n`)
  })
})

test('a key that the server sends back is in no message', async () => {
  const echo = startFake((request) => {
    const sent = request.headers.get('Authorization') ?? ''
    if (request.method === 'POST') return new Response(sent, { status: 500 })
    if (request.url.includes('petId')) return Response.redirect(`http://127.0.0.1:9/?key=${sent.slice(7)}`, 302)
    return Response.json([])
  })
  const only = (id: string) => verify([echo.url, '--write', '--yes', '--json', '--only', id])
  // The message is the reason why a preparation failed.
  for (const id of ['pets.list.next', 'orders.list.pet.wrong']) {
    const { stdout, stderr } = await only(id)
    expect(stdout + stderr).toContain('$KEY')
    expect(stdout + stderr).not.toContain(service.key)
  }
})

test('a short key is only replaced in places that hold keys', async () => {
  const short = startFake((request) =>
    request.headers.get('Authorization') === 'Bearer pets'
      ? Response.json({ pets: [] })
      : Response.json({ code: 'x', message: 'x', status: 401 }, { status: 401 }),
  )
  const [result] = resultsOf(await verify([short.url, '--key', 'pets', '--only', 'pets.list.array', '--json']))
  const curl = `curl -sSi --path-as-is -H "Authorization: Bearer $KEY" '${short.url}/pets'`
  expect(result).toMatchObject({ curl, actual: '{"pets":[]}' })
})

test.each([
  ['with another end', (key: string) => key.slice(0, -8), (key: string) => `${key}A`, `$\{KEY}A`],
  [
    'in swapped case',
    (key: string) =>
      key.slice(0, 5) + key.slice(5).replace(/./g, (one) => (one < 'a' ? one.toLowerCase() : one.toUpperCase())),
    undefined,
    `"$(echo "$\{KEY#?????}" | tr a-zA-Z A-Za-z)"`,
  ],
])('a similar key, %s, is derived from the key by the shell', async (_, begin, sent, shown) => {
  const taken = new Set<string>()
  const lax = startFake((request) => {
    const key = request.headers.get('Authorization')?.slice(7) ?? ''
    taken.add(key)
    const status = [service.key, sent].includes(key) || key.startsWith(begin(service.key)) ? 200 : 401
    return Response.json(status === 200 ? [] : { code: 'x', message: 'x', status }, { status })
  })
  const ended = await verify([lax.url, '--only', 'auth.similar.list', '--json'])
  const [result] = resultsOf(ended)
  expect(result?.curl).toContain(shown)
  for (const key of [service.key.slice(0, -8), begin(service.key).slice(5)]) expect(ended.stdout).not.toContain(key)
  taken.clear()
  await runShell(result?.curl)
  expect([...taken]).toEqual([(sent ?? begin)(service.key)])
})

test('a connection that stays authorised is reproduced by one curl with two requests', async () => {
  const proxy = await startProxy(
    service.url,
    behaviourOf(INTERFACE_CASES['a connection stays authorised'] as ContractFault),
  )
  const [result] = resultsOf(await verify([proxy.url, '--only', 'auth.missing.list', '--json']))
  expect(result).toMatchObject({ outcome: 'broken', expected: 'status 401' })
  expect(await runShell(result?.curl)).toContain('HTTP/1.1 200 OK')
})

test('the curl command has real ids, and lists the changes before it in a comment', async () => {
  const proxy = await startProxy(service.url, behaviourOf(CONTRACT_FAULTS['orders.complete.success'] as ContractFault))
  const only = ['--only', 'orders.complete.success', '--write', '--yes']
  const [result] = resultsOf(await verify([proxy.url, ...only, '--json']))
  expect(result?.curl).toMatch(
    /\/store\/orders\/(\d+)\/complete' # after .*POST \/pets \(id \d+\), POST \/store\/orders \(id \1\)$/,
  )
  expect(await runShell(result?.curl)).toContain('"status":"completed"')
})

/** Returns the output of the line in a shell with the key in `KEY`. */
function runShell(line = ''): Promise<string> {
  const { stdout } = Bun.spawn(['sh', '-c', line], { env: { ...process.env, KEY: service.key }, stdout: 'pipe' })
  return new Response(stdout).text()
}
