// A file on the page before it is added: what is read of it, what it leaves open, and what is wrong with its rows.

import { expect, test } from 'bun:test'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { countsOf, fix, readContents, type Said } from '../../src/files/rows.ts'

const HEADING = 'name,categoryId,status\n'
const read = (contents: string | Uint8Array<ArrayBuffer>, said: Said = {}, name = 'pets.csv') =>
  readContents(new File([contents], name), said, new AbortController().signal)

test.each([
  [',7,', { name: 'Enter a name.' }],
  ['Rex,,', { categoryId: 'Enter a category.' }],
  ['Rex,seven,gone', { categoryId: 'Enter a whole number.', status: 'Choose Available, Reserved or Sold.' }],
  ['Rex,9.22E+18,', { categoryId: 'A spreadsheet has rounded this number. Enter all its digits.' }],
  [`${'x'.repeat(256)},7,`, { name: 'Enter at most 255 letters.' }],
])('the mistakes of %p have the words of the page, until they are fixed', async (line, problems) => {
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
])('the row %p is a mistake as a whole', async (line, other) => {
  const { rows } = await read(`${HEADING}${line}\n\n.`)
  expect(rows?.[0]?.problems).toEqual({ fields: {}, other })
})

test('rows are read once the name and the category are known', async () => {
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

test('a file that is not UTF-8 is read as Windows-1252, or as a person says', async () => {
  const bytes = Uint8Array.from(`${HEADING}Zo\x8e,7,\n`, (letter) => letter.charCodeAt(0))
  expect(await read(bytes)).toMatchObject({ encoding: 'windows-1252', rows: [{ cells: { name: 'ZoŽ' } }] })
  expect(await read(bytes, { encoding: 'macintosh' })).toMatchObject({ rows: [{ cells: { name: 'Zoé' } }] })
  expect((await read(`${HEADING}Zoé,7,`)).encoding).toBeUndefined()
})

test('a character that turns a file name is shown as a sign', async () => {
  const { message } = await rejectionOf(read(HEADING, {}, 'a\u202efdp.csv'))
  expect(message).toBe('There are no records in a[U+202E]fdp.csv.')
})
