// `petstore pets import` and `export` for spreadsheets and other programs.

import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ended } from '../../../test/support/ended.ts'
import { openShop } from '../../../test/support/shop.ts'
import { workbookOf } from '../../../test/support/workbook.ts'

const { client, cwd, file, pets } = await openShop()
const added = async () => (await Array.fromAsync(client.listPets())).map(({ id, ...pet }) => pet)

test('an import reads a workbook, and explains how to save another one as CSV', async () => {
  const row = (n: number, name: string, category: string) =>
    `<row r="${n}"><c t="str"><v>${name}</v></c><c t="str"><v>${category}</v></c></row>`
  const workbook = workbookOf([{ rows: row(2, 'name', 'category') + row(3, 'Workbook', '7') + row(9, '', '7') }])
  writeFileSync(join(cwd, 'pets.xlsx'), workbook)
  const { stderr } = await pets(['import', 'pets.xlsx', '--keep-going'])
  expect(stderr).toStartWith('line 9: name must be')
  expect((await added()).at(-1)).toEqual({ name: 'Workbook', categoryId: 7n, status: 'available' })

  writeFileSync(join(cwd, 'Pets.XLS'), Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0))
  expect(await pets(['import', 'Pets.XLS'])).toEqual(ended(1, /old workbook \(\.xls\)\..* save the sheet as “CSV/))
})

test('an import has flags for columns, category and encoding, and names ignored columns', async () => {
  writeFileSync(join(cwd, 'items.csv'), Buffer.from('Item Name;Preis;Status\r\nZo\xe9;9,50;neu\r\n;;\r\n', 'latin1'))
  const flags = ['--category', '9223372036854775807', '--columns', 'Item Name=name,Status=']
  expect(await pets(['import', 'items.csv', ...flags])).toEqual(ended(1, / is not UTF-8: .*--encoding windows-1252/))
  const { stderr } = await pets(['import', 'items.csv', ...flags, '--encoding', 'windows-1252'])
  expect(stderr).toBe('Ignored columns: Preis, Status.\nAdded 1 pet.\n')
  expect((await added()).at(-1)).toEqual({ name: 'Zoé', categoryId: 2n ** 63n - 1n, status: 'available' })
})

test.each([
  [['import', 'a.json', '--category', '7'], '--columns and --category work only with CSV.'],
  [['import', 'a.csv', '--columns', 'Kind'], 'It must be pairs such as "Item Name=name,Kind=categoryId"'],
  [['export', 'a.csv', '--separator', ';'], '--separator needs --excel.'],
  [['export', 'a.ndjson', '--excel'], '--excel works only with CSV'],
])('an import rejects flags that do not apply: %p', async (args, message) => {
  expect(await pets(args)).toMatchObject({ status: 2, stderr: expect.stringContaining(message) })
})

test('an import shows each unknown category and status once, with the number of its records', async () => {
  const rows = ['name,category,status', 'A,Hunde,', 'B,Hunde,', 'C,1,neu', ',1,', 'D,1,neu', ',1,', 'E,Hunde,']
  const { stderr } = await pets(['import', file('hunde.csv', rows.join('\n')), '--keep-going'])
  const lines = stderr.split('\n').map((line) => line.replace(/ must .*/, ''))
  expect(lines.slice(0, 6)).toEqual([
    'line 2: categoryId',
    'line 4: status',
    'line 5: name',
    'line 7: name',
    '2 more records: categoryId',
    '1 more record: status',
  ])
})

test('numbers the records of a one-line JSON array, and adds each of several equal records once', async () => {
  const before = (await added()).length
  const equal = '{"name":"Twin","categoryId":1}'
  const name = file('line.json', `[${equal},{"name":"","categoryId":1}, 7,${equal},\n${equal}]`)
  const { stderr } = await pets(['import', name, '--keep-going'])
  expect(stderr).toMatch(/^line 1, record 2: name must .*\.\nline 1, record 3: .*\.\n/m)
  expect(stderr).toContain('Added 3 pets. Refused: 2.\n')
  expect((await pets(['import', name, '--keep-going'])).stderr).toContain('Added 0 pets.')
  expect((await added()).length).toBe(before + 3)
})

test('an export for Excel has a byte order mark and no formulas, and an import restores the names', async () => {
  const names = ['=1+1', 'Rex']
  for (const name of names) await client.createPet({ name, categoryId: -77n })
  const flags = ['--category', '-77']
  expect((await pets(['export', 'excel.csv', '--excel', ...flags])).stderr).toStartWith('Exported 2 pets')
  const text = readFileSync(join(cwd, 'excel.csv'), 'utf8')
  expect(text).toMatch(/^\ufeffid,name,categoryId,status\n\d+,'=1\+1,-77,available\n\d+,Rex,-77,available\n$/)
  expect((await pets(['export', '--excel', ...flags])).stdout).toBe(text)
  expect((await pets(['export', '--format', 'csv', ...flags])).stdout).toContain(',=1+1,-77,')
  // Only `--excel` removes the apostrophe from a file without a byte order mark.
  const name = file('unmarked.csv', text.slice(1).replaceAll(',-77,', ',-80,'))
  expect((await pets(['import', name, '--excel'])).stderr).toBe('Added 2 pets.\n')
  const { stdout } = await pets(['list', '--category', '-80', '--all', '--json'])
  expect((JSON.parse(stdout) as { name: string }[]).map(({ name }) => name).sort()).toEqual(names)
})

test('an export has the filters of the list', async () => {
  const lines = async (...flags: string[]) =>
    (await pets(['export', '--format', 'csv', ...flags])).stdout.trimEnd().split('\n').slice(1)
  for (const name of ['Quokka one', 'Quokka two']) await client.createPet({ name, categoryId: 5n })
  const newest = (await lines('--search', 'quok', '--newest')).map((line) => line.split(',')[1])
  expect(newest).toEqual(['Quokka two', 'Quokka one'])
  expect(await lines('--search', 'quok', '--category', '6')).toEqual([])
})
