// CSV (RFC 4180) with a header. Pets that are read have name and categoryId, and optionally status; other columns are ignored,
// so that an export can be imported. The parser is our own because the parsers we tried report wrong line numbers after a field of several
// lines or after an error.

import { StartError } from '../../domain/errors.ts'
import type { Format, SourceRecord, Unchecked } from './format.ts'
import { RECORD_MAX } from './ndjson.ts'

interface Row {
  line: number
  fields: string[]
  /** The quotes follow RFC 4180. */
  wellFormed: boolean
}

export const csv: Format = {
  async *read(text) {
    let header: string[] | undefined
    for await (const row of rows(text)) {
      if (header) yield recordOf(row, header)
      else header = checkedHeader(row)
    }
  },

  async *write(items, columns) {
    yield `${columns.join(',')}\n`
    for await (const item of items) {
      const fields = new Map(Object.entries(item))
      yield `${columns.map((column) => quoted(String(fields.get(column) ?? ''))).join(',')}\n`
    }
  },
}

function checkedHeader({ fields }: Row): string[] {
  const names = fields.map((name) => name.trim())
  const missing = ['name', 'categoryId'].filter((name) => !names.includes(name))
  if (missing.length === 0) return names
  throw new StartError(
    `The first line must name the columns, separated by commas. Missing: ${missing.join(', ')}. It has: ${names.join(' | ')}.`,
  )
}

function recordOf({ line, fields, wellFormed }: Row, header: readonly string[]): SourceRecord {
  if (!wellFormed) return { line, problem: 'has a misplaced quote, or a quote that is not closed.' }
  if (fields.length !== header.length) {
    return { line, problem: `has ${fields.length} fields where the first line has ${header.length}.` }
  }
  return { line, pet: petOf(Object.fromEntries(header.map((name, column) => [name, fields[column] ?? '']))) }
}

/** Text that is not an integer is sent as it is, and the service reports what is wrong. */
function petOf({ name, categoryId = '', status }: Record<string, string>): Unchecked {
  const integer = /^-?[0-9]{1,100}$/.test(categoryId.trim())
  return { name, categoryId: integer ? BigInt(categoryId) : categoryId, ...(status ? { status } : {}) }
}

function quoted(text: string): string {
  return /["\r\n,]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

async function* rows(text: AsyncIterable<string>): AsyncGenerator<Row> {
  const reader = new RowReader()
  for await (const chunk of text) yield* reader.take(chunk)
  yield* reader.end()
}

type Position = 'field start' | 'plain' | 'in quotes' | 'after quotes'

class RowReader {
  private line = 1
  private row: Row = { line: 1, fields: [], wellFormed: true }
  private field = ''
  private position: Position = 'field start'
  /** A CR has been read: part of the line end if LF follows, of the field otherwise. */
  private pendingReturn = false

  end(): Generator<Row> {
    if (this.position === 'in quotes') this.row.wellFormed = false
    return this.finish()
  }

  *take(chunk: string): Generator<Row> {
    for (const character of chunk) {
      if (character === '\n') this.line++
      if (this.position === 'in quotes') this.inQuotes(character)
      else if (character === '\n') yield* this.finish()
      else if (character === '\r' && !this.pendingReturn) this.pendingReturn = true
      else this.outside(character)
    }
    if (this.field.length > RECORD_MAX || this.row.fields.length > RECORD_MAX) {
      throw new StartError(`Line ${this.row.line} starts a record that is too long. Is a closing quote missing?`)
    }
  }

  private inQuotes(character: string): void {
    if (character === '"') this.position = 'after quotes'
    else this.field += character
  }

  private outside(character: string): void {
    if (this.pendingReturn) {
      this.pendingReturn = false
      this.plain('\r')
    }
    if (character === ',') this.push()
    else if (this.position === 'after quotes' && character === '"') {
      // Two quotes in a row stand for one.
      this.field += character
      this.position = 'in quotes'
    } else if (this.position === 'field start' && character === '"') {
      this.position = 'in quotes'
    } else this.plain(character)
  }

  private plain(character: string): void {
    if (character === '"' || this.position === 'after quotes') this.row.wellFormed = false
    if (this.position === 'field start') this.position = 'plain'
    this.field += character
  }

  private push(): void {
    this.row.fields.push(this.field)
    this.field = ''
    this.position = 'field start'
  }

  /** Skips a blank line. */
  private *finish(): Generator<Row> {
    const quotedField = this.position === 'after quotes'
    this.pendingReturn = false
    this.push()
    const blank = this.row.fields.length === 1 && this.row.fields[0] === '' && !quotedField
    if (!blank) yield this.row
    this.row = { line: this.line, fields: [], wellFormed: true }
  }
}
