// `petstore login` and `logout`, and which service and key commands use.

import { describe, expect, test } from 'bun:test'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { ended } from '../../../test/support/ended.ts'
import { temporaryFile } from '../../../test/support/files.ts'
import { launcher, run } from '../../../test/support/process.ts'
import { openShop } from '../../../test/support/shop.ts'
import { openTerminal } from '../../../test/support/terminal.ts'
import { generateKey } from '../../service/src/domain/keys.ts'

const { cwd, pets, service } = await openShop()

describe('a saved login', () => {
  const home = fs.mkdtempSync(temporaryFile('home-'))
  const port = new URL(service.url).port
  const savedElsewhere = () => {
    fs.mkdirSync(join(home, '.config/petstore'), { recursive: true })
    const login = { url: 'http://127.0.0.1:1/v1', apiKey: generateKey('production') }
    fs.writeFileSync(join(home, '.config/petstore/login.json'), JSON.stringify(login))
  }
  const saved = { HOME: home }

  test.each<[string, Record<string, string>, string[], number, string]>([
    ['is used', {}, [], 3, 'http://127.0.0.1:1/v1 cannot be reached'],
    ['does not send its key to another address', { PETSTORE_URL: service.url }, [], 4, `no API key for ${service.url}`],
    ['does not send its key to another port', { PETSTORE_PORT: port }, [], 4, `no API key for ${service.url}`],
    ['is overridden by a key and a port', { PETSTORE_API_KEY: service.key, PETSTORE_PORT: port }, [], 0, ''],
    ['is overridden by a key in a flag and a port', { PETSTORE_PORT: port }, ['--api-key', service.key], 0, ''],
  ])('%s', async (_what, env, args, status, message) => {
    savedElsewhere()
    expect(await pets(['list', ...args], { env: { ...saved, ...env } })).toEqual(ended(status, message))
  })

  test('a saved login is not used if only a key is given', async () => {
    savedElsewhere()
    const { stdout } = await run(['status'], { cwd, env: { ...saved, PETSTORE_API_KEY: generateKey('production') } })
    expect(stdout).toStartWith('Service  http://127.0.0.1:8080/v1\n')
  })

  test('a saved login that is damaged only affects commands that need it', async () => {
    savedElsewhere()
    fs.writeFileSync(join(home, '.config/petstore/login.json'), '{')
    expect(
      (await pets(['list'], { env: { ...saved, PETSTORE_API_KEY: service.key, PETSTORE_PORT: port } })).status,
    ).toBe(0)
    expect((await pets(['list'], { env: saved })).stderr).toContain('login.json is damaged')
  })
})

test.each<[string, string[], Record<string, string>, number]>([
  ['a mistyped key in the environment', ['pets', 'list'], { PETSTORE_API_KEY: 'pets_live_0' }, 4],
  ['a mistyped key in a flag', ['inventory', '--api-key', 'pets_live_0'], {}, 4],
  ['a mistyped key and a wrong flag', ['inventory', '--api-key', 'pets_live_0', '--url', 'ftp://a'], {}, 2],
  ['a mistyped key and a wrong address', ['inventory'], { PETSTORE_API_KEY: 'pets_live_0', PETSTORE_URL: 'a' }, 1],
  ['a missing key file', ['inventory'], { PETSTORE_API_KEY_FILE: '/none' }, 1],
  ['a mistyped first key of a service', ['serve'], { PETSTORE_BOOTSTRAP_KEY: 'pets_live_0' }, 1],
])('the exit status of %s', async (_what, args, env, status) => {
  expect(await run(args, { cwd, env })).toMatchObject({ status, stdout: '' })
})

test('login shows its questions and the address, but not the key', async () => {
  const env = { HOME: fs.mkdtempSync(temporaryFile('home-')), NO_COLOR: '1' }
  const terminal = openTerminal(['login'], env, 40)
  let expected = 'Address of the service [http://127.0.0.1:8080/v1]: '
  await terminal.waitForScreen(expected)
  terminal.type(`${service.url}x`)
  await terminal.waitForScreen(`${expected}${service.url}x`)
  terminal.type('\x7f')
  expected += service.url
  await terminal.waitForScreen(expected)
  terminal.type('\r')
  expected += `\r\nAPI key for ${service.url} (not shown): `
  await terminal.waitForScreen(expected)
  terminal.type(`${service.key}\r`)
  expect(await terminal.exited).toBe(0)
  await terminal.waitForScreen(`${expected}\r\nLogged in to ${service.url}. petstore logout deletes the saved key.`)
  expect(terminal.shown()).not.toContain(service.key)
})

test('login saves nothing after Ctrl-C', async () => {
  const terminal = openTerminal(['login'], { HOME: fs.mkdtempSync(temporaryFile('home-')), NO_COLOR: '1' })
  await terminal.waitFor('Address')
  terminal.type('\x03')
  expect(await terminal.exited).toBe(1)
  expect(terminal.screen()).toContain('\npetstore: Nothing was saved.')
})

