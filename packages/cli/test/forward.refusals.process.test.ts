// What `petstore events forward` rejects: addresses, secrets, state files and untrusted certificates.

import { expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFile } from '../../../test/support/files.ts'
import { run } from '../../../test/support/process.ts'
import { startService } from '../../../test/support/service.ts'
import { forward, SECRET, startHook, taken } from '../../../test/support/webhook.ts'
import { generateKey } from '../../service/src/domain/keys.ts'
import { SavedCursor } from '../src/forward/saved-cursor.ts'

const KEY = generateKey('production')

const flags = (to: string, secret = SECRET) => {
  const secretFile = temporaryFile('secret')
  writeFileSync(secretFile, secret)
  return ['--to', to, '--secret-file', secretFile, '--state', temporaryFile('forwarded'), '--api-key', KEY]
}

test.each([
  ['plain http to another machine', 'http://shop.example/hook', 'plain http to another machine'],
  ['a host name that starts with localhost', 'http://localhost.shop.example/', 'plain http to another machine'],
  ['an address without a protocol', 'shop.example', 'must be an address such as'],
  ['another protocol', 'ftp://shop.example/', 'must be an address such as'],
  ['a password', 'https://a:b@shop.example/', 'without a password'],
])('refuses %s', async (_what, to, message) => {
  const { status, stderr } = await run(['events', 'forward', ...flags(to)])
  expect([status, stderr]).toEqual([2, expect.stringContaining(message)])
})

test.each([
  ['none', '\n', 'has no secret'],
  ['with another prefix', SECRET.replace('whsec', 'whpub'), 'line 1: a secret must be whsec_'],
  ['too short', `whsec_${btoa('x'.repeat(23))}`, '24 to 64 bytes'],
  ['too long', `${SECRET}\nwhsec_${btoa('x'.repeat(65))}`, 'line 2: a secret must be'],
  ['not base64', `${SECRET}*`, 'line 1: a secret must be'],
])('rejects secrets: %s', async (_what, secret, message) => {
  const { status, stderr } = await run(['events', 'forward', ...flags('http://127.0.0.1:1/', secret)])
  expect([status, stderr]).toEqual([1, expect.stringContaining(message)])
  expect(stderr).not.toContain(secret.trim().slice(6) || 'whsec_x')
})

test('rejects an invalid state file instead of starting again', async () => {
  for (const text of ['', 'hello', 'AAAA']) {
    const state = temporaryFile('forwarded')
    writeFileSync(state, text)
    const { status, stderr } = await run(['events', 'forward', ...flags('http://127.0.0.1:1/'), '--state', state])
    expect([status, stderr]).toEqual([1, expect.stringContaining(`${state} is not a state`)])
  }
})

test('writes its state through a link, keeps the mode of the file, leaves no file open, and rejects a pipe', () => {
  const [state, link, pipe] = [temporaryFile('forwarded'), temporaryFile('link'), temporaryFile('pipe')]
  symlinkSync(state, link)
  const saved = SavedCursor.open(link)
  saved.keep('first')
  expect(statSync(state).mode & 0o777).toBe(0o600)
  chmodSync(state, 0o640)
  // Only Linux has this folder.
  const openFiles = () => existsSync('/proc/self/fd') && readdirSync('/proc/self/fd').length
  const before = openFiles()
  saved.keep('second')
  expect(openFiles()).toBe(before)
  expect([readFileSync(state, 'utf8'), statSync(state).mode & 0o777]).toEqual(['second\n', 0o640])
  expect([readlinkSync(link), readdirSync(dirname(state)).sort()]).toEqual([state, ['forwarded', 'forwarded.lock']])

  Bun.spawnSync(['mkfifo', pipe])
  expect(() => SavedCursor.open(pipe)).toThrow(`${pipe} is not a state file of petstore events forward.`)
  expect(readdirSync(dirname(pipe))).toEqual(['pipe'])
})

test('petstore events secret makes a new secret each time', async () => {
  const [one, other] = await Promise.all([run(['events', 'secret']), run(['events', 'secret'])])
  expect(one.stdout).toMatch(/^whsec_[A-Za-z0-9+/]{43}=\n$/)
  expect(one.stdout).not.toBe(other.stdout)
})

const openssl = Bun.which('openssl')
test.skipIf(!openssl)(`trusts no self-signed certificate${openssl ? '' : ' (skipped: no openssl)'}`, async () => {
  const folder = dirname(temporaryFile('x'))
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const made = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=hook -addext subjectAltName=IP:127.0.0.1 -keyout ${keyFile} -out ${certFile}`
  expect(Bun.spawnSync([openssl as string, ...made.split(' ')]).exitCode).toBe(0)
  const service = await startService({ now: Date.now })
  await service.post('{"name":"Rex","categoryId":7}')
  const hook = await startHook(taken, { tls: { key: Bun.file(keyFile), cert: Bun.file(certFile) } })
  const to = { to: hook.url, url: service.url, key: service.key }
  const distrusting = forward({ ...to, args: ['--insecure'], env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } })
  expect(await distrusting.said(/"reason":"([^"]+)"/)).toMatch(/self.signed/i)
  await distrusting.stop()
  expect(hook.all).toEqual([])
  const trusting = forward({ ...to, env: { NODE_EXTRA_CA_CERTS: certFile } })
  await hook.received(1)
  await trusting.stop()
  await hook.stop()
})
