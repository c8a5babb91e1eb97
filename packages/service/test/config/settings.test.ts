// Parsing of the environment and flags into the configuration.

import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { relative as relativePath } from 'node:path'
import { temporaryFile } from '../../../../test/support/files.ts'
import { root } from '../../../../test/support/process.ts'
import { expectReleased } from '../../../../test/support/released.ts'
import { localUrl, readConfig } from '../../src/config/read-config.ts'
import { CLIENT_SETTINGS, SETTINGS, type Setting, VERIFY_SETTINGS } from '../../src/config/settings.ts'
import { generateKey } from '../../src/domain/keys.ts'

test('every setting has its default', () => {
  expect(readConfig({})).toEqual({
    host: '127.0.0.1',
    port: 8080,
    database: 'data/petstore.db',
    environment: 'production',
    baseUrl: undefined,
    stagingBaseUrl: undefined,
    storeName: 'Petstore',
    categories: undefined,
    bootstrapKey: undefined,
    sunset: 'enforce',
    logLevel: 'info',
    accessLog: 'errors',
    trustedProxies: [],
    rateLimit: undefined,
    maxWaiting: 1_000,
    sharePort: false,
    corsOrigins: [],
    adminPort: undefined,
    adminHost: '127.0.0.1',
    backupDir: undefined,
    backupEvery: 86_400_000,
    backupKeep: 7,
  })
})

test('keeps every variable of a release', () => {
  const all = [SETTINGS, CLIENT_SETTINGS, VERIFY_SETTINGS].flatMap((table): Setting<unknown>[] => Object.values(table))
  const variables = all.map(({ variable }) => variable)
  expectReleased('settings', variables)
})

test('a flag overrides its variable; an empty variable is ignored', () => {
  const config = readConfig({ PETSTORE_PORT: '1', PETSTORE_HOST: '' }, { port: '2' })
  expect(config).toMatchObject({ port: 2, host: '127.0.0.1' })
})

test('the configuration is frozen', () => {
  expect(Object.isFrozen(readConfig({}))).toBe(true)
})

const key = generateKey('production')
test('a secret can be read from a file', () => {
  const file = temporaryFile('key')
  writeFileSync(file, `${key}\n`)
  expect(readConfig({ PETSTORE_BOOTSTRAP_KEY_FILE: file }).bootstrapKey).toBe(key)
})
test('a secret is rejected if it is given twice or its file cannot be read', () => {
  const both = { PETSTORE_BOOTSTRAP_KEY: key, PETSTORE_BOOTSTRAP_KEY_FILE: 'x' }
  expect(() => readConfig(both)).toThrow('set twice')
  expect(() => readConfig({ PETSTORE_BOOTSTRAP_KEY_FILE: '/nothing' })).toThrow('cannot be read')
  expect(() => readConfig({ PETSTORE_BOOTSTRAP_KEY_FILE: '"/key"' })).toThrow('a quote or white space')
})
test('a secret is rejected without being shown if it belongs to the other environment', () => {
  expect(() => readConfig({ PETSTORE_BOOTSTRAP_KEY: key, PETSTORE_ENVIRONMENT: 'staging' })).toThrow(
    /not a key of the environment staging\.$/,
  )
})

const FILES =
  'a.db|/a/b.db|../a.db|./sqlite:x.db|/a/host=b|localhost=1.db|my pets.db|profile:x|a$b~|postgres|/postgres|./postgres:x'.split(
    '|',
  )
const QUOTED = `"/x"|'x'|"x| x|/x |x\r|/x\n|~/x|$HOME/x`.split('|')
const ALMOST_ADDRESSES = [
  '"postgres://a@b/c"| postgres://a@b/c|host=b dbname=c|user=a dbname = c|jdbc:postgresql://b/c|C:\\x.db|c:x.db',
  'DATABASE_URL=postgres://a@b/c|postgres//a:b@c/d|postgresql//a|sqlite:x.db|sqlite3:x.db|file:x.db',
].flatMap((texts) => texts.split('|'))
const HOSTS = ['shop.local', '0.0.0.0', '::']
const NO_HOSTS = [' ', ' a', 'a:80', '[a]', '[]', 'a/b', 'a\nb', 'fe80::1%lo']
const NO_URLS = 'a/v1 https://a/v1/ https://a/v1?x ftp://a/v1 https://a//v1 https://a/b//v1 https://u:p@a/v1'.split(' ')

