// Imports on the page: reading a file, its questions and mistakes, and adding its rows.

import { expect, test } from 'bun:test'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { ENCODINGS } from '../../../files/src/text.ts'
import { commonEncodings, lettersOf } from '../../src/files/encodings.ts'
import { contentsOf, outcomeOf } from '../../src/files/import-dialog.tsx'
import { countsOf, fix, type ImportAnswers, type ImportRow, readContents, unknownValues } from '../../src/files/rows.ts'
import { addRows } from '../../src/files/use-import.ts'
import { fakeClient, pet, refused } from './fake-client.ts'

const HEADING = 'name,categoryId,status\n'
const read = (contents: string | Uint8Array<ArrayBuffer>, answers: ImportAnswers = {}, name = 'pets.csv') =>
  readContents(new File([contents], name), answers, new AbortController().signal)

test.each([
  [',7,', { name: 'Enter a name.' }],
  ['Rex,,', { categoryId: 'Enter a category.' }],
  ['Rex,seven,gone', { categoryId: 'Enter a whole number.', status: 'Choose Available, Reserved or Sold.' }],
  ['Rex,9.22E+18,', { categoryId: 'A spreadsheet has rounded this number. Enter all its digits.' }],
  [`${'x'.repeat(256)},7,`, { name: 'Enter at most 255 letters.' }],
])('explains the mistakes in %p until they are fixed', async (line, problems) => {
  const { rows: [row] = [] } = await read(`${HEADING}${line}\n`)
  if (!row) throw new Error('There is no row.')
  expect(row.problems).toEqual({ fields: problems, other: '' })
  expect(countsOf([row])).toMatchObject({ ready: 0, wrong: 1, mistaken: 1 })
  fix(row, { name: 'Rex', categoryId: '7', status: 'sold' })
  expect(countsOf([row])).toMatchObject({ ready: 1, wrong: 0, mistaken: 1 })
})

test.each([
  ['Rex', 'This row has 1 column, but the heading has 3.'],
  ['Rex,7,,4', 'This row has 4 columns, but the heading has 3.'],
  ['"Rex,7', 'This row has a misplaced or unclosed quote. Lines 2 to 4 were read as one record.'],
])('rejects the row %p as a whole', async (line, other) => {
  const { rows } = await read(`${HEADING}${line}\n\n.`)
  expect(rows?.[0]?.problems).toEqual({ fields: {}, other })
})

test('reads rows once the columns of the name and the category are known', async () => {
  const text = 'Nr,Item Name\n1,Rex\n'
  const asked = { guessed: true, headings: ['Nr', 'Item Name'], columns: { name: 1 } }
  const first = await read(text)
  expect(first).toMatchObject(asked)
  expect(first.rows).toBeUndefined()
  expect(await read(text, { category: '7' })).toMatchObject({
    ...asked,
    rows: [{ cells: { name: 'Rex', categoryId: '7', status: '' }, mistaken: false }],
  })
  const { rows } = await read(text, { columns: { name: 1, categoryId: 0 } })
  expect(rows).toMatchObject([{ cells: { name: 'Rex', categoryId: '1' } }])
  expect((await read('Name,Category,Zustand\nRex,7,gut\n')).guessed).toBe(false)
})

test('a file without headings has an animal on its first line', async () => {
  const text = 'Rex,7\nMia,8\n'
  const asked = await read(text, { noHeadings: true })
  expect([asked.guessed, asked.headings, asked.rows]).toEqual([true, ['1: Rex', '2: 7'], undefined])
  const { rows } = await read(text, { noHeadings: true, columns: { name: 0, categoryId: 1 } })
  expect(rows?.map(({ cells, line }) => [line, cells.name, cells.categoryId])).toEqual([
    [1, 'Rex', '7'],
    [2, 'Mia', '8'],
  ])
})

