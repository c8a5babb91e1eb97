// CSV files in the formats of spreadsheets and shop systems are imported without editing.

import { expect, test } from 'bun:test'
import { rejectionOf } from '../../../test/support/rejection.ts'
import { guessedColumns, ignoredHeadings, neededColumns, parseColumnChoices } from '../src/columns.ts'
import { csv, excel, listSeparator } from '../src/csv.ts'
import type { SourceRecord } from '../src/format.ts'
import { decodedText, ENCODINGS, type Encoding, encodingOf } from '../src/text.ts'

interface Said {
  columns?: string
  category?: string
  encoding?: Encoding
}

/** The characters above 0x7F that the files use, in both encodings. */
const WINDOWS = new Map([['É', 0xc9], ['ü', 0xfc], ['ö', 0xf6], ['€', 0x80]]) // biome-ignore format: a table
const MACINTOSH = new Map([['É', 0x83], ['ü', 0x9f], ['ö', 0x9a], ['€', 0xdb]]) // biome-ignore format: a table
const inBytes = (text: string, high: Map<string, number>) =>
  Uint8Array.from(text, (letter) => high.get(letter) ?? letter.charCodeAt(0))
const utf8 = (text: string) => new TextEncoder().encode(text)
const utf16 = (text: string, bigEndian = false) => {
  const bytes = Buffer.from(text, 'utf16le')
  return bigEndian ? bytes.swap16() : bytes
}

const EMILE = { name: 'Émile', categoryId: 7n }
const MUELLER = { name: 'Müller, "Kö"', categoryId: 9223372036854775807n, status: 'sold' }
const BOTH = [EMILE, MUELLER]
const MIA = { name: 'Mia', categoryId: 8n, status: 'pending' }
const SHOPIFY = `Handle,Title,Body (HTML),Vendor,Type,Option1 Name,Variant Price,Status
emile,Émile,"<p>A ""good"" dog,
and old.</p>",Shelter,7,Title,90.00,active
mueller,"Müller, ""Kö""",,Shelter,9223372036854775807,Title,10.00,draft
`
const SQUARE = `Token,Item Name,Variation Name,SKU,Category,Price,Current Quantity Store
X1,Émile,Regular,,Dogs,90.00,1
X2,"Müller, ""Kö""",Regular,,Dogs,10.00,1
`

