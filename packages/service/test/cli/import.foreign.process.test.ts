// `petstore pets import` of files as spreadsheets and other programs write them, and exports that they can read.

import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openShop } from '../../../../test/support/shop.ts'

const { client, cwd, file, pets } = await openShop()
const added = async () => (await Array.fromAsync(client().listPets())).map(({ id, ...pet }) => pet)

describe('an import', () => {
  test('reads what Excel writes: sep=;, a byte order mark, and statuses as the page shows them', async () => {
    const before = (await added()).length
    const rows = 'Name;Category;Status\r\nÉmile;1;Reserved\r\nB,b;2;SOLD\r\nC;3; Available\r\nD;4;\r\n'
    for (const [name, first] of [
      ['sep.csv', 'sep=;\r\n'],
      ['mark.csv', '\ufeffSEP=;\n'],
    ] as const) {
      expect(await pets(['import', file(name, first + rows)])).toMatchObject({ stderr: 'Added 4 pets.\n' })
    }
    const all = (await added()).slice(before, before + 4)
    expect(all.toSorted((a, b) => Number(a.categoryId - b.categoryId))).toEqual([
      { name: 'Émile', categoryId: 1n, status: 'pending' },
      { name: 'B,b', categoryId: 2n, status: 'sold' },
      { name: 'C', categoryId: 3n, status: 'available' },
      { name: 'D', categoryId: 4n, status: 'available' },
    ])
  })

  test.each([
    ['pets.xlsx', 'PK\u0003\u0004…', []],
    ['Pets.XLS', 'x', []],
    ['pets.csv', 'PK\u0003\u0004…', []],
    ['pets.tsv', Buffer.from('d0cf11e0a1b11ae1', 'hex'), ['--format', 'csv']],
    ['pets.ods', 'PK\u0003\u0004…', ['--format', 'csv']],
  ])('says how to save a workbook: %s', async (name, contents, more) => {
    writeFileSync(join(cwd, name), contents)
    const { status, stderr } = await pets(['import', name, ...more])
    expect([status, stderr]).toEqual([1, expect.stringContaining(`${name} is a workbook of a spreadsheet.`)])
    expect(stderr).toContain('save the sheet as “CSV UTF-8”')
  })

  test('takes the columns, the category and the encoding as flags, and names the ignored columns', async () => {
    writeFileSync(join(cwd, 'items.csv'), Buffer.from('Item Name;Preis;Status\r\nZo\xe9;9,50;neu\r\n;;\r\n', 'latin1'))
    const flags = ['--category', '9223372036854775807', '--columns', 'Item Name=name,Status=']
    const refused = await pets(['import', 'items.csv', ...flags])
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/ is not UTF-8: .*--encoding windows-1252/),
    ])
    const { stderr } = await pets(['import', 'items.csv', ...flags, '--encoding', 'windows-1252'])
    expect(stderr).toBe('Ignored columns: Preis, Status.\nAdded 1 pet.\n')
    expect((await added()).at(-1)).toEqual({ name: 'Zoé', categoryId: 2n ** 63n - 1n, status: 'available' })
  })

  test.each([
    [['import', 'a.json', '--category', '7'], '--columns and --category are for CSV.'],
    [['import', 'a.csv', '--columns', 'Kind'], 'It must be pairs such as "Item Name=name,Kind=categoryId"'],
    [['export', 'a.csv', '--separator', ';'], '--separator is for --excel.'],
  ])('refuses flags that do not fit: %p', async (args, message) => {
    expect(await pets(args)).toMatchObject({ status: 2, stderr: expect.stringContaining(message) })
  })

  test('refuses a category that a spreadsheet has rounded, with its line', async () => {
    const name = file('rounded.csv', 'name;category\nRex;7\nMia;9,22E+18\n')
    const { status, stderr } = await pets(['import', name, '--keep-going'])
    expect([status, stderr]).toEqual([
      5,
      expect.stringContaining('line 3: It has the category 9,22E+18, which a spreadsheet'),
    ])
  })

  test('names the records of a JSON array on one line, and adds equal ones, once', async () => {
    const before = (await added()).length
    const equal = '{"name":"Twin","categoryId":1}'
    const name = file('line.json', `[${equal},{"name":"","categoryId":1}, 7,${equal},\n${equal}]`)
    const { stderr } = await pets(['import', name, '--keep-going'])
    expect(stderr).toMatch(/^line 1, record 2: name must .*\.\nline 1, record 3: .*\.\n/m)
    expect(stderr).toContain('Added 3 pets. Refused: 2.\n')
    expect((await pets(['import', name, '--keep-going'])).stderr).toContain('Added 0 pets.')
    expect((await added()).length).toBe(before + 3)
  })
})

