// Reads the file of PETSTORE_CATEGORIES.

import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { temporaryFile } from '../../../test/support/files.ts'
import { CATEGORIES_MAX } from '../../service/src/domain/names.ts'
import { readCategories } from '../src/category-file.ts'

async function read(content: string | Buffer): Promise<string> {
  const file = temporaryFile('categories.csv')
  writeFileSync(file, content)
  try {
    return (await readCategories(file)).map(({ id, name }) => `${id} ${name}`).join(', ')
  } catch (error) {
    return (error as Error).message.replace(`PETSTORE_CATEGORIES (${file}) cannot be used:\n`, '')
  }
}

test.each([
  ['with two categories', 'id,name\n7,Dogs\n8,Cats\n', '7 Dogs, 8 Cats'],
  [
    'with every digit of an id',
    'id,name\n9223372036854775807,A\n-9223372036854775808,B\n0,C',
    '9223372036854775807 A, -9223372036854775808 B, 0 C',
  ],
  [
    'from a spreadsheet with a byte order mark, CRLF and semicolons',
    '\ufeffID;Name\r\n7;Dogs, small;;\r\n\r\n',
    '7 Dogs, small',
  ],
  ['with tabs, swapped columns and an extra column', 'name\tnote\tid\nDogs\tx\t7\n', '7 Dogs'],
  ['without categories', 'id,name\n', ''],
  ['with 60 code points', `id,name\n7,${'🐶'.repeat(60)}\n`, `7 ${'🐶'.repeat(60)}`],
])('reads a file %s', async (_what, content, categories) => expect(await read(content)).toBe(categories))

test('reports all problems together, each with its line', async () => {
  const rows = [
    '7,Dogs',
    '8,dógs',
    '7,Cats',
    ',Fish',
    '9223372036854775808,Birds',
    '12, ',
    `13,${'x'.repeat(61)}`,
    '14,+15',
    '15,１６',
    '16,\u200b\u2800',
    '17,"a\nb"',
    '18,Dogs, small',
    '19,say "so"',
  ]
  expect(await read(`id,name\n${rows.join('\n')}\n`)).toBe(
    [
      '  line 3: The name "dógs" is also on line 2.',
      '  line 4: The id 7 is also on line 2.',
      '  line 5: id must be a 64-bit integer in decimal digits, not "".',
      '  line 6: id must be a 64-bit integer in decimal digits, not "9223372036854775808".',
      '  line 7: name must have a visible character: "".',
      `  line 8: name must be 1 to 60 characters long, not 61: "${'x'.repeat(24)}…".`,
      '  line 9: name must not be a number, because numbers are ids: "+15".',
      '  line 10: name must not be a number, because numbers are ids: "１６".',
      '  line 11: name must have a visible character: "\\u{200b}\u2800".',
      '  line 12: name must not contain control characters: "a\\nb".',
      '  line 14: It has 3 fields, but the first line has 2.',
      '  line 15: It has a misplaced or unclosed quote.',
    ].join('\n'),
  )
})

const many = `id,name\n${Array.from({ length: CATEGORIES_MAX + 1 }, (_, n) => `${n},C${n}x`).join('\n')}\n`
test.each([
  ['that is empty', '', 'The file is empty. Its first line must name the columns id and name.'],
  ['without its columns', '7,Dogs\n', 'The first line must name the columns id and name once. It has: 7 | Dogs.'],
  ['with two names', 'id,name,Name\n', 'The first line must name the columns id and name once.'],
  ['with more than 1,000 categories', many, 'The file has more than 1000 categories.'],
])('%s', async (_what, content, message) => expect(await read(content)).toStartWith(`  ${message}`))

test.each([
  ['that is not UTF-8', Buffer.from('id,name\n7,V\xf6gel\n', 'latin1'), /first 16 bytes\. Save it as “CSV UTF-8”\.$/],
  ['that is JSON', '[{"id":7}]', /^ {2}The file is JSON, not CSV\.$/],
  ['that is a workbook', 'PK\x03\x04', /save the sheet as “CSV UTF-8” \(File, Save As\)\.$/],
])('%s, without options that only an import has', async (_what, content, message) => {
  expect(await read(content)).toMatch(message)
})

test('rejects a file that does not exist, or is a folder', async () => {
  const missing = temporaryFile('none.csv')
  const folder = temporaryFile('folder')
  mkdirSync(folder)
  for (const [file, message] of [
    [missing, `There is no file ${missing}.`],
    [folder, `${folder} is a folder.`],
  ] as const) {
    expect(await readCategories(file).catch(({ message }) => message)).toContain(message)
  }
})

test('reads exactly 1,000 categories', async () => {
  const rows = Array.from({ length: CATEGORIES_MAX }, (_, n) => `${n},C${n}x`).join('\n')
  expect((await read(`id,name\n${rows}\n`)).split(', ').length).toBe(CATEGORIES_MAX)
})
