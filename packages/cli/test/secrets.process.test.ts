// No key appears in logs, responses, files, metrics or process arguments, not even eight characters of its secret part.
// No error message contains a password.

import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFile } from '../../../test/support/files.ts'
import { petBody } from '../../../test/support/pets.ts'
import { ask, run, serve } from '../../../test/support/process.ts'
import { generateKey } from '../../service/src/domain/keys.ts'

const PET = petBody()
const RUN = 8
const KEY = generateKey('production')

/** The places that contain a part of a secret. */
function leaks(keys: readonly string[], places: Record<string, string>): string[] {
  const runs = keys.flatMap((key) => {
    const secret = key.replace(/^pets_(live|test)_/, '')
    return Array.from({ length: secret.length - RUN + 1 }, (_, at) => secret.slice(at, at + RUN))
  })
  return Object.entries(places).flatMap(([name, text]) => runs.filter((one) => text.includes(one)).map(() => name))
}

test('no key leaks into logs, responses, files, metrics or arguments', async () => {
  const database = temporaryFile('petstore.db')
  const secret = generateKey('production')
  const env = { PETSTORE_ADMIN_PORT: '0', PETSTORE_BOOTSTRAP_KEY: secret, PETSTORE_LOG_LEVEL: 'debug' }
  const service = await serve(['--database', database], { env })
  const of = async (...args: string[]) => {
    const { stdout, stderr } = await run(['keys', ...args, '--database', database])
    said.push(stderr)
    return stdout.trim()
  }
  const said: string[] = []
  const keys = {
    full: env.PETSTORE_BOOTSTRAP_KEY,
    readOnly: await of('create', '--name', 'reader', '--read-only'),
    revoked: await of('create', '--name', 'gone'),
    rotated: await of('rotate', 'reader'),
    unknown: generateKey('production'),
    staging: generateKey('staging'),
    mistyped: `${generateKey('production').slice(0, -2)}00`,
  }
  await of('revoke', 'gone')
  const answers: string[] = []
  for (const key of Object.values(keys)) {
    for (const [method, path, body] of [
      ['GET', '/pets'],
      ['GET', `/pets?cursor=${key}`],
      ['GET', `/pets/${key}`],
      ['POST', '/pets', PET],
      ['POST', '/pets', `{"${key}":1,"${key}":2}`],
      ['POST', '/pets', `{"name":"a","status":"${key}"}`],
      ['DELETE', '/pets'],
    ] as const) {
      const { headers, text } = await ask(method, service.url + path, key, body)
      answers.push(text, JSON.stringify([...headers]))
    }
  }
  const metrics = await (await fetch(/^metrics on (\S+)$/m.exec(service.stdout())?.[1] as string)).text()
  const shown = await run(['keys', 'list', '--database', database])
  const process = `/proc/${service.pid}/cmdline`
  const commandLine = existsSync(process) ? readFileSync(process, 'latin1') : ''
  const folder = dirname(database)
  const open = Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'latin1')]))
  await service.stop()

  const places = {
    answers: answers.join(''),
    metrics,
    commandLine,
    said: said.join(''),
    list: shown.stdout,
    stdout: service.stdout(),
    log: service.stderr(),
    ...open,
    'database afterwards': readFileSync(database, 'latin1'),
  }
  expect(leaks(Object.values(keys), places)).toEqual([])
  // The search does find a leak.
  expect(leaks([keys.full], { here: `…${keys.full}…` })).not.toEqual([])
})

const PASSWORD = 'hunter2'
const SITE = `https://user:${PASSWORD}@shop.example/v1`
const POSTGRES = `postgres://user:${PASSWORD}@127.0.0.1:1/pets`
const FORWARD = ['events', 'forward', '--secret-file', 'none', '--state', 'none']
test.each<[string[], Record<string, string>?]>([
  [[...FORWARD, '--to', SITE]],
  [[...FORWARD, '--to', `https://user:${PASSWORD}`]],
  [['pets', 'list', '--url', SITE]],
  [['pets', 'list', `--api-kye=${PASSWORD}`]],
  [['pets', 'import', SITE], { PETSTORE_API_KEY: KEY }],
  [['keys', 'list', '--database', POSTGRES]],
  [['keys', 'list', `--databse=${POSTGRES}`]],
  [['keys', 'list', '--database', `postgress:/user:${PASSWORD}@127.0.0.1/pets`]],
  [['keys', 'list'], { PETSTORE_BASE_URL: SITE }],
  [['keys', 'list'], { PETSTORE_STAGING_BASE_URL: SITE }],
  [['keys', 'list'], { PETSTORE_CORS_ORIGINS: SITE }],
  [['restore', POSTGRES]],
  [['copy', '--from', POSTGRES, '--to', POSTGRES]],
  [['health', SITE]],
  [['verify', SITE]],
  [['login'], { PETSTORE_URL: SITE }],
  [['help', SITE]],
  [[SITE]],
  [['serve', '--workers', SITE]],
  [['serve'], { PETSTORE_CATEGORIES: SITE }],
])('prints no password: %j', async (args, env = {}) => {
  const { status, stderr } = await run(args, { env })
  expect(status).toBeGreaterThan(0)
  expect(stderr).not.toBe('')
  expect(stderr).not.toContain(PASSWORD)
})
