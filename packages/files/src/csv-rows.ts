// Parses CSV rows (RFC 4180). Spreadsheets also write semicolons or tabs, other line ends, and white space around
// quotes.
//
// This parser exists to report each problem with its line, even after a misplaced quote. csv-parse 7.0 reports the
// last line of a record with several lines, and after a misplaced quote skips records up to the next quote. Papa
// Parse 5.7 reports no lines, and reads everything after a misplaced quote as one field. uDSV 0.7 reports no errors.

import { FileError } from './format.ts'
import { RECORD_MAX } from './json.ts'

/** The first line determines the separator. */
const SEPARATORS = ',;\t'

export interface CsvRow {
  line: number
  /** Empty if the row is too long. */
  fields: string[]
  /** Why the row cannot be read: a sentence without its subject. */
  problem?: string | undefined
  /** Whether the row follows a byte order mark, which can also be inside files that were joined. */
  marked: boolean
}

/**
 * Skips blank rows, Excel's `sep=;` before the header, and a header that repeats after a byte order mark. Throws
 * FileError if the file is JSON. `ifJson`: advice for this error.
 */
export async function* parseRows(text: AsyncIterable<string>, ifJson = ''): AsyncGenerator<CsvRow> {
  let header: CsvRow | undefined
  let marked = false
  for await (const row of allRows(text, ifJson)) {
    marked ||= row.marked
    if (!row.problem && row.fields.every((field) => field.trim() === '')) continue
    if ((!header || marked) && namesSeparator(row)) continue
    if (!marked || row.fields.join() !== header?.fields.join()) yield { ...row, marked }
    header ??= row
    marked = false
  }
}

function namesSeparator({ fields }: CsvRow): boolean {
  return fields.length === 2 && fields.join('').toLowerCase() === 'sep='
}

async function* allRows(text: AsyncIterable<string>, ifJson: string): AsyncGenerator<CsvRow> {
  const reader = new RowReader(ifJson)
  for await (const chunk of text) yield* reader.read(chunk)
  yield* reader.end()
}

/** White space before the header. A tab can be a separator. */
const BLANKS = /^[^\S\t]*/
const JSON_BEGIN = /^\s*(?:\[\s*[{\]]|\{\s*["}])/
const FIELD_ENDS = new RegExp(`["${SEPARATORS}\\r\\n]`, 'g')

/** Returns the header's first separator outside quotes, or the line end of a header with one field. */
function firstFieldEnd(header: string): string | undefined {
  let isQuoted = false
  for (const [end] of header.matchAll(FIELD_ENDS)) {
    if (end === '"') isQuoted = !isQuoted
    else if (!isQuoted) return end
  }
  return /[\r\n]/.test(header) || header.length > RECORD_MAX ? ',' : undefined
}

/** Keeps its state between chunks, so that it reads each character once and drops the text of a row that is too long. */
class RowReader {
  /** Text that the next chunk may continue: the beginning of the header, or a carriage return. */
  private held = ''
  private separator = ''
  /** Matches a quote, a separator, a line end, or other text. */
  private token = /^/g
  private row: CsvRow = { line: 1, fields: [], marked: false }
  private field = ''
  /** `quote`: after a quote in a quoted field, which is its end or the first of two. */
  private state: 'start' | 'plain' | 'quoted' | 'quote' | 'after' = 'start'
  private isWellFormed = true
  /** The characters of the row so far. */
  private length = 0
  /** The line of the next character, and of the row's last one that is not white space. */
  private line = 1
  private lastLine = 1

  constructor(private readonly ifJson: string) {}

  /** Sets the separator once the first line has arrived. Returns the text without white space before the header. */
  private begin(text: string): string {
    const [blanks = ''] = BLANKS.exec(text) ?? []
    this.row.marked ||= blanks.includes('\ufeff')
    this.line += blanks.match(/\r\n?|\n/g)?.length ?? 0
    this.row.line = this.line
    const begin = text.slice(blanks.length)
    if (JSON_BEGIN.test(begin)) {
      throw new FileError(`The file is JSON, not CSV.${this.ifJson}`)
    }
    const found = firstFieldEnd(begin)
    if (found) this.setSeparator(SEPARATORS.includes(found) ? found : ',')
    return begin
  }

  private setSeparator(separator: string): void {
    this.separator = separator
    this.token = new RegExp(`"|${separator}|\\r\\n?|\\n|[^"${separator}\\r\\n]+`, 'g')
  }

  *read(chunk: string): Generator<CsvRow> {
    const text = this.held + chunk
    // The next chunk may start with the line feed of this line end.
    const end = text.endsWith('\r') ? text.length - 1 : text.length
    const whole = this.separator ? text.slice(0, end) : this.begin(text.slice(0, end))
    this.held = (this.separator ? '' : whole) + text.slice(end)
    if (!this.separator) return
    for (const [token] of whole.matchAll(this.token)) if (this.take(token)) yield this.next()
  }

  *end(): Generator<CsvRow> {
    yield* this.read('\n')
    if (this.state !== 'quoted') return
    this.isWellFormed = false
    yield this.next()
  }

  /** Returns whether the token ends the row. */
  private take(token: string): boolean {
    const isLineEnd = token[0] === '\n' || token[0] === '\r'
    if (isLineEnd) this.line++
    if (this.state !== 'quoted' && (isLineEnd || token === this.separator)) {
      this.row.fields.push(this.field)
      ;[this.field, this.state] = ['', 'start']
      if (isLineEnd) return true
    } else if (this.length === 0 && token[0] === '\ufeff') {
      this.row.marked = true
      this.takeText(token.replace(/^\ufeff+/, ''))
    } else this.takeText(token)
    this.length += token.length
    if (this.length > RECORD_MAX) [this.field, this.row.fields] = ['', []]
    return false
  }

  private takeText(token: string): void {
    const { state } = this
    const isQuote = token === '"'
    const isBlank = token.trim() === ''
    if (!isBlank) this.lastLine = this.line
    if (isQuote && (state === 'start' || state === 'quote')) {
      this.field = state === 'start' ? '' : `${this.field}"`
      this.state = 'quoted'
    } else if (isQuote && state === 'quoted') this.state = 'quote'
    else if (state === 'quote' || state === 'after') {
      this.state = 'after'
      this.isWellFormed &&= isBlank
    } else {
      this.field += token
      if (state === 'start' && !isBlank) this.state = 'plain'
      if (state !== 'quoted' && isQuote) this.isWellFormed = false
    }
  }

  private next(): CsvRow {
    const { row, lastLine } = this
    if (this.length > RECORD_MAX) {
      row.fields = []
      row.problem = 'is too long. Is a closing quote missing?'
    } else if (!this.isWellFormed) row.problem = 'has a misplaced or unclosed quote.'
    if (row.problem && lastLine > row.line) row.problem += ` Lines ${row.line} to ${lastLine} were read as one record.`
    this.row = { line: this.line, fields: [], marked: false }
    ;[this.field, this.state, this.isWellFormed, this.length] = ['', 'start', true, 0]
    return row
  }
}