test('login saves a key that the service accepts, for that address only, and readable only by its owner', async () => {
  const home = fs.mkdtempSync(temporaryFile('home-'))
  const env = { HOME: home, PETSTORE_PORT: new URL(service.url).port }
  const login = (key: string) => run(['login'], { cwd, env, stdin: `${key}\n` })
  const unknown = 'pets_live_0000000000000000000000000000'
  expect(await login(unknown)).toEqual(ended(4, /mistyped or not an API key: keys are pets_live_ or/))
  const empty = await login('')
  expect([empty.status, empty.stderr]).toEqual([4, 'petstore: No API key was given. Nothing was saved.\n'])
  const loggedIn = await login(service.key)
  expect(loggedIn).toMatchObject({ status: 0, stdout: '' })
  expect(loggedIn.stderr).toContain(`Logged in to ${service.url}.`)
  expect(loggedIn.stderr).not.toContain(service.key)
  const kept = join(home, '.config/petstore/login.json')
  expect(fs.statSync(kept).mode & 0o777).toBe(0o600)
  const target = join(home, 'login-of-a-team')
  fs.renameSync(kept, target)
  fs.symlinkSync(target, kept)
  fs.chmodSync(target, 0o644)
  expect((await login(service.key)).status).toBe(0)
  expect([fs.lstatSync(kept).isSymbolicLink(), fs.statSync(target).mode & 0o777]).toEqual([true, 0o600])
  expect((await run(['pets', 'list'], { cwd, env: { HOME: home } })).status).toBe(0)
  const elsewhere = await run(['pets', 'list', '--url', 'http://127.0.0.1:1'], { cwd, env: { HOME: home } })
  expect(elsewhere.stderr).toContain('There is no API key for http://127.0.0.1:1/v1')
  const other = { PETSTORE_URL: 'http://127.0.0.1:1', PETSTORE_API_KEY: service.key }
  expect((await run(['pets', 'list', '--port', env.PETSTORE_PORT], { env: other })).status).toBe(0)
  const both = await run(['pets', 'list', '--port', '3000', '--url', service.url], { env: other })
  expect(both).toEqual(ended(2, /'--port <number>' cannot be used with option '--url <address>'/))
  await run(['logout'], { cwd, env: { HOME: home } })
  expect([fs.existsSync(target), fs.lstatSync(kept).isSymbolicLink()]).toEqual([false, true])
  expect((await run(['pets', 'list'], { cwd, env: { HOME: home } })).stderr).toContain('no API key')
})

test.each(['login', 'logout', 'pets list'])(
  '%s leaves a pipe behind the link of the saved login as it is',
  async (name) => {
    const home = fs.mkdtempSync(temporaryFile('home-'))
    const pipe = join(home, 'pipe')
    fs.mkdirSync(join(home, '.config/petstore'), { recursive: true })
    expect(Bun.spawnSync(['mkfifo', '-m', '644', pipe]).exitCode).toBe(0)
    fs.symlinkSync(pipe, join(home, '.config/petstore/login.json'))
    const env = { HOME: home, PETSTORE_URL: service.url }
    const { status, stderr } = await run(name.split(' '), { cwd, env, stdin: `${service.key}\n` })
    expect([status, stderr]).toEqual([1, expect.stringContaining('login.json must be a file')])
    expect([fs.statSync(pipe).isFIFO(), fs.statSync(pipe).mode & 0o777]).toEqual([true, 0o644])
  },
)

/** A user id without a passwd entry and without HOME, as in a container. It can read the files of root. */
const UNKNOWN = 'setpriv --reuid=54321 --inh-caps=+dac_override --ambient-caps=+dac_override env -u HOME'.split(' ')
const canSwitch = Bun.which('setpriv') !== null && Bun.spawnSync([...UNKNOWN, 'true']).success

test.skipIf(!canSwitch)(
  `works without a home folder${canSwitch ? '' : ': skipped, not root or no setpriv'}`,
  async () => {
    const command = [...UNKNOWN, launcher]
    const env = { PETSTORE_URL: service.url }
    const list = (more = {}) => run(['pets', 'list'], { cwd, env: { ...env, ...more }, command })
    expect((await list({ PETSTORE_API_KEY: service.key })).status).toBe(0)
    const stderr = `petstore: There is no API key for ${service.url}. Run petstore login, or set PETSTORE_API_KEY.\n`
    expect(await list()).toEqual({ status: 4, stdout: '', stderr })
    expect((await run(['status'], { cwd, env, command })).stdout).toContain('ready')
    expect((await run(['logout'], { cwd, env, command })).stderr).toBe('Logged out.\n')
    expect(await run(['login'], { cwd, env, command })).toEqual(ended(1, 'Set HOME or XDG_CONFIG_HOME'))
  },
)
