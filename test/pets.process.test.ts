// `petstore pets`, `login` and `demo` as real processes against a real service: what they print, where, and how they end.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PetstoreClient } from '../src/client/petstore.ts'
import { samplePets } from '../src/client/samples.ts'
import { temporaryFile } from './support/files.ts'
import { newPet, petBody, petsOf } from './support/pets.ts'
import { type RunOptions, root, run, serve } from './support/process.ts'
import { type Service, startService } from './support/service.ts'
import { openTerminal, plain } from './support/terminal.ts'

let service: Service
let cwd: string
beforeAll(async () => {
  service = await startService()
  cwd = mkdtempSync(temporaryFile('cwd-'))
})
afterAll(() => service.stop())

const connection = () => ({ PETSTORE_URL: service.url, PETSTORE_API_KEY: service.key })
const pets = (args: string[], options: RunOptions = {}) =>
  run(['pets', ...args], { cwd, env: connection(), ...options })
const file = (name: string, text: string): string => {
  writeFileSync(join(cwd, name), text)
  return name
}
const client = () => new PetstoreClient({ baseUrl: service.url, apiKey: service.key })
const count = async () => (await Array.fromAsync(client().listPets())).length

describe('pets', () => {
  test('adds, lists and fetches pets, for people', async () => {
    const added = await pets(['add', 'Rex\u001b[31m', '--category', '9223372036854775807', '--status', 'sold'])
    expect(added).toEqual({
      status: 0,
      stderr: '',
      stdout: 'ID  NAME      CATEGORY             STATUS\n1   Rex\ufffd[31m  9223372036854775807  sold\n',
    })
    expect((await pets(['list', '--status', 'sold'])).stdout).toBe(added.stdout)
    const got = await pets(['get', '1'])
    expect(got.stdout).toBe(added.stdout)
    expect(got.stderr).toContain('getPet is deprecated, and will be removed on 2030-12-05')
  })

  test('prints exact JSON, for programs', async () => {
    const exact = '{"id":2,"name":"Mia","categoryId":-9223372036854775808,"status":"available"}\n'
    expect((await pets(['add', 'Mia', '--category', '-9223372036854775808', '--json'])).stdout).toBe(exact)
    expect((await pets(['get', '2', '--json'])).stdout).toBe(exact)
    expect((await pets(['list', '--status', 'available', '--json'])).stdout).toBe(`[\n${exact}]\n`)
    expect((await pets(['list', '--status', 'pending', '--json'])).stdout).toBe('[]\n')
  })

  test('a table fits the terminal, whatever the names, in colour unless NO_COLOR forbids it; a pipe gets all', async () => {
    const shop = await startService()
    const long = '\u{1F436}名'.repeat(60)
    for (const name of [long, 'Rex']) await shop.post(petBody({ name }))
    const env = { PETSTORE_URL: shop.url, PETSTORE_API_KEY: shop.key }
    for (const more of [{}, { NO_COLOR: '1' }]) {
      const terminal = openTerminal(['pets', 'list'], { ...env, ...more })
      expect(await terminal.exited).toBe(0)
      const lines = plain(terminal.shown()).trimEnd().split('\n')
      expect(lines.map((line) => Bun.stringWidth(line)).filter((width) => width > 80)).toEqual([])
      expect(lines[1]).toMatch(/^1 {3}(\u{1F436}名)+.?… +7 +available$/u)
      expect(lines[2]).toMatch(/^2 {3}Rex +7 +available$/)
      expect(terminal.shown().includes('\x1b[1m')).toBe(!('NO_COLOR' in more))
    }
    expect((await run(['pets', 'list'], { env })).stdout).toContain(`1   ${long}  7 `)
    await shop.stop()
  })

  test('says when there are more', async () => {
    expect((await pets(['list', '--limit', '1'])).stderr).toContain('--all')
    expect((await pets(['list', '--all'])).stderr).toBe('')
  })

  test.each([
    [['get', '404'], 1, 'No pet has id 404.'],
    [['add', '', '--category', '1'], 1, 'name must be'],
    [['add', 'Rex', '--category', '9223372036854775808'], 2, '64-bit integer'],
    [['add', 'Rex'], 2, "required option '--category <id>'"],
    [['lst'], 2, 'Did you mean list?'],
    [['list', '--stauts', 'sold'], 2, 'Did you mean --status?'],
    [['list', '--status', 'gone'], 2, 'available, pending, sold'],
    [['list', '--limit', '0'], 2, 'It must be a number from 1'],
    [['import', 'nothing.csv'], 1, 'There is no file nothing.csv.'],
    [['import', '.'], 1, '--format'],
    [['export', 'pets.txt'], 1, '--format'],
  ])('%j ends with %d: %s', async (args, status, says) => {
    const ended = await pets(args)
    expect([ended.status, ended.stdout]).toEqual([status, ''])
    expect(ended.stderr).toContain(says)
    expect(ended.stderr).not.toContain('    at ')
  })

  test('exits with 3 when the service does not respond, with 4 when it refuses the key', async () => {
    const away = await pets(['list'], { env: { ...connection(), PETSTORE_URL: 'http://127.0.0.1:1' } })
    expect([away.status, away.stderr]).toEqual([3, expect.stringContaining('http://127.0.0.1:1/v1 cannot be reached')])
    const readOnly = await service.addKey({ readOnly: true })
    const refused = await pets(['add', 'Rex', '--category', '1', '--api-key', readOnly])
    expect([refused.status, refused.stderr]).toEqual([4, expect.stringContaining('read-only')])
    const keyless = await pets(['list'], { env: { HOME: cwd } })
    expect([keyless.status, keyless.stderr]).toEqual([1, expect.stringContaining('petstore login')])
  })

  test('exits quietly when the reader closes the pipe', async () => {
    const command = ['sh', '-c', `'${join(root, 'bin/petstore')}' pets list --all --json | head -c 1`]
    expect(await run([], { cwd, env: connection(), command })).toEqual({ stdout: '[', stderr: '', status: 0 })
  })
})

