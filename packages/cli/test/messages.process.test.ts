// Error messages of commands have one style, and explain system errors in words.

import { describe, expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startFake } from '../../../test/support/fake.ts'
import { temporaryFile } from '../../../test/support/files.ts'
import { run } from '../../../test/support/process.ts'
import { openShop } from '../../../test/support/shop.ts'
import { openTerminal } from '../../../test/support/terminal.ts'
import { systemReason } from '../../contract/src/system-reason.ts'
import { migrateStore } from '../../service/src/store/kinds.ts'

const { cwd, file, pets, service } = await openShop()
const usage = (command: string) => `  ${command} --help shows the usage.\n`

test.each([
  [['lst'], `Unknown command 'lst'.\n${usage('petstore')}`],
  [['pets', 'sell', '4'], `Unknown command 'sell'. Did you mean petstore sell PET?\n${usage('petstore pets')}`],
  [['pets', 'add', 'Rex'], `Required option '--category <category>' not specified.\n${usage('petstore pets add')}`],
  [['migrate'], `Use --check or --apply.\n${usage('petstore migrate')}`],
  [['help', 'nope'], `There is no command and no page 'nope'.\n${usage('petstore help')}`],
])('an error message has the common style: %j', async (args, message) => {
  const { stdout, stderr } = await run(args, { cwd })
  expect([stdout, stderr]).toEqual(['', `petstore: ${message}`])
})

test('an error message begins in red at a terminal', async () => {
  const terminal = openTerminal(['lst'])
  await terminal.exited
  expect(terminal.shown()).toStartWith('\x1b[31mpetstore:\x1b[39m ')
})

describe('explains a system error in words', () => {
  const ANOTHER = '--url, --port or PETSTORE_URL names another service.'
  const gone = '(no such file or directory)'
  const database = temporaryFile('a.db')
  const locked = mkdtempSync(temporaryFile('home-'))
  writeFileSync(join(locked, '.config'), '')
  test.each<[string, string[], Record<string, string>, string]>([
    ['an export', ['pets', 'export', '/nope/x.csv'], {}, `cannot be written ${gone}`],
    ['a backup', ['backup', '/nope/x.db'], { PETSTORE_DATABASE: database }, 'written: no such file or directory.'],
    ['a new store', ['serve', '--port', '0', '--database', '/proc/x.db'], {}, `cannot be created ${gone}`],
    ['a file of a key', ['pets', 'list'], { PETSTORE_API_KEY: '', PETSTORE_API_KEY_FILE: '/nope' }, gone],
    ['a login', ['login'], { HOME: locked }, 'login.json cannot be written (not a directory)'],
    ['a service', ['pets', 'list', '--url', 'http://127.0.0.1:1'], {}, `(connection refused). ${ANOTHER}`],
  ])('%s', async (_what, args, env, words) => {
    if (env.PETSTORE_DATABASE) await migrateStore(env.PETSTORE_DATABASE)
    const { stderr } = await run(args, { cwd, env: { ...service.env, ...env } })
    expect(stderr).toContain(words)
    expect(stderr).not.toMatch(/\bE[A-Z]{4,}/)
  })
})

test.each([
  ['ENOTFOUND', 'no such host'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'depth zero self signed cert'],
  [undefined, 'unknown reason'],
])('explains the system error code %s in words', (code, words) => {
  expect(systemReason({ code })).toBe(words)
})

test.each(['show', 'get'])('a deprecated command warns in its last 90 days, and not before: pets %s', async (name) => {
  await pets(['import', file('one.csv', 'name,categoryId\nRex,1\n')])
  expect(await pets([name, '1'])).toMatchObject({ status: 0, stderr: '' })
  const removal = new Date(Date.now() + 80 * 86_400_000)
  const headers = { Deprecation: '@1764892800', Sunset: removal.toUTCString() }
  const pet = { id: 1, name: 'Rex', categoryId: 1, status: 'sold' }
  const { url } = startFake(() => Response.json(pet, { headers }))
  const { stderr } = await pets([name, '1', '--url', url])
  const day = removal.toISOString().slice(0, 10)
  expect(stderr).toBe(`petstore: pets ${name} calls a deprecated operation, which the service will remove on ${day}.\n`)
})
