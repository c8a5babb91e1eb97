// The formats of import and export: everything written is read back exactly, and invalid records are reported with
// their line.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { rejectionOf } from '../../../test/support/rejection.ts'
import type { Pet, PetStatus } from '../../client/src/petstore.ts'
import { stringifyJson } from '../../contract/src/json.ts'
import { formats } from '../src/all.ts'
import type { SourceRecord, Unchecked } from '../src/format.ts'
import { RECORD_MAX } from '../src/json.ts'
import { RecordKeys } from '../src/record-key.ts'

const COLUMNS = ['id', 'name', 'categoryId', 'status']
const pet = fc.record({
  id: fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }),
  name: fc
    .string({
      unit: fc.oneof(fc.constantFrom('"', ',', '\n', '\r', '\\', ' ', '[', '}'), fc.string({ unit: 'binary' })),
    })
    .filter((name) => name !== '' && !name.includes('\0')),
  categoryId: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  status: fc.constantFrom<PetStatus>('available', 'pending', 'sold'),
})

describe.each(Object.entries(formats))('%s', (_name, format) => {
  test('reads back exactly what it wrote, in pieces of any size', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(pet, { maxLength: 8 }), fc.integer({ min: 1, max: 50 }), async (pets, size) => {
        const text = (await Array.fromAsync(format.write(each(pets), COLUMNS))).join('')
        const records = await Array.fromAsync(format.read(pieces(text, size)))
        expect(records.map(({ pet }) => sent(pet))).toEqual(
          pets.map(({ name, categoryId, status }) => stringifyJson({ name, categoryId, status })),
        )
      }),
      { numRuns: 300 },
    )
  })

  // A JSON array is kept in memory, up to its limit.
  if (format === formats.json) return
  test('rejects a too long record without keeping it in memory', async () => {
    async function* endless() {
      yield '"'
      for (let n = 0; n < 100; n++) yield 'x'.repeat(100_000)
    }
    const reading = Array.fromAsync(format.read(endless()))
    if (format === formats.ndjson) expect(await reading).toEqual([{ line: 1, problem: 'is too long.' }])
    else expect((await rejectionOf(reading)).message).toMatch(/too long|first line/)
  })
})

test('a JSON array of more than 64 MB is rejected before its first record', async () => {
  async function* large() {
    yield '[{}'
    for (let n = 0; n < 65; n++) yield `,{}${' '.repeat(1e6)}`
    yield ']'
  }
  const records: unknown[] = []
  const reading = async () => {
    for await (const record of formats.json.read(large())) records.push(record)
  }
  expect((await rejectionOf(reading())).message).toContain('Use NDJSON')
  expect(records).toEqual([])
})

test('CSV', async () => {
  const text =
    'id,name,categoryId,status\r\n1,A,1,\r\n\r\n,B,x,sold\r\n2,"C\r\nc",3,sold\r\n5,D\r\n6,"E"e,1,\r\n7,F,8,gone\r\n'
  expect(await read(formats.csv, text)).toEqual([
    { line: 2, pet: { name: 'A', categoryId: 1n } },
    { line: 4, pet: { name: 'B', categoryId: 'x', status: 'sold' } },
    { line: 5, pet: { name: 'C\r\nc', categoryId: 3n, status: 'sold' } },
    { line: 7, problem: 'has 2 columns, but the heading has 4.', partly: { name: 'D', categoryId: '' } },
    { line: 8, problem: 'has a misplaced or unclosed quote.' },
    { line: 9, pet: { name: 'F', categoryId: 8n, status: 'gone' } },
  ])
})

test('CSV with an unclosed quote, with the lines of its record', async () => {
  expect(await read(formats.csv, 'name,categoryId\nA,1\n"B,2\nC,3\n\nD,4\n\n')).toEqual([
    { line: 2, pet: { name: 'A', categoryId: 1n } },
    {
      line: 3,
      problem: 'has a misplaced or unclosed quote. Lines 3 to 6 were read as one record.',
    },
  ])
  expect((await read(formats.csv, 'name,categoryId\n"B,2\nC,3\n"D",4\nE,5\n')).map(({ line }) => line)).toEqual([2, 5])
})

test('NDJSON', async () => {
  const text = '{"name":"A","categoryId":1}\r\n\n{"name":\n7\n[]\nnull\n{"name":5,"categoryId":1e999,"x":{}}'
  const records = await read(formats.ndjson, text)
  expect(records.map(({ line, problem }) => [line, problem ?? 'fine'])).toEqual([
    [1, 'fine'],
    [3, 'is not valid JSON: unexpected end of the text (at character 8).'],
    [4, 'is not a JSON object.'],
    [5, 'is not a JSON object.'],
    [6, 'is not a JSON object.'],
    [7, 'fine'],
  ])
  expect(sent(records.at(-1)?.pet)).toBe('{"name":5,"categoryId":1e999}')
})

