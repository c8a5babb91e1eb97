// `petstore pets` as a real process against a real service: what it prints, where, and how it ends.

import { describe, expect, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFile } from '../../../../test/support/files.ts'
import { newPet, petBody } from '../../../../test/support/pets.ts'
import { root, run } from '../../../../test/support/process.ts'
import { startService } from '../../../../test/support/service.ts'
import { openShop } from '../../../../test/support/shop.ts'
import { openTerminal, plain } from '../../../../test/support/terminal.ts'
import { noSuchOrder, noSuchPet } from '../../src/domain/decisions/refusal-messages.ts'
import { generateKey, refusedKey } from '../../src/domain/keys.ts'

const { connection, cwd, pets, service } = await openShop()
const itself = temporaryFile('itself.csv')
symlinkSync(itself, itself)

describe('pets', () => {
  test('adds, lists and fetches pets, for people', async () => {
    const added = await pets(['add', 'Rex\u001b[31m', '--category', '9223372036854775807', '--status', 'sold'])
    expect(added).toEqual({
      status: 0,
      stderr: '',
      stdout: 'ID  NAME      CATEGORY             STATUS\n1   Rex\ufffd[31m  9223372036854775807  sold\n',
    })
    expect((await pets(['list', '--status', 'sold'])).stdout).toBe(added.stdout)
    expect(await pets(['show', '1'])).toEqual(added)
  })

  test('prints exact JSON, for programs', async () => {
    const exact = '{"id":2,"name":"Mia","categoryId":-9223372036854775808,"status":"available"}\n'
    expect((await pets(['add', 'Mia', '--category', '-9223372036854775808', '--json'])).stdout).toBe(exact)
    for (const show of ['show', 'get']) expect((await pets([show, '2', '--json'])).stdout).toBe(exact)
    expect((await pets(['list', '--status', 'available', '--json'])).stdout).toBe(`[\n${exact}]\n`)
    expect((await pets(['list', '--status', 'pending', '--json'])).stdout).toBe('[]\n')
  })

  test('lists the newest first, and a category', async () => {
    const lines = async (...flags: string[]) => (await pets(['list', ...flags])).stdout.match(/^\d+/gm)
    expect(await lines('--newest', '--limit', '1')).toEqual(['2'])
    expect(await lines('--newest')).toEqual(['2', '1'])
    expect(await lines('--category', '-9223372036854775808')).toEqual(['2'])
    expect(await lines('--category', '-9223372036854775808', '--status', 'sold')).toBeNull()
    expect(await lines('--search', 'MI')).toEqual(['2'])
    expect((await pets(['list', '--search', 'nobody'])).stderr).toBe('No such pet has "nobody" in its name.\n')
    expect((await pets(['list', '--category', '5'])).stderr).toBe('No pet of category 5 is there.\n')
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

  test('shows the pets of several pages under one heading', async () => {
    const shop = await startService()
    await Promise.all(Array.from({ length: 101 }, () => shop.store.createPet(newPet(), 1n)))
    const env = { PETSTORE_URL: shop.url, PETSTORE_API_KEY: shop.key }
    const lines = (await run(['pets', 'list', '--all'], { env })).stdout.trimEnd().split('\n')
    expect(lines.map((line) => line.split(' ')[0])).toEqual([
      'ID',
      ...Array.from({ length: 101 }, (_, n) => `${n + 1}`),
    ])
    await shop.stop()
  })

  test('says when there are more pets than it lists', async () => {
    expect((await pets(['list', '--limit', '1'])).stderr).toContain('--all')
    expect((await pets(['list', '--all'])).stderr).toBe('')
  })

  test.each([
    [['show', '404'], 1, noSuchPet(404n).message],
    [['add', '', '--category', '1'], 1, 'name must be'],
    [['add', 'Rex', '--category', '9223372036854775808'], 2, '64-bit integer'],
    [['add', 'Rex'], 2, "Required option '--category <id>'"],
    [['lst'], 2, 'Did you mean list?'],
    [['list', '--stauts', 'sold'], 2, 'Did you mean --status?'],
    [['list', '--status', 'gone'], 2, 'available, pending, sold'],
    [['list', '--limit', '0'], 2, 'It must be a number from 1'],
    [['import', 'nothing.csv'], 1, 'There is no file nothing.csv.'],
    [['import', itself], 1, `${itself} cannot be read (too many symbolic links encountered).`],
    [['import', '.'], 1, '--format'],
    [['export', 'pets.txt'], 1, '--format'],
  ])('%j ends with %d: %s', async (args, status, message) => {
    const ended = await pets(args)
    expect([ended.status, ended.stdout]).toEqual([status, ''])
    expect(ended.stderr).toContain(message)
    expect(ended.stderr).not.toContain('    at ')
  })

  test('exits with 3 when the service does not respond, with 4 when it refuses the key, or there is none', async () => {
    const away = await pets(['list'], { env: { ...connection(), PETSTORE_URL: 'http://127.0.0.1:1' } })
    expect([away.status, away.stderr]).toEqual([3, expect.stringContaining('http://127.0.0.1:1/v1 cannot be reached')])
    const readOnly = await service.addKey({ readOnly: true })
    const refused = await pets(['add', 'Rex', '--category', '1', '--api-key', readOnly])
    expect([refused.status, refused.stderr]).toEqual([4, expect.stringContaining('read-only')])
    const keyless = await pets(['list'], { env: { HOME: cwd } })
    expect([keyless.status, keyless.stderr]).toEqual([4, expect.stringContaining('petstore login')])
  })

  test.each([
    [noSuchPet(404n).message, ['pets', 'show', '404']],
    ['long.', ['pets', 'add', '', '--category', '1']],
    [noSuchOrder(404n).message, ['orders', 'cancel', '404']],
    [refusedKey('unknown').message, ['inventory', '--api-key', generateKey('production')]],
    ['production.', ['demo', '--yes', '--api-key', generateKey('staging')]],
  ])('the service is named after: %s', async (message, args) => {
    const { stderr } = await run(args, { cwd, env: connection() })
    expect(stderr).toContain(`${message} (from ${service.url})\n`)
  })

  test('exits quietly when the reader closes the pipe', async () => {
    const command = ['sh', '-c', `'${join(root, 'bin/petstore')}' pets list --all --json | head -c 1`]
    expect(await run([], { cwd, env: connection(), command })).toEqual({ stdout: '[', stderr: '', status: 0 })
  })
})

test('help shows a command within a command', async () => {
  const direct = await run(['keys', 'rotate', '--help'], { cwd })
  expect(direct.stdout).toContain('petstore keys rotate')
  expect(await run(['help', 'keys', 'rotate'], { cwd })).toEqual(direct)
  expect(await run(['help', 'pets', 'get'], { cwd })).toEqual(await run(['pets', 'show', '--help'], { cwd }))
  expect((await run(['help'], { cwd })).stdout).toContain('Exit statuses')
  expect(await run(['help', 'keys', 'rotat'], { cwd })).toMatchObject({ status: 2, stdout: '' })
})
