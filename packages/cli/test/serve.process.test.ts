// `petstore serve`: the start, its output and its log.

import { describe, expect, test } from 'bun:test'
import { closeSync, constants, openSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFile } from '../../../test/support/files.ts'
import { petBody } from '../../../test/support/pets.ts'
import { ask, launcher, root, run, serve, sourceWith } from '../../../test/support/process.ts'
import { openTerminal, plain } from '../../../test/support/terminal.ts'
import { WAIT_MAX_S } from '../../contract/src/generated.ts'
import { readConfig } from '../../service/src/config/read-config.ts'
import { generateKey } from '../../service/src/domain/keys.ts'
import { announcement } from '../src/welcome.ts'

const PET = petBody({ categoryId: 9223372036854775807n })

describe('the first start', () => {
  const file = join(temporaryFile('deep'), 'er', 'petstore.db')

  test('the first start prints one key, an address, and a working curl command that adds Rex', async () => {
    const service = await serve(['--database', file])
    const [, curl = '', answer = ''] = /^ +(curl [\s\S]*?)\n\nThe answer: (.*)$/m.exec(service.stdout()) ?? []
    expect(curl).toContain(service.key)
    const pasted = Bun.spawnSync(['sh', '-c', curl])
    expect(pasted.stdout.toString()).toBe(answer)
    expect(answer).toContain('"name":"Rex"')
    expect(service.stdout()).toMatch(/\npetstore listening on http:\/\/127\.0\.0\.1:\d+\/v1\n$/)
    expect(await service.stop()).toBe(0)
    expect(service.stderr()).not.toContain(service.key)
  })

  test('the second start prints no key; both print the addresses and the file, which only its owner can read', async () => {
    const service = await serve(['--database', file, '--environment', 'staging'])
    const { origin } = new URL(service.url)
    expect(service.stdout()).toBe(`
Page         ${origin}/
Reference    ${origin}/docs
API          ${origin}/v1
Data         ${file}
Another key  ${Bun.which('petstore') ?? launcher} keys create --name NAME --database ${file} --environment staging

petstore listening on ${service.url}
`)
    await service.stop()
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })
})

test('the command for another key has the address of a PostgreSQL database, without its password', () => {
  const config = readConfig({ PETSTORE_DATABASE: 'postgres://shop:secret@db.example/pets' })
  const started = { url: 'http://127.0.0.1:8080/v1', config, metrics: undefined }
  const text = announcement(started, { json: false, ephemeral: false, worker: false })(undefined)
  const [, command] = /^Another key {2}(.*)$/m.exec(text) ?? []
  expect(command).toStartWith('PETSTORE_DATABASE=postgres://USER:PASSWORD@db.example:5432/pets ')
  expect(command).toEndWith(' keys create --name NAME')
  expect(text).not.toContain('secret')
})

test('a start that fails before the welcome creates no key', async () => {
  const [database, preload] = [temporaryFile('a.db'), temporaryFile('preload.ts')]
  writeFileSync(preload, "Bun.which = () => { throw new Error('broken') }")
  const args = ['serve', '--port', '0', '--database', database]
  const { status, stdout, stderr } = await run(args, { command: sourceWith(preload) })
  expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: '', stderr: expect.stringContaining('broken') })
  const again = await serve(['--database', database])
  expect(again.key).toBeDefined()
  await again.stop()
})

