// The rows of a CSV: RFC 4180, or with semicolons or tabs, with any line ends, as spreadsheets write it.
//
// The parser is our own. The gain: each problem of a file is reported with its line, also behind a misplaced quote. The price: the rules of quotes
// are here. csv-parse 7.0 gives the last line of a record of several lines, and after a misplaced quote it skips records up to the next quote.
// Papa Parse 5.7 gives no lines, and takes all that follows a misplaced quote as one field. uDSV 0.7 reports no errors.

import { FileError } from './format.ts'
import { RECORD_MAX } from './ndjson.ts'

/** The first line shows which of them separates the fields of a file. */
const SEPARATORS = ',;\t'

export interface CsvRow {
  line: number
  /** Its last line. */
  end: number
  fields: string[]
  /** The quotes follow RFC 4180. */
  wellFormed: boolean
  /** It follows a byte order mark. */
  marked?: boolean
}

/** Skips rows whose fields are all blank, and Excel's `sep=;` before the header. Throws FileError if the file is JSON, or if a record is too long. */
export async function* rowsOf(text: AsyncIterable<string>): AsyncGenerator<CsvRow> {
  let [rest, line] = ['', 1]
  let field: RegExp | undefined
  let [marked, first] = [false, true]
  for await (const chunk of text) {
    rest += chunk
    let at = 0
    if (!field && rest.startsWith('\ufeff')) [rest, marked] = [rest.slice(1), true]
    field ??= fieldOf(rest)
    for (let row = field && readRow(rest, at, line, field); row && field; row = readRow(rest, at, line, field)) {
      if (!isBlank(row) && !(first && namesSeparator(row))) {
        yield first && marked ? { ...row, marked } : row
        first = false
      }
      at = row.next
      line = row.end + 1
    }
    rest = rest.slice(at)
    if (rest.length > RECORD_MAX) {
      throw new FileError(`Line ${line} starts a record that is too long. Is a closing quote missing?`)
    }
  }
  if (rest === '') return
  const unclosed = { line, end: line + lineEnds(rest.trimEnd()), fields: [], wellFormed: false }
  const row = readRow(`${rest}\n`, 0, line, field ?? fieldRegExp(',')) ?? unclosed
  if (!isBlank(row)) yield row
}

function isBlank({ fields, wellFormed }: CsvRow): boolean {
  return wellFormed && fields.every((field) => field.trim() === '')
}

function namesSeparator({ fields }: CsvRow): boolean {
  return fields.length === 2 && fields.join('').toLowerCase() === 'sep='
}

/** The header's first separator, outside quotes; the others are then parts of a field. A header of one field ends the line. */
const SEPARATOR = new RegExp(`^\\s*(?:"[^"]*"|[^"${SEPARATORS}\\r\\n])*([${SEPARATORS}\\r\\n])`)
const JSON_BEGIN = /^\s*(?:\[\s*[{\]]|\{\s*["}])/

/** `undefined` until the first line has arrived. */
function fieldOf(begin: string): RegExp | undefined {
  if (JSON_BEGIN.test(begin)) {
    throw new FileError(
      'The file is JSON, not CSV. The command line imports it with --format json, or --format ndjson.',
    )
  }
  const separator = SEPARATOR.exec(begin)?.[1] ?? (/[\r\n]/.test(begin) ? ',' : undefined)
  return separator === undefined ? undefined : fieldRegExp(SEPARATORS.includes(separator) ? separator : ',')
}

/** A field in quotes, with the text between its closing quote and the next separator, or a field without quotes. */
function fieldRegExp(separator: string): RegExp {
  const end = `${separator}\\r\\n`
  return new RegExp(`"([^"]*(?:""[^"]*)*)"(?!")([^${end}]*)|(?!")([^${end}]*)`, 'y')
}

/** The row that begins at `start`, and where the next one does; `undefined` when `all` ends before the row does. */
function readRow(all: string, start: number, line: number, field: RegExp): (CsvRow & { next: number }) | undefined {
  const fields: string[] = []
  let [wellFormed, end] = [true, line]
  for (let at = start; ; at = field.lastIndex + 1) {
    field.lastIndex = at
    const [, quoted, ...others] = field.exec(all) ?? []
    const { lastIndex } = field
    const after = all[lastIndex]
    const ended = after === '\n' || after === '\r'
    // A line feed may follow the return in the next piece.
    if (others.length === 0 || after === undefined || (after === '\r' && lastIndex + 1 === all.length)) return undefined
    const plain = others[0] ?? others[1] ?? ''
    if (quoted === undefined ? plain.includes('"') : plain !== '') wellFormed = false
    if (quoted !== undefined) end += lineEnds(quoted)
    fields.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (ended) return { line, end, fields, wellFormed, next: lastIndex + (all.startsWith('\r\n', lastIndex) ? 2 : 1) }
  }
}

function lineEnds(text: string): number {
  return text.match(/\r\n?|\n/g)?.length ?? 0
}
