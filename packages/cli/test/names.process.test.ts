// Commands that show and accept category names, and the service that provides the names.

import { describe, expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startFake } from '../../../test/support/fake.ts'
import { temporaryFile } from '../../../test/support/files.ts'
import { run, serve } from '../../../test/support/process.ts'
import { startService } from '../../../test/support/service.ts'
import { Names } from '../../service/src/domain/names.ts'

const categories = [
  { id: 9223372036854775807n, name: 'Dogs' },
  { id: 8n, name: 'Small animals' },
  { id: 9n, name: 'Vögel' },
  { id: 10n, name: `it's $(x)` },
]
const service = await startService({ names: new Names('Rex & Co', categories) })
const cwd = mkdtempSync(temporaryFile('cwd-'))
const pets = (...args: string[]) => run(['pets', ...args], { cwd, env: service.env })

test('a category can be given by name, in any case, or by id; tables show names, JSON has ids', async () => {
  const added = await pets('add', 'Rex', '--category', 'dogs')
  expect([added.stderr, added.stdout]).toEqual(['', 'ID  NAME  CATEGORY  STATUS\n1   Rex   Dogs      available\n'])
  const json = await pets('add', 'Pip', '--category', 'vogel', '--json')
  expect(json.stdout).toBe('{"id":2,"name":"Pip","categoryId":9,"status":"available"}\n')
  expect((await pets('add', 'Tom', '--category', '11')).stdout).toContain('3   Tom   11        available\n')
  expect((await pets('list')).stdout).toBe(
    'ID  NAME  CATEGORY  STATUS\n1   Rex   Dogs      available\n2   Pip   Vögel     available\n3   Tom   11        available\n',
  )
  for (const category of ['DOGS', '9223372036854775807']) {
    expect((await pets('list', '--category', category, '--json')).stdout).toMatch(/^\[\n.*"Rex".*\n\]\n$/)
  }
  expect((await pets('update', '3', '--category', 'small animals')).stdout).toContain('Small animals')
  expect((await pets('show', '3')).stdout).toContain('Small animals')
  expect((await pets('list', '--category', '10')).stderr).toBe("Category it's $(x) has no pets.\n")
  expect((await pets('export', '--format', 'csv', '--category', 'Dogs')).stdout).toBe(
    'id,name,categoryId,status\n1,Rex,9223372036854775807,available\n',
  )
})

test('a category with an unknown name is rejected, and the message lists the names', async () => {
  expect(await pets('add', 'Rex', '--category', 'Dgos')).toEqual({
    stdout: '',
    stderr:
      'petstore: No category has the name "Dgos". The names are "Dogs", "Small animals", "Vögel", "it\'s $(x)".\n',
    status: 2,
  })
})

test('an import accepts category names, and adds no duplicates if a name is replaced by its id', async () => {
  const file = join(cwd, 'names.csv')
  writeFileSync(file, 'name,category\nAnna,Dogs\nBea,VÖGEL\nCleo,9\nDora,Cats\nEva,Cats\n')
  const first = await pets('import', '--keep-going', file)
  expect([first.stderr.split('\n').slice(0, 3), first.status]).toEqual([
    [
      'line 5: It has a category that does not exist: Cats. To add it, use --create-categories.',
      '1 more record: It has a category that does not exist: Cats. To add it, use --create-categories.',
      'Added 3 pets. Refused: 2.',
    ],
    5,
  ])
  writeFileSync(file, 'name,category\nAnna,9223372036854775807\nBea,9\nCleo,vögel\n')
  expect((await pets('import', file)).stderr).toContain('Added 0 pets.')
  writeFileSync(join(cwd, 'names.ndjson'), '{"name":"Emil","categoryId":"Dogs"}\n{"name":"Fritz","categoryId":"8"}\n')
  const json = await pets('import', '--keep-going', 'names.ndjson')
  expect(json.stderr).toContain(
    'line 2: It has a category that does not exist: 8. To add it, use --create-categories.\nAdded 1 pet.',
  )
})

test('completions include names that need no quotes', async () => {
  const script = async (env: Record<string, string>) => (await run(['completion', 'bash'], { env })).stdout
  const rows = (await script(service.env)).split('\n')
  for (const command of ['list', 'add', 'export', 'update']) {
    expect(rows.filter((row) => row.startsWith(`petstore pets ${command} --category\t`))).toEqual([
      `petstore pets ${command} --category\t\t`,
      `petstore pets ${command} --category\tDogs\t`,
      `petstore pets ${command} --category\tVögel\t`,
    ])
  }
  const unreached = await script({ ...service.env, PETSTORE_URL: 'http://127.0.0.1:1' })
  expect([unreached, unreached.includes('Dogs')]).toEqual([await script({}), false])
})