test('CSV with a too long record, wherever the chunks end', async () => {
  const long = 'x'.repeat(RECORD_MAX)
  const text = ['name,categoryId', 'A,1', `"${long}\n",2`, `${long},3`, ','.repeat(RECORD_MAX + 1), 'B,4\n'].join('\n')
  for (const size of [999, 65_536, text.length]) {
    expect(await Array.fromAsync(formats.csv.read(pieces(text, size)))).toEqual([
      { line: 2, pet: { name: 'A', categoryId: 1n } },
      {
        line: 3,
        problem: 'is too long. Is a closing quote missing? Lines 3 to 4 were read as one record.',
      },
      { line: 5, problem: 'is too long. Is a closing quote missing?' },
      { line: 6, problem: 'is too long. Is a closing quote missing?' },
      { line: 7, pet: { name: 'B', categoryId: 4n } },
    ])
  }
})

test('NDJSON with a too long line', async () => {
  const good = '{"name":"A","categoryId":1}'
  const text = `${good}\n${'x'.repeat(300_000)}\n${good}\n${good}`
  for (const size of [1_000, text.length]) {
    const records = await Array.fromAsync(formats.ndjson.read(pieces(text, size)))
    expect(records.map(({ line, problem }) => [line, problem ?? 'fine'])).toEqual([
      [1, 'fine'],
      [2, 'is too long.'],
      [3, 'fine'],
      [4, 'fine'],
    ])
  }
})

test('JSON', async () => {
  const text = '\n[\n {"name":"A]","categoryId":1},\n\n {"name":"\\"[{",\n"categoryId":2} ,, 7\n, {"name":}]\n'
  const records = await read(formats.json, text)
  expect(records.map(({ line, problem }) => [line, problem ?? 'fine'])).toEqual([
    [3, 'fine'],
    [5, 'fine'],
    [6, 'is not valid JSON: unexpected end of the text (at character 0).'],
    [6, 'is not a JSON object.'],
    [7, 'is not valid JSON: expected a value (at character 9).'],
  ])
})

test.each([
  ['json', '{"name":"A"}', '--format ndjson'],
  ['json', '[{"name":"A"}', 'the array is not closed'],
  ['json', '', 'the file is empty'],
  ['json', `[{"name":"${'x'.repeat(300_000)}"}]`, 'too long'],
  ['json', '[]\n[]', 'Line 2 has text after the end'],
  ['csv', 'name,categoryId, name\nA,1,B\n', 'Several columns fit name equally well.'],
  ['csv', 'name,"categoryId\nC,3\n', 'Line 1 has a misplaced or unclosed quote. Lines 1 to 2 were read as one record.'],
  [
    'csv',
    'name:categoryId\nA:1\n',
    'The first line must name the columns, separated by commas, semicolons or tabs. ' +
      'Missing: name, categoryId. It has: name:categoryId. ' +
      'Assign columns with --columns "name:categoryId=name,HEADING=categoryId", or set one category for all records with --category.',
  ],
] as const)(
  'a bad record is reported with its line and does not affect the others rejects a file of %s: %j',
  async (format, text, message) => {
    expect((await rejectionOf(read(formats[format], text))).message).toContain(message)
  },
)

function read(format: (typeof formats)['csv'], text: string): Promise<SourceRecord[]> {
  return Array.fromAsync(format.read(pieces(text, 1_000)))
}

/** Returns the pet as sent to the service. */
function sent(pet: Unchecked | undefined): string {
  return stringifyJson(pet ?? {})
}

async function* each(pets: Pet[]) {
  yield* pets
}

async function* pieces(text: string, size: number) {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}

test('the keys of an import depend on the number of equal records, and not on their position', () => {
  // More than the initial capacity.
  const names = Array.from({ length: 20_000 }, (_, n) => `pet ${n % 15_000}`)
  const keysOf = (import_: string, names: readonly string[]) => {
    const keys = new RecordKeys(import_)
    return names.map((name) => keys.next({ name, categoryId: 7n })).toSorted()
  }
  const keys = keysOf('file /pets.csv', names)
  expect(new Set(keys).size).toBe(names.length)
  expect(keysOf('file /pets.csv', names.toReversed())).toEqual(keys)
  const [removed = '', ...others] = names
  const fewer = new Set(keysOf('file /pets.csv', others))
  // The file has another record equal to `removed`.
  expect(keys.filter((key) => !fewer.has(key))).toEqual([expect.stringMatching(/-1$/)])
  expect(keysOf('file /other.csv', [removed])).not.toContain(keysOf('file /pets.csv', [removed])[0])
})