const FILES: Record<string, readonly [Uint8Array, Said, readonly object[]]> = {
  'Excel with sep=;, and statuses as the page shows them': [
    utf8('sep=;\r\nName;Category;Status\r\n"Müller, ""Kö""";9223372036854775807; SOLD\r\nMia;8;Reserved\r\n'),
    {},
    [MUELLER, MIA],
  ],
  'Excel with a decimal comma, “CSV”: semicolons in Windows-1252, rows without their last separators': [
    inBytes(
      'Name;Kategorie;Status;Preis\r\nÉmile;7\r\n;;;\r\n"Müller, ""Kö""";9223372036854775807;sold;10 €;;\r\n;;;\r\n',
      WINDOWS,
    ),
    { encoding: 'windows-1252', columns: 'Kategorie=categoryId' },
    BOTH,
  ],
  'Excel, “CSV (Macintosh)”: lone carriage returns': [
    inBytes('Name,Category,Status\rÉmile,7,\r\r"Müller, ""Kö""",9223372036854775807,SOLD\r,,\r', MACINTOSH),
    { encoding: 'macintosh' },
    BOTH,
  ],
  'Excel, “Unicode Text”: tabs in UTF-16': [
    utf16('\ufeffName\tCategory\tStatus\r\nÉmile\t7\t\r\n"Müller, ""Kö"""\t9223372036854775807\tsold\r\n\t\t\r\n'),
    {},
    BOTH,
  ],
  'UTF-16 with the first byte first': [
    utf16('\ufeffname,categoryId,status\nÉmile,7,\n"Müller, ""Kö""",9223372036854775807,sold\n', true),
    { encoding: 'windows-1252' },
    BOTH,
  ],
  'UTF-16 without a byte order mark': [utf16('name,categoryId\nÉmile,7\n'), {}, [EMILE]],
  'Shopify, products: a category from a column with another name, no status': [
    utf8(SHOPIFY),
    { columns: 'Title=name,Type=categoryId,Status=' },
    [EMILE, { ...MUELLER, status: undefined }],
  ],
  'Square, items: one category for all': [
    utf8(SQUARE),
    { columns: 'Item Name=name,Category=', category: '7' },
    [EMILE, { name: MUELLER.name, categoryId: 7n }],
  ],
  'spaces and no-break spaces around quotes': [
    utf8('name , "categoryId" ,status\n "Émile", 7,\n\u00a0"Müller, ""Kö""" ,\t"9223372036854775807" , "sold"\n'),
    {},
    BOTH,
  ],
  'headings with no-break and zero-width spaces': [
    utf8('\u200bItem\u00a0Name\u2060,Category\u202fID\u200b\nÉmile,7\n'),
    { columns: 'Item Name=name' },
    [EMILE],
  ],
  'files with byte order marks that were joined': [
    utf8('\ufeffsep=,\nname,categoryId\nÉmile,7\n\ufeffsep=,\nname,categoryId\nMia,8\n\ufeff"Mia",8\n\ufeff\ufeff'),
    {},
    [EMILE, { name: 'Mia', categoryId: 8n }, { name: 'Mia', categoryId: 8n }],
  ],
  '256 KB of spaces before the header': [utf8(`${' '.repeat(262_144)}\n\nname,categoryId\nÉmile,7\n`), {}, [EMILE]],
  'our own export for Excel with semicolons, saved by a spreadsheet': [
    utf8('\ufeff"id";"name";"categoryId";"status"\r\n1;"\'=Émile";7;\r\n2;"\'\'a";8;"sold"\r\n;;;\r\n'),
    {},
    [
      { name: '=Émile', categoryId: 7n },
      { name: "'a", categoryId: 8n, status: 'sold' },
    ],
  ],
  'our own export, where apostrophes belong to the names': [
    utf8("id,name,categoryId,status\n1,'=Émile,7,available\n"),
    {},
    [{ name: "'=Émile", categoryId: 7n, status: 'available' }],
  ],
}

test.each(Object.entries(FILES))('%s', async (_what, [bytes, said, pets]) => {
  for (const size of [7, 50, 10_000]) {
    const records = await read(bytes, said, size)
    expect(records.map(({ pet, problem }) => problem ?? pet)).toEqual([...pets])
  }
})

test('line ends of any system count once, however the text is chunked', async () => {
  const bytes = utf8('name,categoryId\r\nA,1\rB,2\n\r\n"C\r\nc",3\r\rD,4\r\n')
  for (let size = 4; size < bytes.length; size++) {
    expect((await read(bytes, {}, size)).map(({ line }) => line)).toEqual([2, 3, 5, 8])
  }
})

test.each(ENCODINGS)('reads a file in %s', async (encoding) => {
  const decoder = new TextDecoder(encoding as 'utf-8')
  // Letters of one or two bytes that the encoding has, in pieces that can end within a letter.
  const pairs = Array.from({ length: 0x40 }, (_, n) => [[0xa1 + n], [0xb0, 0xa1 + n], [0x30, 0x41 + n]]).flat()
  const known = (bytes: readonly number[]) => /^\p{L}$/u.test(decoder.decode(Uint8Array.from(bytes)))
  const isWide = encoding.startsWith('utf-16')
  const letters = isWide ? [[0x41, 0x41]] : encoding === 'utf-8' ? [[0xc3, 0xa9]] : pairs.filter(known)
  const ascii = (text: string) => [...(isWide ? utf16(text, encoding === 'utf-16be') : utf8(text))]
  const bytes = Uint8Array.from([...ascii('name,categoryId\n'), ...letters.flat(), ...ascii(',7\n')])
  const name = letters.map((letter) => decoder.decode(Uint8Array.from(letter))).join('')
  expect(name === '').toBe(['iso-2022-jp', 'x-user-defined'].includes(encoding))
  for (const size of [3, 7]) {
    expect((await read(bytes, { encoding }, size)).map(({ pet }) => pet)).toEqual([{ name, categoryId: 7n }])
  }
})