test('categories are ids if the service has no names, as in 1.0.0', async () => {
  const notFound = { code: 'not_found', message: 'Nothing exists at this path.', status: 404 }
  for (const [body, status] of [
    [JSON.stringify(notFound), 404],
    ['<html></html>', 200],
    ['', 502],
  ] as const) {
    const { url } = startFake(({ url }) =>
      new URL(url).pathname === '/names'
        ? new Response(body, { status })
        : Response.json([{ id: 1, name: 'Rex', categoryId: 7, status: 'sold' }]),
    )
    const env = { ...service.env, PETSTORE_URL: url }
    expect((await run(['pets', 'list'], { env })).stdout).toContain('1   Rex   7         sold\n')
    if (status === 502) continue
    expect(await run(['pets', 'add', 'Rex', '--category', 'Dogs'], { env })).toMatchObject({
      stderr: 'petstore: No category has the name "Dogs". The service has no names: use an id.\n',
      status: 2,
    })
  }
})

describe('serve', () => {
  const file = temporaryFile('categories.csv')
  const env = { PETSTORE_STORE_NAME: ' Rex & Co ', PETSTORE_CATEGORIES: file }
  const namesOf = async (url: string, key: string) => {
    const headers = { Authorization: `Bearer ${key}`, Connection: 'close' }
    return (await fetch(new URL('/names', url), { headers, keepalive: false })).text()
  }

  test('serve uses the names read at the start, in every worker', async () => {
    writeFileSync(file, 'id;name\r\n7;Dogs\r\n')
    const service = await serve(['--workers', '2'], { env })
    writeFileSync(file, 'id;name\r\n7;Cats\r\n')
    for (let n = 0; n < 12; n++) {
      expect(await namesOf(service.url, service.key)).toBe('{"store":"Rex & Co","categories":[{"id":7,"name":"Dogs"}]}')
    }
    await service.stop()
  })

  test('serve does not start with an invalid file, which other commands do not read', async () => {
    writeFileSync(file, 'id,name\n7,Dogs\n7,dogs\n')
    const folder = temporaryFile('a.db')
    expect(await run(['serve', '--port', '0', '--database', folder], { env })).toEqual({
      stdout: '',
      stderr: `petstore: PETSTORE_CATEGORIES (${file}) cannot be used:\n  line 3: The id 7 is also on line 2.\n  line 3: The name "dogs" is also on line 2.\n`,
      status: 1,
    })
    expect((await run(['keys', 'list', '--database', folder], { env })).stderr).not.toContain('PETSTORE_CATEGORIES')
  })
})

test('categories shows and replaces names, and an import adds the names that its file needs', async () => {
  const own = await startService()
  const petstore = (...args: string[]) => run(args, { cwd, env: own.env })
  expect((await petstore('categories')).stderr).toBe('No category has a name.\n')
  writeFileSync(join(cwd, 'names.csv'), 'id,name\n8,Cats\n7,Dogs\n')
  const set = await petstore('categories', 'set', 'names.csv')
  expect(set).toEqual({ status: 0, stdout: '', stderr: 'The store has 2 names of categories now.\n' })
  expect((await petstore('categories')).stdout).toBe('ID  NAME\n7   Dogs\n8   Cats\n')
  writeFileSync(join(cwd, 'bad.csv'), 'id,name\n8,Cats\n8,7\n')
  const bad = await petstore('categories', 'set', 'bad.csv')
  expect([bad.status, bad.stderr]).toEqual([1, expect.stringContaining('The id 8 is also on line 2.')])
  await petstore('pets', 'add', 'Tom', '--category', '41')
  writeFileSync(join(cwd, 'new.csv'), 'name,category\nAnna,Birds\nBea,dogs\nCleo,BIRDS\nDora,Fish\n')
  const imported = await petstore('pets', 'import', '--create-categories', 'new.csv')
  expect([imported.stderr, imported.status]).toEqual(['Added 4 pets.\n', 0])
  const names = '[{"id":7,"name":"Dogs"},{"id":8,"name":"Cats"},{"id":42,"name":"Birds"},{"id":43,"name":"Fish"}]\n'
  expect((await petstore('categories', '--json')).stdout).toBe(names)
  const inFile = await run(['pets', 'import', '--create-categories', 'new.csv'], { cwd, env: service.env })
  expect([inFile.status, inFile.stderr]).toEqual([expect.any(Number), expect.stringContaining('a file has the names')])
})