test('a first start continues if standard output is closed, and logs how to create a key', async () => {
  const path = temporaryFile('stdout')
  Bun.spawnSync(['mkfifo', path])
  const reader = openSync(path, constants.O_RDWR)
  const launch = `exec >'${path}'; echo opened >&2; exec "$0" serve --port 0 --database '${temporaryFile('a.db')}'`
  const child = Bun.spawn(['sh', '-c', launch, join(root, 'bin/petstore')], { stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
    if (stderr === '') closeSync(reader)
    if (!stderr.includes('keys create') && text.includes('keys create')) child.kill('SIGTERM')
    stderr += text
  }
  expect(stderr).toContain('`petstore keys create` creates a key')
  expect(stderr).not.toContain(' at ')
  expect(await child.exited).toBe(0)
})

test('at a terminal, output fits 80 columns, and the log is readable and omits changes', async () => {
  const terminal = openTerminal(['serve', '--port', '0'], { PETSTORE_PROT: '3000' })
  await terminal.waitFor('PETSTORE_PROT')
  await terminal.waitFor('listening on')
  const key = /pets_live_\w+/.exec(terminal.shown())?.[0] as string
  const url = /listening on (\S+)/.exec(terminal.shown())?.[1] as string
  expect((await ask('POST', `${url}/pets`, key, PET)).status).toBe(201)
  terminal.type('\x03')
  expect(await terminal.exited).toBe(0)
  const shown = plain(terminal.shown())
  expect(shown).toMatch(/^[\d:]{8} warn {2}unknown PETSTORE_ variables are ignored variables=\["PETSTORE_PROT"\]$/m)
  expect(shown).not.toContain('createPet')
  const wide = (shown.split('petstore listening')[0] ?? '')
    .split('\n')
    .filter((line) => line.length > 80 && !/^(Data|Another key|[\d:]{8}) /.test(line))
  expect(wide).toEqual([])
  expect(terminal.shown()).toContain('\x1b[33mwarn')
})

test('--json prints one JSON line', async () => {
  const flags = ['serve', '--port', '0', '--json', '--ephemeral', '--stdin']
  // Standard input is empty, so the service stops immediately.
  const { status, stdout } = await run(flags)
  const [url, apiKey] = [expect.stringMatching(/^http:.*\/v1$/), expect.stringMatching(/^pets_test_/)]
  expect([status, JSON.parse(stdout)]).toEqual([0, { url, apiKey }])
})

test('--ephemeral prints its key, then its address, and writes no file', async () => {
  const cwd = temporaryFile('cwd').slice(0, -4)
  const service = await serve(['--ephemeral'], { cwd })
  expect(service.stdout()).toMatch(/^key: pets_test_\w{28}\npetstore listening on \S+\n$/)
  expect((await ask('POST', `${service.url}/pets`, service.key, PET)).status).toBe(201)
  expect(await service.stop()).toBe(0)
  expect([...new Bun.Glob('**').scanSync(cwd)]).toEqual([])
})

test.concurrent.each([
  { args: [], env: { PETSTORE_BASE_URL: 'https://petstore.example/v1' } },
  { args: [], env: { PETSTORE_ENVIRONMENT: 'production' } },
  { args: ['--environment', 'production'], env: {} },
])('--ephemeral has a production key with a production setting: %p', async ({ args, env }) => {
  const service = await serve(['--ephemeral', ...args], { env })
  expect(service.stdout()).toMatch(/^key: pets_live_/)
  await service.stop()
})

describe.concurrent('PETSTORE_BOOTSTRAP_KEY', () => {
  const key = generateKey('production')

  test('PETSTORE_BOOTSTRAP_KEY is the first key, is not printed, and can be given at every start', async () => {
    const file = temporaryFile('a.db')
    for (const args of [['--database', file], ['--database', file], ['--ephemeral']]) {
      const service = await serve(args, { env: { PETSTORE_BOOTSTRAP_KEY: key } })
      if (args[1] === file) expect(service.stdout()).not.toContain('pets_')
      expect([args, (await ask('GET', `${service.url}/pets`, key)).status]).toEqual([args, 200])
      await service.stop()
      expect(service.stderr()).not.toContain('PETSTORE_BOOTSTRAP_KEY')
    }
  })

  test('PETSTORE_BOOTSTRAP_KEY is not added to a store that has keys, and the log reports this without the key', async () => {
    const file = temporaryFile('a.db')
    await (await serve(['--database', file])).stop()
    const service = await serve(['--database', file], { env: { PETSTORE_BOOTSTRAP_KEY: key } })
    expect((await ask('GET', `${service.url}/pets`, key)).status).toBe(401)
    await service.stop()
    expect(service.stderr()).toContain('PETSTORE_BOOTSTRAP_KEY is not used')
    expect(service.stderr()).not.toContain(key)
  })
})

test('a deprecated operation responds with 410 after its sunset, unless PETSTORE_SUNSET=announce', async () => {
  const command = sourceWith('clock-2031.ts')
  const removed = await serve(['--ephemeral'], { command })
  const { status, text } = await ask('GET', `${removed.url}/pets/1`, removed.key)
  expect([status, JSON.parse(text).code]).toEqual([410, 'operation_removed'])
  expect((await ask('GET', `${removed.url}/pets`, removed.key)).status).toBe(200)
  await removed.stop()
  const announced = await serve(['--ephemeral'], { command, env: { PETSTORE_SUNSET: 'announce' } })
  expect((await ask('GET', `${announced.url}/pets/1`, announced.key)).status).toBe(404)
  await announced.stop()
})

test('the log names unknown variables, and variables that have no effect without others', async () => {
  const kubernetes = { PETSTORE_SERVICE_HOST: '10.0.0.1', PETSTORE_PORT_80_TCP: 'x' }
  const unknown = { PETSTORE_PROT: '1', PETSTORE_URL_FILE: 'x', PETSTORE_API_KEY_FILE: 'x', ...kubernetes }
  const idle = { PETSTORE_BACKUP_EVERY: '1h', PETSTORE_BACKUP_KEEP: '3', PETSTORE_ADMIN_HOST: '127.0.0.1' }
  const warnings = async (more = {}) => {
    const service = await serve(['--ephemeral'], { env: { ...idle, ...more } })
    await service.stop()
    const lines = service.stderr().split('\n')
    return lines.filter((line) => line.includes('"warn"')).map((line) => JSON.parse(line))
  }
  expect(await warnings(unknown)).toEqual([
    expect.objectContaining({ variables: ['PETSTORE_PROT', 'PETSTORE_URL_FILE'] }),
    expect.objectContaining({
      msg: 'PETSTORE_ variables have no effect without others',
      variables: ['PETSTORE_ADMIN_HOST', 'PETSTORE_BACKUP_EVERY', 'PETSTORE_BACKUP_KEEP'],
      missing: ['PETSTORE_ADMIN_PORT', 'PETSTORE_BACKUP_DIR'],
    }),
  ])
  expect(await warnings({ PETSTORE_ADMIN_PORT: '0', PETSTORE_BACKUP_DIR: temporaryFile('backups') })).toEqual([])
})

test('PETSTORE_MAX_WAITING limits the waiting requests, and PETSTORE_LOG_LEVEL=silent logs nothing', async () => {
  const service = await serve(['--ephemeral'], { env: { PETSTORE_MAX_WAITING: '1', PETSTORE_LOG_LEVEL: 'silent' } })
  await ask('POST', `${service.url}/pets`, service.key, PET)
  const waits = [1, 2].map(() => ask('GET', `${service.url}/store/events?from=now&wait=${WAIT_MAX_S}`, service.key))
  expect((await Promise.race(waits)).status).toBe(503)
  await service.stop()
  expect((await Promise.all(waits)).map(({ status }) => status).sort()).toEqual([200, 503])
  expect(service.stderr()).toBe('')
})
