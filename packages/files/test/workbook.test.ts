// Workbooks (.xlsx) are imported without saving them as CSV.

import { describe, expect, test } from 'bun:test'
import { rejectionOf } from '../../../test/support/rejection.ts'
import { workbookOf, zipOf } from '../../../test/support/workbook.ts'
import { neededColumns } from '../src/columns.ts'
import { csv } from '../src/csv.ts'
import { parseRows } from '../src/csv-rows.ts'
import { decodedText } from '../src/text.ts'

async function* pieces(bytes: Uint8Array) {
  for (let at = 0; at < bytes.byteLength; at += 1_000) yield bytes.subarray(at, at + 1_000)
}
const textOf = (bytes: Uint8Array) => decodedText('pets.xlsx', pieces(bytes), undefined, { workbooks: true })
const rowsOf = async (bytes: Uint8Array) =>
  (await Array.fromAsync(parseRows(textOf(bytes)))).map(({ line, fields }) => [line, ...fields])
const cell = (content: string) => workbookOf([{ rows: `<row>${content}</row>` }], PARTS)

const PARTS = {
  'xl/sharedStrings.xml': `<sst><si><t>Name</t></si><si><r><t>Cat</t></r><r><rPr><b/></rPr><t xml:space="preserve">egory </t></r>
    <rPh sb="0" eb="1"><t>reading aid</t></rPh></si><si><t>a&lt;b&#x41;&#66;_x0021_</t></si><si><t><![CDATA[x<y]]></t></si></sst>`,
  'xl/styles.xml': `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="&quot;days&quot;\\ 0"/><numFmt numFmtId="165" formatCode="[Red]dd/mm/yy"/>
    <numFmt numFmtId="166" formatCode="[h]:mm"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
    <cellXfs count="5"><xf numFmtId="0"/><xf numFmtId="14"><alignment/></xf><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="22"/></cellXfs></styleSheet>`,
}

test('reads the first visible sheet in the order of the workbook, with the numbers of its rows', async () => {
  const row = (name: string) => `<row r="2"><c r="A2" t="s"><v>0</v></c><c r="C2" t="s"><v>1</v></c></row>
    <row r="5"><c r="A5" t="inlineStr"><is><t>${name}</t></is></c><c r="C5"><v>9223372036854775807</v></c></row>`
  const sheets = [
    { rows: row('hidden'), state: 'hidden' },
    { rows: row('very hidden'), state: 'veryHidden' },
    { rows: row('Rex') },
    { rows: row('second') },
  ]
  const records = await Array.fromAsync(csv.read(textOf(workbookOf(sheets, PARTS)), { columnsOf: neededColumns }))
  expect(records).toEqual([{ line: 5, pet: { name: 'Rex', categoryId: 9223372036854775807n } }])
})

test('reads elements in a namespace', async () => {
  const rows = `<x:row r="1"><x:c r="A1" t="str"><x:v>Rex</x:v></x:c></x:row>`
  expect(await rowsOf(workbookOf([{ rows }]))).toEqual([[1, 'Rex']])
})

test.each([
  ['a number, exactly', '<c><v>9007199254740993</v></c>', '9007199254740993'],
  ['a whole number', '<c><v>12.0</v></c>', '12'],
  ['a fraction', '<c><v>12.05</v></c>', '12.05'],
  ['the saved value of a formula', '<c t="str"><f>A1&amp;"&lt;v&gt;x"</f><v>Rex</v></c>', 'Rex'],
  ['the saved number of a formula', '<c><f>6+6</f><v>12</v></c>', '12'],
  ['text in several fonts', '<c t="s"><v>1</v></c>', 'Category '],
  ['escaped text', '<c t="s"><v>2</v></c>', 'a<bAB!'],
  ['text in a CDATA section', '<c t="s"><v>3</v></c>', 'x<y'],
  ['a quote and a line break', '<c t="inlineStr"><is><t>"Rex"\nJr</t></is></c>', '"Rex" Jr'],
  ['a truth value', '<c t="b"><v>1</v></c>', 'TRUE'],
  ['an error', '<c t="e"><v>#N/A</v></c>', '#N/A'],
  ['a date', '<c s="1"><v>45982</v></c>', '2025-11-21'],
  ['a date before March 1900', '<c s="1"><v>59</v></c>', '1900-02-28'],
  ['a date in a format of the workbook', '<c s="3"><v>45982.0</v></c>', '2025-11-21'],
  ['a time', '<c s="4"><v>45982.75</v></c>', '2025-11-21 18:00:00'],
  ['a number in a format with letters in quotes', '<c s="2"><v>45982</v></c>', '45982'],
  ['a number that no date has', '<c s="1"><v>9223372036854775807</v></c>', '9223372036854775807'],
])('reads %s', async (_what, content, text) => {
  expect(await rowsOf(cell(content))).toEqual([[1, text]])
})