describe('an export', () => {
  test('for Excel has a byte order mark and no formulas, and comes back as it was, without a mark by --excel', async () => {
    const guarded = ['=1+1', '+1', '-1', '@A1', "'=1", "'Rex", '\tRex', '\rRex', '\n=1', '＝1', '＋1', '－1', '＠A1']
    const names = [...guarded, 'Rex=1', 'Rex＝1', '\u2212 1']
    for (const name of names) await client().createPet({ name, categoryId: -77n })
    const shown = async (category: string) => {
      const { stdout } = await pets(['list', '--category', category, '--all', '--json'])
      return (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name).sort()
    }
    const flags = ['--category', '-77', '--newest']
    expect((await pets(['export', 'excel.csv', '--excel', ...flags])).stderr).toStartWith('Exported 16 pets')
    expect((await pets(['export', 'plain.csv', ...flags])).status).toBe(0)
    const read = (name: string) => readFileSync(join(cwd, name), 'utf8')
    expect(read('plain.csv')).not.toContain('\ufeff')
    expect(read('plain.csv')).toContain(',=1+1,-77,')
    const cells = [...read('excel.csv').matchAll(/^\d+,"?(.*?)"?,-77,available$/gms)].map(([, cell]) => cell)
    expect(cells).toEqual(names.map((name) => (guarded.includes(name) ? `'${name}` : name)).reverse())
    expect(read('excel.csv')).toStartWith('\ufeffid,name,')
    expect((await pets(['export', '--excel', ...flags])).stdout).toEndWith(read('excel.csv').slice(1))
    // Another category tells them from those that were there.
    writeFileSync(join(cwd, 'moved.csv'), read('excel.csv').replaceAll(',-77,', ',-78,'))
    expect((await pets(['import', 'moved.csv'])).stderr).toBe('Added 16 pets.\n')
    expect(await shown('-78')).toEqual(names.toSorted())
    for (const [category, flag] of [
      ['-79', []],
      ['-80', ['--excel']],
    ] as const) {
      const name = file('unmarked.csv', read('excel.csv').slice(1).replaceAll(',-77,', `,${category},`))
      expect((await pets(['import', name, ...flag])).stderr).toBe('Added 16 pets.\n')
    }
    expect(await shown('-79')).toContain("'=1+1")
    expect(await shown('-80')).toEqual(names.toSorted())
  })

  test('takes the filters of the list', async () => {
    const lines = async (...flags: string[]) =>
      (await pets(['export', '--format', 'csv', ...flags])).stdout.trimEnd().split('\n').slice(1)
    for (const name of ['Quokka one', 'Quokka two']) await client().createPet({ name, categoryId: 5n })
    const newest = (await lines('--search', 'quok', '--newest')).map((line) => line.split(',')[1])
    expect(newest).toEqual(['Quokka two', 'Quokka one'])
    expect(await lines('--search', 'quok', '--category', '6')).toEqual([])
  })

  test.each(['pets.json', 'pets.ndjson'])('puts none into %s', async (name) => {
    const stderr = expect.stringContaining('--excel is for CSV')
    expect(await pets(['export', name, '--excel'])).toMatchObject({ status: 2, stderr })
  })

  test('says what to write for a spreadsheet', async () => {
    expect((await pets(['export', 'pets.xlsx'])).stderr).toContain('write a .csv with --excel')
  })
})