test('each unknown category and status is asked about once, with the number of its rows', async () => {
  const { rows = [] } = await read(`${HEADING}A,Hunde,\nB, Hunde,weg\nC,Katzen,\nD,,\nE,9.22E+18,\n`)
  expect(unknownValues(rows)).toEqual([
    { field: 'categoryId', text: 'Hunde', rows: 2 },
    { field: 'status', text: 'weg', rows: 1 },
    { field: 'categoryId', text: 'Katzen', rows: 1 },
  ])
})

test('asks if several columns fit a field equally well, until one is chosen', async () => {
  const text = 'Name,Email,Username,Name,Type,Status,Status\nBob,b@c.d,bob,Rex,7,old,sold\n'
  const first = await read(text)
  expect(first).toMatchObject({ guessed: true, columns: { categoryId: 4 }, unclear: ['name', 'status'] })
  expect(first.rows).toBeUndefined()
  expect(contentsOf({ name: 'a.csv', contents: first, rows: first.rows, counts: countsOf([]) })).toBe(
    'Several columns of a.csv fit Name and Status. Choose the right one.',
  )
  const second = await read(text, { columns: { ...first.columns, name: 3 } })
  expect([second.unclear, second.rows]).toEqual([['status'], undefined])
  const { rows } = await read(text, { columns: { ...second.columns, status: undefined } as object })
  expect(rows).toMatchObject([{ cells: { name: 'Rex', categoryId: '7', status: '' } }])
})

const inBytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))

test('reads a file that is not UTF-8 as Windows-1252, or in the chosen encoding', async () => {
  const bytes = inBytes(`${HEADING}Zo\x8e,7,\n`)
  expect(await read(bytes)).toMatchObject({ encoding: 'windows-1252', rows: [{ cells: { name: 'ZoŽ' } }] })
  expect(await read(bytes, { encoding: 'macintosh' })).toMatchObject({ rows: [{ cells: { name: 'Zoé' } }] })
  expect((await read(`${HEADING}Zoé,7,`)).encoding).toBeUndefined()
  // It has only ASCII bytes.
  expect((await read(`${HEADING}\x1b$B%7%m\x1b(B,7,`, { encoding: 'iso-2022-jp' })).rows).toMatchObject([
    { cells: { name: 'シロ' } },
  ])
  expect((await read(`${HEADING}\x1b$B%7%m\x1b(B,7,`)).encoding).toBe('windows-1252')
})

test('shows the words of a file that differ most between the common encodings, wherever they are', async () => {
  // é is the same in the first three encodings, and ž only in windows-1250 and windows-1252.
  const pets = ['Zo\xe9', 'Ren\xe9', 'No\xe9', 'L\xe9a', '\x9eaba', 'Rex']
  const file = new Blob([inBytes(`name,categoryId\n${pets.join(',7\n')},7\n`)])
  const letters = await lettersOf(file.stream(), 'cs-CZ')
  expect([...letters].slice(0, 5)).toEqual([
    ['windows-1250', 'žaba, Zoé, René'],
    ['iso-8859-2', '\x9eaba, Zoé, René'],
    ['iso-8859-16', '\x9eaba, Zoé, René'],
    ['windows-1252', 'žaba, Zoé, René'],
    ['macintosh', 'ûaba, ZoÈ, RenÈ'],
  ])
  expect([...letters.keys()].toSorted()).toEqual(ENCODINGS.toSorted())
  expect([letters.get('koi8-r'), letters.get('utf-8')]).toEqual(['·aba, ZoИ, RenИ', ''])
})

test.each([
  ['ru-RU', 'windows-1251'],
  ['sr-Latn-RS', 'windows-1250'],
  ['tr', 'windows-1254'],
  ['zh-TW', 'big5'],
  ['zh-CN', 'gb18030'],
  ['ja', 'iso-2022-jp'],
  ['en-GB', 'windows-1252'],
  ['de', 'windows-1252'],
])('the first common encoding in %s is %s', (language, encoding) => {
  expect(commonEncodings(language)[0]).toBe(encoding)
  expect(ENCODINGS).toContain(...(commonEncodings(language) as [string]))
})