test.each(['date1904="1"', "date1904='true'"])('reads dates of the calendar from 1904: %s', async (properties) => {
  const rows = '<row><c s="1"><v>44520</v></c><c s="1"><v>0</v></c></row>'
  expect(await rowsOf(workbookOf([{ rows }], PARTS, properties))).toEqual([[1, '2025-11-21', '1904-01-01']])
})

describe('rejects, with the way to save a CSV,', () => {
  const sheet = 'xl/worksheets/sheet0.xml'
  const whole = cell('<c><v>1</v></c>')
  const old = Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0)
  const withClaim = (bytes: number) => {
    const relation = (type: string, target: string) => `<Relationship Id="a" Type="x/${type}" Target="${target}"/>`
    const files = {
      '_rels/.rels': relation('officeDocument', 'xl/workbook.xml'),
      'xl/workbook.xml': '<workbook><sheet r:id="a"/></workbook>',
      'xl/_rels/workbook.xml.rels': relation('worksheet', 'worksheets/sheet0.xml'),
      [sheet]: `<row><c><v>${'1'.repeat(10_000)}</v></c></row>`,
    }
    return zipOf(files, { [sheet]: bytes })
  }
  test.each([
    ['an old workbook', old, 'is an old workbook (.xls).'],
    [
      'a protected one',
      Buffer.concat([old, Buffer.from('EncryptedPackage', 'utf16le')]),
      'is protected with a password.',
    ],
    [
      'another ZIP archive',
      zipOf({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet' }),
      'is not an .xlsx workbook.',
    ],
    ['a truncated one', whole.slice(0, -30), 'is incomplete or damaged.'],
    ['damaged data', whole.map((byte, at) => (at > 40 && at < 80 ? 0xff : byte)), 'is incomplete or damaged.'],
    ['an empty sheet', workbookOf([{ rows: '<row r="1"><c r="A1" s="1"/></row>' }]), 'is empty:'],
    ['no visible sheet', workbookOf([{ rows: '', state: 'hidden' }]), 'is empty:'],
    ['more than 100 MB by the directory', withClaim(99_999_900), 'has more than 100 MB of data.'],
    ['more data than in the directory', withClaim(9_000), 'is incomplete or damaged.'],
    ['less data than in the directory', withClaim(90_000), 'is incomplete or damaged.'],
    ['rows out of order', workbookOf([{ rows: '<row r="2"/><row r="1"/>' }]), 'is incomplete or damaged.'],
    ['a row that no workbook has', workbookOf([{ rows: '<row r="1048577"/>' }]), 'is incomplete or damaged.'],
    [
      'a text that is not there',
      workbookOf([{ rows: '<row><c t="s"><v>9</v></c></row>' }]),
      'is incomplete or damaged.',
    ],
  ])('%s', async (_what, bytes, problem) => {
    const { message } = await rejectionOf(Array.fromAsync(textOf(bytes)))
    expect(message).toStartWith(`pets.xlsx ${problem}`)
    expect(message).toEndWith('Use CSV instead: save the sheet as “CSV UTF-8” (File, Save As).')
  })

  test('a file of more than 100 MB, without reading all of it', async () => {
    let read = 0
    async function* large() {
      for (yield whole; ; read++) yield new Uint8Array(1_000_000)
    }
    const all = Array.fromAsync(decodedText('pets.xlsx', large(), undefined, { workbooks: true }))
    expect((await rejectionOf(all)).message).toStartWith('pets.xlsx has more than 100 MB.')
    expect(read).toBe(99)
  })
})
