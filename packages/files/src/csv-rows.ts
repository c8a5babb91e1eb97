// Parses CSV rows: RFC 4180, also with semicolons or tabs and any line ends, as spreadsheets write them.
//
// This parser exists to report each problem with its line, also after a misplaced quote. csv-parse 7.0 reports the
// last line of a record with several lines, and after a misplaced quote skips records up to the next quote. Papa
// Parse 5.7 reports no lines, and reads everything after a misplaced quote as one field. uDSV 0.7 reports no errors.

import { FileError } from './format.ts'
import { RECORD_MAX } from './ndjson.ts'

/** The first line determines the separator. */
const SEPARATORS = ',;\t'

export interface CsvRow {
  line: number
  /** The last line of the row. */
  end: number
  fields: string[]
  /** Whether the quotes follow RFC 4180. */
  wellFormed: boolean
  /** Whether the row follows a byte order mark. */
  marked?: boolean
}

/**
 * Skips blank rows, and Excel's `sep=;` before the header. Throws FileError if the file is JSON or a record is too
 * long.
 */
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

/** Matches the header's first separator outside quotes, or the line end of a header with one field. */
const SEPARATOR = new RegExp(`^\\s*(?:"[^"]*"|[^"${SEPARATORS}\\r\\n])*([${SEPARATORS}\\r\\n])`)
const JSON_BEGIN = /^\s*(?:\[\s*[{\]]|\{\s*["}])/

/** Returns the field pattern, or `undefined` until the first line has arrived. */
function fieldOf(begin: string): RegExp | undefined {
  if (JSON_BEGIN.test(begin)) {
    throw new FileError('The file is JSON, not CSV. On the command line, use --format json or --format ndjson.')
  }
  const separator = SEPARATOR.exec(begin)?.[1] ?? (/[\r\n]/.test(begin) ? ',' : undefined)
  return separator === undefined ? undefined : fieldRegExp(SEPARATORS.includes(separator) ? separator : ',')
}

/** Matches a quoted field with any text up to the next separator, or an unquoted field. */
function fieldRegExp(separator: string): RegExp {
  const end = `${separator}\\r\\n`
  return new RegExp(`"([^"]*(?:""[^"]*)*)"(?!")([^${end}]*)|(?!")([^${end}]*)`, 'y')
}

/**
 * Returns the row that starts at `start`, and where the next one starts; `undefined` if `all` ends before the row
 * does.
 */
function readRow(all: string, start: number, line: number, field: RegExp): (CsvRow & { next: number }) | undefined {
  const fields: string[] = []
  let [wellFormed, end] = [true, line]
  for (let at = start; ; at = field.lastIndex + 1) {
    field.lastIndex = at
    const [, quoted, ...others] = field.exec(all) ?? []
    const { lastIndex } = field
    const after = all[lastIndex]
    const ended = after === '\n' || after === '\r'
    // The next chunk may start with the line feed of this line end.
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
