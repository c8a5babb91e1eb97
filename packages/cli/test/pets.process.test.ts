// `petstore pets …`.

import { expect, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFile } from '../../../test/support/files.ts'
import { newPet } from '../../../test/support/pets.ts'
import { root, run } from '../../../test/support/process.ts'
import { openShop } from '../../../test/support/shop.ts'

const { client, cwd, env, pets } = await openShop()
const itself = temporaryFile('itself.csv')
symlinkSync(itself, itself)

test('pets adds, lists and shows pets as tables', async () => {
  const added = await pets(['add', 'Rex\u001b[31m', '--category', '9223372036854775807', '--status', 'sold'])
  const row = /^ID +NAME +CATEGORY +STATUS\n\d {3}Rex\ufffd\[31m {2}9223372036854775807 {2}sold\n$/
  expect(added).toEqual({ status: 0, stderr: '', stdout: expect.stringMatching(row) })
  expect((await pets(['list', '--status', 'sold'])).stdout).toBe(added.stdout)
  expect(await pets(['show', /^\d+/m.exec(added.stdout)?.[0] ?? ''])).toEqual(added)
})

test('pets prints exact JSON', async () => {
  const { stdout } = await pets(['add', 'Mia', '--category', '-9223372036854775808', '--json'])
  const id = /\d+/.exec(stdout)?.[0] ?? ''
  expect(stdout).toBe(`{"id":${id},"name":"Mia","categoryId":-9223372036854775808,"status":"available"}\n`)
  for (const show of ['show', 'get']) expect((await pets([show, id, '--json'])).stdout).toBe(stdout)
  expect((await pets(['list', '--category', '-9223372036854775808', '--json'])).stdout).toBe(`[\n${stdout}]\n`)
  expect((await pets(['list', '--status', 'pending', '--json'])).stdout).toBe('[]\n')
})

test('pets lists newest first, by category, status and search', async () => {
  const lines = async (...flags: string[]) =>
    (await pets(['list', '--category', '77', ...flags])).stdout.match(/^\d+/gm)
  const [first, second] = [
    String((await client.createPet(newPet({ categoryId: 77n }))).id),
    String((await client.createPet(newPet({ name: 'Mimi', categoryId: 77n }))).id),
  ]
  const { stderr } = await pets(['list', '--category', '77', '--newest', '--limit', '1'])
  expect(stderr).toContain('--all')
  expect(await lines('--newest', '--limit', '1')).toEqual([second])
  expect(await lines('--newest', '--all')).toEqual([second, first])
  expect(await lines('--status', 'sold')).toBeNull()
  expect(await lines('--search', 'MIM')).toEqual([second])
  expect((await pets(['list', '--search', 'nobody'])).stderr).toBe('No such pet\'s name contains "nobody".\n')
  expect((await pets(['list', '--category', '5'])).stderr).toBe('Category 5 has no pets.\n')
})

test.each([
  [['add', 'Rex', '--category', '9223372036854775808'], 2, '64-bit integer'],
  [['list', '--stauts', 'sold'], 2, 'Did you mean --status?'],
  [['list', 'Bella', 'B'], 2, 'To search, use petstore pets list --search "Bella B".'],
  [['list', '--limit', '0'], 2, 'It must be a number from 1'],
  [['import', 'nothing.csv'], 1, 'There is no file nothing.csv.'],
  [['import', itself], 1, `${itself} cannot be read (too many symbolic links encountered).`],
  [['import', '.'], 1, '--format'],
])('%j ends with %d: %s', async (args, status, message) => {
  const ended = await pets(args)
  expect([ended.status, ended.stdout]).toEqual([status, ''])
  expect(ended.stderr).toContain(message)
  expect(ended.stderr).not.toContain('    at ')
})

test('pets exits quietly if the reader closes the pipe', async () => {
  const command = ['sh', '-c', `'${join(root, 'bin/petstore')}' pets list --all --json | head -c 1`]
  expect(await run([], { cwd, env, command })).toEqual({ stdout: '[', stderr: '', status: 0 })
})
