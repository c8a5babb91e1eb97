// JSON, as an array of at most 64 MB, or as NDJSON with one object per line. The reader of an array finds the end of each
// element and reads it as NDJSON reads a line.

import { type JsonError, parseJson, stringifyJson } from '../../contract/src/json.ts'
import { FIELDS, FileError, type Format, type SourceRecord } from './format.ts'

/** Characters. The array is kept in memory, so that nothing is imported if it is too large. */
const ARRAY_MAX = 64e6

export const json: Format = {
  async *read(text) {
    let [rest, line, elements, ended] = ['', 1, 0, false]
    /** The line of the last element, and the number of elements that start there. */
    let [at, nth] = [0, 0]
    const broken = (what: string) => new FileError(`Line ${line} ${what}. The records before it were imported.`)
    function take(length: number): string {
      const taken = rest.slice(0, length)
      rest = rest.slice(length)
      line += newlines(taken)
      return taken
    }

    for await (const chunk of text) {
      rest += chunk
      if (rest.length > ARRAY_MAX) {
        throw new FileError(
          'The JSON array is larger than 64 MB. Use NDJSON for it, one object per line. Nothing was imported.',
        )
      }
    }
    take(blanks(rest))
    if (rest === '') throw new FileError('There is no JSON array: the file is empty.')
    if (!rest.startsWith('[')) throw broken('does not start an array: for one object a line, use --format ndjson')
    take(1)
    const first = line
    for (let end = elementEnd(rest); !ended && end >= 0; end = elementEnd(rest)) {
      ended = rest[end] === ']'
      const startLine = line + newlines(rest.slice(0, blanks(rest)))
      if (end > RECORD_MAX) throw broken('has a record that is too long')
      const element = take(end)
      nth = startLine === at ? nth + 1 : 1
      at = startLine
      const record = { ...readRecord(element, startLine), ...((nth > 1 || at === first) && { nth }) }
      // `[]` has no element. Elsewhere an empty element is an error.
      if (!ended || elements > 0 || element.trim() !== '') yield record
      elements++
      take(1)
    }
    if (!ended) throw broken('is the end of the file, but the array is not closed')
    take(blanks(rest))
    if (rest !== '') throw broken('has text after the end of the array')
  },

  write: stringifyJsonArray,
}

/** Writes one element per line. */
export async function* stringifyJsonArray(items: AsyncIterable<object>): AsyncGenerator<string> {
  let before = '['
  for await (const item of items) {
    yield `${before}\n${stringifyJson(item)}`
    before = ','
  }
  yield before === '[' ? '[]\n' : '\n]\n'
}

/** Matches a string, the quote of an unfinished string, or a structural character. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|["[\]{},]/gs

/** Returns where the first element of `text` ends (at a comma or the array's bracket), or -1 if it does not end. */
function elementEnd(text: string): number {
  let depth = 0
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === '"') return -1
    if (depth === 0 && (token === ',' || token === ']')) return index
    if (token === '[' || token === '{') depth++
    else if (token === ']' || token === '}') depth = Math.max(0, depth - 1)
  }
  return -1
}

function blanks(text: string): number {
  return text.length - text.trimStart().length
}

// In NDJSON, a bad line does not affect others.

/** The limit of characters in a record. The service's own limit is smaller. */
export const RECORD_MAX = 256 * 1024

export const ndjson: Format = {
  async *read(text) {
    let [line, rest, tooLong] = [1, '', false]
    for await (const chunk of text) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const each of lines) {
        yield* recordOf(tooLong || each.length > RECORD_MAX ? undefined : each, line++)
        tooLong = false
      }
      if (rest.length > RECORD_MAX) [rest, tooLong] = ['', true]
    }
    yield* recordOf(tooLong ? undefined : rest, line)
  },

  async *write(items) {
    for await (const item of items) yield `${stringifyJson(item)}\n`
  },
}

function* recordOf(text: string | undefined, line: number): Generator<SourceRecord> {
  if (text === undefined) yield { line, problem: 'is too long.' }
  else if (text.trim() !== '') yield readRecord(text, line)
}

/** Reads a JSON text as a record. Numbers keep all their digits. */
function readRecord(text: string, line: number): SourceRecord {
  try {
    const value = parseJson(text.replace(/^\ufeff/, ''))
    if (!(value instanceof Map)) return { line, problem: 'is not a JSON object.' }
    return { line, pet: Object.fromEntries(FIELDS.map((field) => [field, value.get(field)])) }
  } catch (error) {
    return { line, problem: `is not valid JSON: ${(error as JsonError).message}.` }
  }
}

function newlines(text: string): number {
  return text.split('\n').length - 1
}
