// A service in practice, controlled through petstore/testing and through lines on stdin.

import { afterAll, beforeEach, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFile } from '../../../test/support/files.ts'
import { launcher, root, run } from '../../../test/support/process.ts'
import { rejectionOf } from '../../../test/support/rejection.ts'
import { startPetstore } from '../../testing/testing.ts'

const BIG = '9007199254740993'

const store = await startPetstore({ practice: true })
beforeEach(() => store.reset())
afterAll(() => store.stop())

const authorization = () => ({ Authorization: `Bearer ${store.apiKey}` })
const list = () => fetch(`${store.url}/pets`, { headers: authorization() })
const add = (headers: Record<string, string> = {}) =>
  fetch(`${store.url}/pets`, {
    method: 'POST',
    headers: { ...authorization(), 'Content-Type': 'application/json', ...headers },
    body: `{"name":"Rex","categoryId":${BIG}}`,
  })

test('serves normally without a fault, and the contract has its address', async () => {
  expect(await (await add()).text()).toBe(`{"id":1,"name":"Rex","categoryId":${BIG},"status":"available"}`)
  expect(await (await fetch(new URL('/openapi.json', store.url))).json()).toMatchObject({
    servers: expect.arrayContaining([expect.objectContaining({ url: store.url })]),
  })
})

test('a contract fault breaks its promise until the reset', async () => {
  await store.lie('pets.create.int64.beyond-53-bits')
  expect(await (await add()).text()).not.toContain(BIG)
  await store.reset()
  const { status } = await add()
  const rex = expect.stringContaining(`"id":1,"name":"Rex","categoryId":${BIG}`)
  expect([status, await (await list()).text()]).toEqual([201, rex])
})

test('a contract fault replaces the previous one', async () => {
  await store.lie('pets.create.int64.beyond-53-bits')
  await store.lie('pets.get.not-modified')
  expect(await (await add()).text()).toContain(BIG)
})

test('a contract fault only a listed contract fault can be chosen', async () => {
  const lies = await store.lies()
  expect(lies.length).toBeGreaterThan(200)
  for (const id of lies) await store.lie(id)
  const none = { message: 'There is no lie that breaks pets.none.' }
  expect(await rejectionOf(store.lie('pets.none'))).toMatchObject(none)
  expect(await rejectionOf(store.lie('constructor'))).toMatchObject({ message: expect.stringContaining('no lie') })
})

const learnt = async () => {
  const { lessons, requests } = await store.report()
  const of = (outcome: string) => lessons.filter((lesson) => lesson.outcome === outcome)
  return { requests, kept: of('kept').map(({ id }) => id), missed: of('missed') }
}

test('a report lists the requests, and the lessons with their evidence', async () => {
  await add()
  await store.fail({ operation: 'createPet', cut: 'after' })
  await rejectionOf(add())
  await add({ 'Idempotency-Key': 'late' })
  const { requests, kept, missed } = await learnt()
  const create = { method: 'POST', target: '/v1/pets' }
  const told = requests.map(({ number, answer, ...rest }) =>
    [number, answer, rest].map((one) => Bun.inspect(one)).join(),
  )
  expect(told).toEqual([1, 2, 3].map((n) => [n, n === 2 ? '"lost"' : '201', Bun.inspect(create)].join()))
  expect(kept).toContain('key.header')
  expect(missed).toMatchObject([
    { id: 'creates.key', evidence: [1, 2] },
    { id: 'creates.keyless', evidence: [2] },
  ])
})

test('a report leaves out a key with reported: false, which gets no network fault', async () => {
  const key = await store.createKey({ reported: false })
  await store.fail({ status: 503 })
  expect((await add({ Authorization: `Bearer ${key}` })).status).toBe(201)
  expect(await learnt()).toEqual({ requests: [], kept: [], missed: [] })
  expect((await list()).status).toBe(503)
  expect((await learnt()).requests).toHaveLength(1)
})

test('responds to each line of JSON on stdin with one line', async () => {
  const lines = ['{"lies":true}', '{"lie":"pets.get.not-modified"}', 'reset', 'no', '[]', '{"fly":1}', '{}']
  lines.push('{"report":true}', '{"createKey":{"readOnly":1}}', '{"createKey":{"scope":1}}', '{"createKey":{}}')
  const command = ['sh', '-c', `printf '%s\\n' "$@" | '${launcher}' serve --ephemeral --practice --json --port 0`, 'sh']
  const { status, stdout } = await run(lines, { command })
  const [started, ...answers] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const notOne = { error: 'A command is reset, or an object with one member, such as {"lies": true}.' }
  expect(status).toBe(0)
  const unknown = expect.objectContaining({ outcome: 'unknown' })
  expect(answers).toEqual([
    { result: expect.arrayContaining(['pets.list.limit.wrong']) },
    { result: null },
    started,
    notOne,
    notOne,
    { error: expect.stringContaining('There is no command fly.') },
    notOne,
    { result: { unrecorded: 0, requests: [], lessons: expect.arrayContaining([unknown]) } },
    { error: 'readOnly must be true or false.' },
    { error: 'A key has no scope. It can have expires, readOnly, reported.' },
    { result: expect.stringMatching(/^pets_test_/) },
  ])
})

/** Returns the code blocks of docs/practice.md in this language. */
function printed(language: string, from: string, to?: string): string[] {
  const text = readFileSync(join(root, 'docs/practice.md'), 'utf8')
  const part = text.slice(text.indexOf(from), to === undefined ? undefined : text.indexOf(to))
  return [...part.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, name, code = '']) =>
    name === language ? [code] : [],
  )
}

test('the programs of docs/practice.md run, and their assertions hold', async () => {
  const before = printed('ts', '# Practice', '## Lessons by example')
  const [head = '', ...lessons] = printed('ts', '## Lessons by example', '## Other languages')
  expect(lessons).toHaveLength(3)
  const program = [...before, head, ...lessons.map((lesson) => `{\n${lesson}}\n`), 'await store.stop()\n'].join('')
  const path = temporaryFile('practice.ts')
  const client = 'packages/client/src/petstore.ts'
  const files = { 'petstore/testing': 'packages/testing/testing.ts', 'petstore-client': client }
  const local = Object.entries(files).reduce(
    (all, [name, file]) => all.replace(`'${name}'`, `'${join(root, file)}'`),
    program,
  )
  writeFileSync(path, local)
  expect(await run([path], { command: [process.execPath] })).toEqual({ status: 0, stdout: '', stderr: '' })
})

const python = Bun.which('python3')
test.skipIf(!python)(`the Python of docs/practice.md runs${python ? '' : ' (skipped: no python3)'}`, async () => {
  const path = temporaryFile('practice.py')
  const failing = 'try:\n    tell({"lie": "none"})\nexcept ValueError as error:\n    print(error)\n'
  writeFileSync(
    path,
    printed('python', '## Other languages').join('').replace('petstore.stdin.close()', `${failing}$&`),
  )
  const env = { PATH: `${dirname(launcher)}:${process.env.PATH}`, PETSTORE_LOG_LEVEL: 'warn' }
  const said = { status: 0, stdout: 'There is no lie that breaks none.\n', stderr: '' }
  expect(await run([path], { command: ['python3'], env })).toEqual(said)
})