test('explains that a file is JSON, without flags of the command line', async () => {
  expect((await rejectionOf(read('[{"name":"Rex"}]'))).message).toBe('The file is JSON, not CSV.')
})

test('shows a sign for a character that reorders a file name', async () => {
  const { message } = await rejectionOf(read(HEADING, {}, 'a\u202efdp.csv'))
  expect(message).toBe('There are no records in a[U+202E]fdp.csv.')
})

/** A service that adds each animal once per key. */
function service() {
  const keys = new Set<string>()
  return fakeClient({
    createPet(_: object, { idempotencyKey, onReplayed }: { idempotencyKey: string; onReplayed: () => void }) {
      if (keys.has(idempotencyKey)) onReplayed()
      return pet(keys.add(idempotencyKey).size)
    },
  })
}

function add({ client }: ReturnType<typeof fakeClient>, rows: readonly ImportRow[] = []) {
  return addRows(client, 'page pets.csv', rows, new AbortController().signal, () => undefined)
}

test('adds nothing twice from the same file, corrected or not', async () => {
  const fake = service()
  const { rows: [first, second] = [] } = await read('name,categoryId\nTom,x\nMia,7\n')
  const rows = [first, second] as ImportRow[]
  await add(fake, rows)
  expect(rows.map(({ state }) => state)).toEqual(['open', 'added'])
  // The corrected row is now equal to the next one, which has been added.
  fix(rows[0] as ImportRow, { name: 'Mia', categoryId: '7' })
  await add(fake, rows)
  expect(rows.map(({ state, id }) => [state, id])).toEqual([
    ['added', 2n],
    ['added', 1n],
  ])
  const again = await read('name,categoryId\nAda,9\nMia,7\nTom,8\nMia,7\n')
  await add(fake, again.rows)
  expect(again.rows?.map(({ state }) => state)).toEqual(['added', 'present', 'added', 'present'])
})

test('stops if the service rejects the key, knows which rows were added, and adds the rest later', async () => {
  const fake = service()
  const { createPet } = fake.answers
  let sent = 0
  fake.answers.createPet = (...call) => (++sent === 8 ? refused('read_only_key', 403) : createPet?.(...call))
  const { rows = [] } = await read(`name,categoryId\n${'Luna,7\n'.repeat(40)}`)
  expect(await rejectionOf(add(fake, rows))).toMatchObject({ code: 'read_only_key' })
  const { added, ready } = countsOf(rows)
  expect([added, ready]).toEqual([sent - 1, 41 - sent])
  expect(sent).toBeLessThan(13)
  await add(fake, rows)
  expect(new Set(rows.map(({ id }) => id)).size).toBe(40)
})

test('a row that the service rejects becomes a mistake', async () => {
  const fake = fakeClient({ createPet: () => refused('invalid_pet', 400) })
  const { rows = [] } = await read(`${HEADING}Rex,7,`)
  await add(fake, rows)
  expect(rows).toMatchObject([{ state: 'open', mistaken: true, problems: { other: 'Refused: invalid_pet.' } }])
})

test('describes the rows of a file and the outcome of its import', () => {
  const counts = { ready: 0, wrong: 0, skipped: 0, added: 0, present: 0, mistaken: 0 }
  const sentence = (rows: number, wrong: number) =>
    contentsOf({ name: 'pets.csv', rows: Array(rows), counts: { ...counts, wrong } })
  expect(sentence(1, 0)).toBe('pets.csv has 1 row.')
  expect(sentence(124, 4)).toBe('pets.csv has 124 rows, 4 with mistakes. Fix them here, or add only the rest.')
  expect(outcomeOf({ counts: { ...counts, added: 122, wrong: 1, skipped: 1 } })).toBe(
    '122 added, 1 with a mistake, 1 skipped.',
  )
  expect(outcomeOf({ counts: { ...counts, added: 2, present: 2, ready: 3 } })).toBe(
    '2 added, 2 were there already: nothing is added twice, 3 not yet.',
  )
})
