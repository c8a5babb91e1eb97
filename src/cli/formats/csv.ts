// CSV (RFC 4180, or with semicolons or tabs, as spreadsheets write it) with a header. Pets that are read have name and categoryId, and optionally status; other columns are ignored,
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
    let header: Header | undefined
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

interface Header {
  fields: number
  /** Which field has it; -1 where none has. */
  at: Record<'name' | 'categoryId' | 'status', number>
}

function checkedHeader({ fields }: Row): Header {
  const names = fields.map((name) => name.trim())
  const at = {
    name: placeOf('name', names),
    categoryId: placeOf('categoryId', names),
    status: placeOf('status', names),
  }
  const missing = (['name', 'categoryId'] as const).filter((name) => at[name] < 0)
  if (missing.length === 0) return { fields: names.length, at }
  throw new StartError(
    `The first line must name the columns, separated by commas, semicolons or tabs. Missing: ${missing.join(', ')}. It has: ${names.join(' | ')}.`,
  )
}

/** As it is written, or as spreadsheets have it: `Category ID`, `category_id` or `Category` for categoryId. */
function placeOf(column: string, names: readonly string[]): number {
  const plain = (name: string) => name.replaceAll(/[ _-]/g, '').toLowerCase().replace(/id$/, '')
  const exact = names.indexOf(column)
  return exact >= 0 ? exact : names.findIndex((name) => plain(name) === plain(column))
}

function recordOf({ line, fields, wellFormed }: Row, header: Header): SourceRecord {
  if (!wellFormed) return { line, problem: 'has a misplaced quote, or a quote that is not closed.' }
  if (fields.length !== header.fields) {
    return { line, problem: `has ${fields.length} fields where the first line has ${header.fields}.` }
  }
  return { line, pet: petOf(fields[header.at.name], fields[header.at.categoryId], fields[header.at.status]) }
}

/** Text that is not an integer is sent as it is, and the service reports what is wrong. */
function petOf(name = '', categoryId = '', status = ''): Unchecked {
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
  /** The first one in the header decides; the others are then parts of a field. */
  private separator: string | undefined
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
    if (this.separator === undefined && [',', ';', '\t'].includes(character)) this.separator = character
    if (character === this.separator) this.push()
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
    if (!blank) {
      this.separator ??= ','
      yield this.row
    }
    this.row = { line: this.line, fields: [], wellFormed: true }
  }
}