test.each([
  [
    SHOPIFY,
    { name: 'Title', categoryId: 'Type', status: 'Status' },
    'Handle, Body (HTML), Vendor, Option1 Name, Variant Price',
  ],
  [SQUARE, { name: 'Item Name', categoryId: 'Category' }, 'Token, Variation Name, SKU, Price, Current Quantity Store'],
  ['id;Tiername;Catégorie;Zustand;', { name: 'Tiername', categoryId: 'Catégorie', status: 'Zustand' }, ''],
  ['Kategorie,Kategorie 2,Preis', { categoryId: 'Kategorie' }, 'Kategorie 2, Preis'],
  ['Name,Email,Username,Name,Type', { categoryId: 'Type' }, 'Name, Email, Username, Name'],
  ['Category,Category ID,name', { name: 'name', categoryId: 'Category ID' }, 'Category'],
])('guesses columns from headings, and returns the ignored ones: %s', (text, expected, ignored) => {
  const headings = text.split('\n', 1).join().split(/[,;]/)
  const { columns } = guessedColumns(headings)
  const found = Object.entries(columns).flatMap(([field, at]) => (at === undefined ? [] : [[field, headings[at]]]))
  expect(Object.fromEntries(found)).toEqual(expected)
  expect(ignoredHeadings(headings, columns).join(', ')).toBe(ignored)
})

test.each([
  ['no column for the name', 'Item Name;Kategorie\nA;1\n', {}, '--columns "Item Name=name,Kategorie=categoryId"'],
  ['no column for the category', 'Name;Preis\nA;1\n', {}, 'or set one category for all records with --category.'],
  ['an unknown heading', 'name,categoryId\nA,1\n', { columns: 'Titel=name' }, 'There is no column Titel.'],
  ['an assigned heading of two columns', 'A,A,B\n1,2,3\n', { columns: 'A=name,B=categoryId' }, 'the heading A.'],
  ['JSON', ' [{"name":"A","categoryId":1}]', {}, 'The file is JSON, not CSV.'],
  ['a picture', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0xd, 0xa), {}, 'pets.csv is a picture.'],
  ['a picture of a web page', 'RIFF\x24\x00\x00\x00WEBPVP8 ', {}, 'pets.csv is a picture.'],
  ['a PDF', '%PDF-1.7\n', {}, 'pets.csv is a PDF.'],
  ['a compressed file', Uint8Array.of(0x1f, 0x8b, 8, 0), {}, 'pets.csv is a compressed file.'],
  ['a workbook', 'PK\u0003\u0004', {}, 'pets.csv is a spreadsheet workbook.'],
  ['an old workbook', Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0), {}, 'pets.csv is a spreadsheet workbook.'],
  [
    'another encoding',
    Uint8Array.of(0x41, 0xc9, 0x0a),
    {},
    'pets.csv is not UTF-8: the error is within its first 3 bytes.',
  ],
  ['half of a letter in UTF-16', Uint8Array.of(0xff, 0xfe, 0, 0xd8, 0x41, 0), {}, 'pets.csv is not UTF-16LE:'],
] as const)('%s', async (_what, contents, said, message) => {
  const bytes = typeof contents === 'string' ? utf8(contents) : contents
  expect((await rejectionOf(read(bytes, said, 1_000))).message).toContain(message)
})

test.each(['1.23E+15', '1,23e+15', ' 9E+18 '])('a category that a spreadsheet has rounded: %s', async (category) => {
  const [record] = await read(utf8(`name;categoryId\nA;${category}\n`), {}, 1_000)
  expect(record).toMatchObject({
    pet: { name: 'A' },
    problem: `has the category ${category}, which a spreadsheet has rounded. Enter all digits.`,
  })
})

test.each(['', 'name', '=name', 'A=b', 'A=id', 'A=name,', 'A=name,B=name'])('the invalid pairs %p', (text) => {
  expect(() => parseColumnChoices(text)).toThrow('must be pairs such as')
})