test('without an address, PETSTORE_HOST and PETSTORE_PORT name the service', async () => {
  const { port } = new URL(service.url)
  const env = { HOME: cwd, PETSTORE_API_KEY: service.key, PETSTORE_HOST: '0.0.0.0', PETSTORE_PORT: port }
  expect((await pets(['list'], { env })).status).toBe(0)
  const login = ['sh', '-c', `echo '${service.key}' | '${join(root, 'bin/petstore')}' login`]
  const home = mkdtempSync(temporaryFile('home-'))
  const { status, stderr } = await run([], { cwd, env: { HOME: home, PETSTORE_PORT: port }, command: login })
  expect([status, stderr]).toEqual([0, expect.stringContaining(`Logged in to http://127.0.0.1:${port}/v1.`)])
})

test('help shows a command within a command', async () => {
  const direct = await run(['keys', 'rotate', '--help'], { cwd })
  expect(direct.stdout).toContain('petstore keys rotate')
  expect(await run(['help', 'keys', 'rotate'], { cwd })).toEqual(direct)
  expect((await run(['help'], { cwd })).stdout).toContain('Exit statuses')
  expect(await run(['help', 'keys', 'rotat'], { cwd })).toMatchObject({ status: 2, stdout: '' })
})

describe('login', () => {
  test('saves a key that the service accepts, readable only by its owner, for that address only', async () => {
    const home = mkdtempSync(temporaryFile('home-'))
    const env = { HOME: home, PETSTORE_URL: service.url }
    const stdin = (text: string) => ['sh', '-c', `printf '%s\\n' '${text}' | '${join(root, 'bin/petstore')}' login`]
    const unknown = 'pets_live_0000000000000000000000000000'
    const mistyped = await run([], { cwd, env, command: stdin(unknown) })
    expect([mistyped.status, mistyped.stderr]).toEqual([1, expect.stringMatching(/mistyped: one has pets_live_ or/)])
    const loggedIn = await run([], { cwd, env, command: stdin(service.key) })
    expect(loggedIn).toMatchObject({ status: 0, stdout: '' })
    expect(loggedIn.stderr).not.toContain(service.key)
    const kept = join(home, '.config/petstore/login.json')
    expect(statSync(kept).mode & 0o777).toBe(0o600)
    expect((await run(['pets', 'list'], { cwd, env: { HOME: home } })).status).toBe(0)
    const elsewhere = await run(['pets', 'list', '--url', 'http://127.0.0.1:1'], { cwd, env: { HOME: home } })
    expect(elsewhere.stderr).toContain('There is no API key for http://127.0.0.1:1/v1')
    await run(['logout'], { cwd, env: { HOME: home } })
    expect((await run(['pets', 'list'], { cwd, env: { HOME: home } })).stderr).toContain('no API key')
  })
})