for (const [variable, good, bad] of [
  ['PETSTORE_HOST', HOSTS, NO_HOSTS],
  ['PETSTORE_ADMIN_HOST', HOSTS, NO_HOSTS],
  ['PETSTORE_PORT', ['0', '65535'], ['-1', '65536', '80.5', 'http', '1e3', ' 80']],
  ['PETSTORE_BASE_URL', ['https://a.example/v1', 'http://a/b/v1'], NO_URLS],
  ['PETSTORE_CORS_ORIGINS', ['*', 'https://a.example, http://b:81'], ['a.example', 'https://a.example/x', 'null']],
  [
    'PETSTORE_TRUSTED_PROXIES',
    ['', '192.0.2.7, 10.0.0.0/8,fd00::/8'],
    ['proxy', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0/8', '*'],
  ],
  ['PETSTORE_ACCESS_LOG', ['off', 'errors', 'all'], ['yes', 'ALL']],
  ['PETSTORE_STORE_NAME', ['Rex', '犬'.repeat(60), ' 7 '], [' ', 'x'.repeat(61), 'a\tb', '\u0301']],
  ['PETSTORE_CATEGORIES', ['a.csv', '-'], QUOTED],
  ['PETSTORE_MAX_WAITING', ['1', '999999'], ['0', '-1', '1.5', '1000000']],
  ['PETSTORE_RATE_LIMIT', ['1/s', '6000/m', '100000/h'], ['0/s', '100', '1.5/s', '-1/s', '1/d', '01/s', ' 1/s']],
  ['PETSTORE_SHARE_PORT', ['yes', 'no'], ['true', 'YES']],
  ['PETSTORE_SUNSET', ['enforce', 'announce'], ['Enforce', 'off']],
  ['PETSTORE_LOG_LEVEL', ['debug', 'silent'], ['trace', 'INFO']],
  ['PETSTORE_DATABASE', FILES, ['mysql://a', ':memory:', ...ALMOST_ADDRESSES]],
  ['PETSTORE_BACKUP_EVERY', ['1s', '7d'], ['0s', '0h', '1', '500ms', '5300w']],
  ['PETSTORE_BACKUP_DIR', ['/a', 'a b', './~'], QUOTED],
] as const) {
  test(`validates ${variable}`, () => {
    for (const value of good) readConfig({ [variable]: value })
    for (const value of bad) expect(() => readConfig({ [variable]: value })).toThrow(variable)
  })
}

test('a file name that looks like an address opens by its absolute path or with ./ before it', () => {
  const name = temporaryFile('pets.db ')
  writeFileSync(name, '')
  const relative = relativePath(process.cwd(), name)
  expect(() => readConfig({ PETSTORE_DATABASE: relative })).toThrow(
    /^.*\n {2}PETSTORE_DATABASE must not begin or end with a quote or white space\. A file of that name exists: put \.\/ before the name to open it\.$/,
  )
  for (const database of [name, `./${relative}`]) {
    expect(readConfig({ PETSTORE_DATABASE: database }).database).toBe(database)
  }
})

test('every setting has a description that ends with a full stop', () => {
  for (const { variable, description } of Object.values(SETTINGS)) {
    expect(variable).toMatch(/^PETSTORE_[A-Z_]+$/)
    expect(description).toMatch(/[.]$/)
  }
})

const read = (...patterns: string[]) =>
  patterns
    .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: root, absolute: true })])
    .filter((path) => path !== import.meta.path)
    .map((path) => readFileSync(path, 'utf8'))
    .join('')

test('each setting is used by a command, and a test of its effect has its variable or flag', () => {
  const commands = read('packages/cli/src/**/*.ts')
  // `petstore serve` passes all settings to the server, which has options of the same names.
  const server = read('packages/service/src/http/**/*.ts')
  const tests = read('test/**/*.ts', 'endurance/**/*.ts', 'packages/*/test/**/*.ts')
  for (const [name, { variable, flag = variable }] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const isUsed =
      new RegExp(`[.{,]\\s*${name}\\b`).test(commands) || new RegExp(`^  readonly ${name}\\b`, 'm').test(server)
    expect([name, isUsed]).toEqual([name, true])
    const isTested = [variable, flag.replace(/ .*/, '')].some((one) => tests.includes(one))
    expect([variable, isTested]).toEqual([variable, true])
  }
})

test('each option of a part of the server is read by that folder', () => {
  const code = read('packages/service/src/http/**/*.ts').replaceAll(/^ *(?:\/\/|\/?\*).*$/gm, '')
  const options = [...code.matchAll(/^ {2}readonly (\w+)\??: /gm)].map(([, name]) => name)
  expect(options.length).toBeGreaterThan(20)
  expect(options.filter((name) => !new RegExp(`(?<!readonly )\\b${name}\\b(?!\\??:)`).test(code))).toEqual([])
})

test('an IPv6 address can have brackets, as in a URL', () => {
  for (const address of ['::', '::1', 'fd00::2']) {
    const config = readConfig({ PETSTORE_ADMIN_HOST: `[${address}]` }, { host: `[${address}]` })
    expect(config).toMatchObject({ host: address, adminHost: address })
  }
})

test('the local address follows PETSTORE_HOST and PETSTORE_PORT', () => {
  expect(localUrl({})).toBe('http://127.0.0.1:8080/v1')
  expect(localUrl({ PETSTORE_HOST: '[::]', PETSTORE_PORT: '0' })).toBe('http://[::1]:8080/v1')
  expect(localUrl({ PETSTORE_HOST: 'shop.local', PETSTORE_PORT: '81' })).toBe('http://shop.local:81/v1')
  expect(() => localUrl({ PETSTORE_PORT: 'tcp://10.0.0.1:80' })).toThrow('PETSTORE_PORT must be a number')
})

test('the error about a port that Kubernetes has set explains what to do', () => {
  for (const variable of ['PETSTORE_PORT', 'PETSTORE_ADMIN_PORT']) {
    expect(() => readConfig({ [variable]: 'tcp://10.96.0.7:80' })).toThrow(
      new RegExp(`${variable} must be a number, .*Kubernetes.* Service .* petstore.*enableServiceLinks: false`),
    )
  }
})