test.each([
  ['available', 'AVAILABLE Verfügbar frei Disponible LIBRE disponibile beschikbaar vrij disponível livre'],
  ['pending', 'pending Reserved reserviert Réservée re\u0301serve\u0301 reservado riservata prenotato gereserveerd'],
  ['sold', 'sold Verkauft vendue vendido venduta verkocht'],
  ['verschenkt', 'Verschenkt'],
])('reads the status %s in several languages', async (status, words) => {
  const lines = ['name;categoryId;status', ...words.split(' ').map((word) => `A;1; ${word}`)]
  const records = await read(utf8(lines.join('\n')), {}, 1_000)
  expect(records.map(({ pet }) => pet?.status)).toEqual(words.split(' ').map(() => status))
})

test('an encoding can have any label that TextDecoder knows', () => {
  expect(['Latin1', 'cp1251', 'SJIS'].map(encodingOf)).toEqual(['windows-1252', 'windows-1251', 'shift_jis'])
  expect(() => encodingOf('utf-7')).toThrow('must be an encoding, such as windows-1252 or shift_jis')
})

test('one of several columns that fit a field can be assigned or ignored', async () => {
  const text = utf8('name,Name,category,Status,Status\nA,B,7,sold,pending\n')
  for (const [columns, name] of [
    ['Name=name,Status=', 'B'],
    ['Name=,Status=', 'A'],
  ] as const) {
    expect((await read(text, { columns }, 1_000)).map(({ pet }) => pet)).toEqual([{ name, categoryId: 7n }])
  }
})

test('headings in a pair can have commas and capital letters', () => {
  expect([...parseColumnChoices('Price, EUR=,Kind=Category ID')]).toEqual([
    ['Price, EUR', undefined],
    ['Kind', 'categoryId'],
  ])
})

test('an export for Excel with semicolons does not quote commas, and is read back unchanged', async () => {
  const pets = [
    { name: 'A,b;c', categoryId: 1n, status: 'sold' },
    { name: '-1,5', categoryId: 2n, status: 'available' },
  ]
  async function* items() {
    yield* pets
  }
  const text = (await Array.fromAsync(excel.write(items(), ['name', 'categoryId', 'status'], ';'))).join('')
  expect(text).toBe('\ufeffname;categoryId;status\n"A,b;c";1;sold\n\'-1,5;2;available\n')
  expect((await read(utf8(text), {}, 1_000)).map(({ pet }) => pet)).toEqual(pets)
})

test('an export for Excel puts an apostrophe before text that Excel would run, and an import removes it', async () => {
  const risky = ['=1+1', '+1', '-1', '@A1', "'=1", "'Rex", '\tRex', '\rRex', '\n=1', '＝1', '＋1', '－1', '＠A1']
  for (const name of [...risky, 'Rex=1', 'Rex＝1', '\u2212 1']) {
    async function* items() {
      yield { name, categoryId: 1n }
    }
    const text = (await Array.fromAsync(excel.write(items(), ['name', 'categoryId']))).join('')
    expect([name, text.includes(`'${name}`)]).toEqual([name, risky.includes(name)])
    expect((await read(utf8(text), {}, 1_000)).map(({ pet }) => pet?.name)).toEqual([name])
  }
})

test('the separator is a semicolon in languages with a decimal comma', () => {
  expect(['de-DE', 'fr-FR', 'en-GB', 'ja-JP'].map(listSeparator)).toEqual([';', ';', ',', ','])
})

function read(bytes: Uint8Array, { columns, category, encoding }: Said, size: number): Promise<SourceRecord[]> {
  async function* pieces() {
    // The first piece is never shorter than a byte order mark.
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  const columnsOf = (headings: readonly string[]) =>
    neededColumns(headings, columns === undefined ? undefined : parseColumnChoices(columns), category !== undefined)
  return Array.fromAsync(csv.read(decodedText('pets.csv', pieces(), encoding), { columnsOf, category }))
}