describe('import and export', () => {
  test.each(['csv', 'json', 'ndjson'])(
    'what was exported as %s is imported, and only once',
    async (format) => {
      const name = 'a "b", c\r\n\u001b\u{1F436}'
      const awkward = newPet({ name, categoryId: 2n ** 63n - 1n, status: 'pending' })
      await client().createPet(awkward)
      const exported = await pets(['export', `all.${format}`])
      expect(exported).toMatchObject({ status: 0, stdout: '' })
      const before = await count()
      const first = await pets(['import', `all.${format}`, '--json'])
      expect(first).toEqual({ status: 0, stderr: '', stdout: `{"added":${before},"present":0,"refused":0}\n` })
      const again = await pets(['import', `all.${format}`])
      expect(again).toMatchObject({ status: 0, stderr: expect.stringContaining(`${before} more`) })
      expect(await count()).toBe(2 * before)
      // An import sends many at a time, so the order may differ.
      const imported = (await Array.fromAsync(client().listPets())).slice(before)
      expect(imported.map((pet) => pet.name)).toContain(awkward.name)
      expect((await pets(['import', `all.${format}`, '--again', '--json'])).stdout).toContain(`"added":${before},`)
    },
    20_000,
  )

  test('names each bad record by its line; corrected in place, the rest is added', async () => {
    const [good, bad] = [petBody({ name: 'good' }), petBody({ name: '', categoryId: 'x' })]
    const name = file('mixed.ndjson', [good, bad, '', good, '{'].join('\n'))
    const before = await count()
    const first = await pets(['import', name, '--keep-going'])
    expect(first.status).toBe(5)
    expect(first.stderr).toContain('line 2: name must be 1 to 255 characters long. categoryId must be an integer.\n')
    expect(first.stderr).toContain('line 5: It is not valid JSON: ')
    file('mixed.ndjson', [good, good, '', good, ''].join('\n'))
    const second = await pets(['import', name, '--json'])
    expect(second).toMatchObject({ status: 0, stdout: '{"added":1,"present":2,"refused":0}\n' })
    expect(await count()).toBe(before + 3)
  })

  test('names the bad records in the order of the file', async () => {
    const lines = Array.from({ length: 300 }, (_, n) =>
      n % 3 === 0 ? petBody({ name: '' }) : n % 3 === 1 ? '{' : petBody(),
    )
    const { stderr } = await pets(['import', file('order.ndjson', lines.join('\n')), '--keep-going'])
    const named = [...stderr.matchAll(/^line (\d+):/gm)].map(([, line]) => Number(line))
    expect(named.length).toBe(200)
    expect(named).toEqual(named.toSorted((a, b) => a - b))
  })

  test('says that a file has no records', async () => {
    for (const name of ['empty.csv', 'empty.ndjson']) {
      const ended = await pets(['import', file(name, '')])
      expect(ended).toEqual({ status: 0, stdout: '', stderr: `There are no records in ${name}.\n` })
    }
    const json = await pets(['import', file('empty.json', '')])
    expect([json.status, json.stderr]).toEqual([1, expect.stringContaining('the file is empty')])
  })

  test('says once that it waits, and why', async () => {
    const shop = await serve(['--ephemeral'], { env: { PETSTORE_RATE_LIMIT: '20/s' } })
    const name = file('slow.ndjson', Array.from({ length: 45 }, () => petBody()).join('\n'))
    const ended = await pets(['import', name], { env: { PETSTORE_URL: shop.url, PETSTORE_API_KEY: shop.key } })
    expect(ended.stderr).toMatch(/^Waiting: .*requests.*\n/)
    expect(ended.stderr).toContain('Added 45 pets.')
    await shop.stop()
  }, 20_000)

  test('stops at the first bad record by default', async () => {
    const many = Array.from({ length: 500 }, (_, n) => petBody({ name: `pet ${n}` }))
    const ended = await pets(['import', file('first.ndjson', ['7', ...many].join('\n')), '--json'])
    expect(ended.status).toBe(5)
    expect(JSON.parse(ended.stdout).added).toBeLessThan(100)
  })

  test('reads standard input, and refuses a file that is not UTF-8', async () => {
    const text = 'name,categoryId\\nStdin,1\\n'
    const command = (bytes: string) => [
      'sh',
      '-c',
      `printf '${bytes}' | '${join(root, 'bin/petstore')}' pets import - --format csv --as one`,
    ]
    for (const added of [1, 0]) {
      const { stderr } = await run([], { cwd, env: connection(), command: command(text) })
      expect(stderr).toContain(`Added ${added} pet`)
    }
    const latin1 = await run([], { cwd, env: connection(), command: command(`${text}\\351,2\\n`) })
    expect([latin1.status, latin1.stderr]).toEqual([1, expect.stringContaining('not UTF-8')])
  })

  test('an export that fails leaves the file as it was', async () => {
    file('kept.csv', 'before')
    const failed = await pets(['export', 'kept.csv'], {
      env: { ...connection(), PETSTORE_API_KEY: 'pets_live_0000000000000000000000000000' },
    })
    expect(failed.status).toBe(1)
    expect(readFileSync(join(cwd, 'kept.csv'), 'utf8')).toBe('before')
    expect((await pets(['export', 'no/such/folder.csv'])).stderr).toContain('cannot be written (ENOENT)')
  })

  test.skipIf(process.platform !== 'linux')(
    'a file takes less memory than its size',
    async () => {
      const record = `${petBody({ name: 'large', more: 'x'.repeat(20_000) })}
`
      const name = file('large.ndjson', record.repeat(12_000))
      const child = Bun.spawn([join(root, 'bin/petstore'), 'pets', 'import', name], {
        cwd,
        env: { PATH: process.env.PATH ?? '', ...connection() },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      // Not the resource usage at its end: that counts the memory of the process that started it.
      let peakKib = 0
      while (child.exitCode === null) {
        peakKib = Math.max(peakKib, peakMemoryKib(child.pid))
        await Bun.sleep(20)
      }
      expect(await child.stderr.text()).toContain('Added 12000 pets.')
      expect(peakKib * 1024).toBeLessThan(12_000 * record.length)
      expect(peakKib).toBeGreaterThan(0)
    },
    30_000,
  )
})

/** The most memory that a process has had so far, as Linux tells it; 0 once it has ended. */
function peakMemoryKib(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

describe('an import that is stopped half-way', () => {
  const lines = (length: number) => Array.from({ length }, (_, n) => petBody({ name: `pet ${n}` })).join('\n')

  test.each([
    ['SIGKILL', 137],
    ['SIGINT', 130],
  ] as const)(
    'by %s: run again, it adds the rest and nothing twice',
    async (signal, status) => {
      const shop = await startService()
      const env = { PATH: process.env.PATH ?? '', PETSTORE_URL: shop.url, PETSTORE_API_KEY: shop.key }
      const name = file(`${signal}.ndjson`, lines(10_000))
      const command = [join(root, 'bin/petstore'), 'pets', 'import', name]
      const child = Bun.spawn(command, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] })
      while (petsOf(await shop.store.listPets({ limit: 100 })).length < 100) await Bun.sleep(5)
      child.kill(signal)
      expect(await child.exited).toBe(status)
      if (signal === 'SIGINT') expect(await child.stderr.text()).toContain('Run the same import again')
      const again = await run(['pets', 'import', name, '--json'], { cwd, env })
      const { added, present } = JSON.parse(again.stdout)
      expect(added).toBeGreaterThan(0)
      expect(present).toBeGreaterThanOrEqual(100)
      expect(added + present).toBe(10_000)
      const all = await Array.fromAsync(new PetstoreClient({ baseUrl: shop.url, apiKey: shop.key }).listPets())
      expect(new Set(all.map((pet) => pet.name)).size).toBe(10_000)
      expect(all.length).toBe(10_000)
      await shop.stop()
    },
    60_000,
  )

  test('a service that is killed and comes back does not stop it', async () => {
    const folder = mkdtempSync(temporaryFile('shop-'))
    const first = await serve([], { cwd: folder })
    const port = new URL(first.url).port
    const env = { PATH: process.env.PATH ?? '', PETSTORE_URL: first.url, PETSTORE_API_KEY: first.key }
    const name = file('restart.ndjson', lines(8_000))
    const importing = run(['pets', 'import', name, '--json'], { cwd, env })
    const shop = new PetstoreClient({ baseUrl: first.url, apiKey: first.key })
    while ((await shop.listPage({ limit: 100 })).pets.length < 100) await Bun.sleep(5)
    await first.stop('SIGKILL')
    const second = await serve(['--port', port], { cwd: folder })
    const { status, stdout } = await importing
    // What was added just before the end, its answer lost, may be counted as there already.
    const { added, present, refused } = JSON.parse(stdout)
    expect([status, added + present, refused]).toEqual([0, 8_000, 0])
    expect((await Array.fromAsync(shop.listPets())).length).toBe(8_000)
    expect(await second.stop()).toBe(0)
  }, 60_000)
})

describe('sample pets', () => {
  test('petstore demo adds them', async () => {
    const before = await count()
    expect((await run(['demo', '--yes'], { cwd, env: connection() })).status).toBe(0)
    expect(await count()).toBe(before + samplePets.length)
  })

  test('petstore demo adds none to pets without --yes, where it cannot ask', async () => {
    const empty = await serve(['--ephemeral'])
    const env = { PETSTORE_URL: empty.url, PETSTORE_API_KEY: empty.key }
    expect((await run(['demo'], { cwd, env })).status).toBe(0)
    const again = await run(['demo'], { cwd, env })
    expect([again.status, again.stdout, again.stderr]).toEqual([1, '', expect.stringContaining('petstore demo --yes')])
    const shop = new PetstoreClient({ baseUrl: empty.url, apiKey: empty.key })
    expect((await Array.fromAsync(shop.listPets())).length).toBe(samplePets.length)
    await empty.stop()
  })

  test('a rate limit does not slow the sample pets of serve --ephemeral --demo', async () => {
    const demo = await serve(['--ephemeral', '--demo'], { env: { PETSTORE_RATE_LIMIT: '1/m' } })
    const shop = new PetstoreClient({ baseUrl: demo.url, apiKey: demo.key })
    const { pets: first } = await shop.listPage({ limit: 100 })
    expect(first.map(({ name }) => name)).toEqual(samplePets.map(({ name }) => name))
    await demo.stop()
  }, 10_000)

  test('serve --ephemeral --demo starts with them; --demo alone is refused', async () => {
    const demo = await serve(['--ephemeral', '--demo'])
    const shop = new PetstoreClient({ baseUrl: demo.url, apiKey: demo.key })
    expect((await Array.fromAsync(shop.listPets())).length).toBe(samplePets.length)
    expect(await demo.stop()).toBe(0)
    expect(await run(['serve', '--demo'], { cwd })).toMatchObject({ status: 2, stdout: '' })
  })
})

test('completes names of keys in force, and ids of those whose name is not one word', async () => {
  const env = { PETSTORE_DATABASE: temporaryFile('keys.db') }
  for (const name of ['till-1', 'till 2', 'lost']) await run(['keys', 'create', '--name', name], { env })
  await run(['keys', 'revoke', 'lost'], { env })
  const complete = async (...words: string[]) => (await run(['complete', '--', ...words], { env })).stdout
  expect(await complete('keys', 'revoke', '')).toBe('till-1\tkey 1\n2\ttill 2\n:4\n')
  expect(await complete('keys', 'rotate', 'ti')).toBe('till-1\tkey 1\n:4\n')
  const none = { PETSTORE_DATABASE: temporaryFile('none.db') }
  expect((await run(['complete', '--', 'keys', 'revoke', ''], { env: none })).stdout).toBe(':4\n')
})

test('completes in bash without the package bash-completion', async () => {
  const script = `source <(petstore completion bash)
    COMP_WORDS=(petstore keys ro); COMP_CWORD=2; COMP_LINE='petstore keys ro'; COMP_POINT=16
    compopt() { :; }; __petstore_complete; printf '%s\\n' "\${COMPREPLY[@]}"`
  const PATH = `${join(root, 'bin')}:${process.env.PATH}`
  const ended = await run([], { cwd, env: { PATH }, command: ['bash', '--norc', '-c', script] })
  expect([ended.stderr, ended.stdout]).toEqual(['', 'rotate\n'])
})

test('completes commands, options and their values', async () => {
  const complete = async (...words: string[]) => (await run(['complete', '--', ...words], { cwd })).stdout
  expect(await complete('pe')).toContain('pets')
  expect(await complete('pets', 'i')).toContain('import')
  expect(await complete('pets', 'list', '--s')).toContain('--status')
  expect(await complete('pets', 'list', '--status', '')).toContain('pending')
  for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
    expect((await run(['completion', shell], { cwd })).stdout).toContain('petstore complete')
  }
})
