// CSV (RFC 4180) with a head that names its columns: name and categoryId, and status if there is one. Other columns are
// ignored, so that what was exported can be imported. Reading is ours because the parsers we tried lose count of the
// lines where a text goes over several, or behind a mistake.

import { StartError } from '../../errors.ts'
import type { Format, SourceRecord, Unchecked } from './format.ts'
import { RECORD_MAX } from './ndjson.ts'

const COLUMNS = ['id', 'name', 'categoryId', 'status'] as const

interface Row {
  line: number
  fields: string[]
  /** The quotes are as RFC 4180 has them. */
  wellFormed: boolean
}

export const csv: Format = {
  async *read(text) {
    let head: string[] | undefined
    for await (const row of rows(text)) {
      if (head) yield recordOf(row, head)
      else head = checkedHead(row)
    }
  },

  async *write(pets) {
    yield `${COLUMNS.join(',')}\n`
    for await (const pet of pets) yield `${COLUMNS.map((column) => quoted(String(pet[column]))).join(',')}\n`
  },
}

function checkedHead({ fields }: Row): string[] {
  const names = fields.map((name) => name.trim())
  const missing = ['name', 'categoryId'].filter((name) => !names.includes(name))
  if (missing.length === 0) return names
  throw new StartError(
    `The first line must name the columns, parted by commas. Missing: ${missing.join(', ')}. It has: ${names.join(' | ')}.`,
  )
}

function recordOf({ line, fields, wellFormed }: Row, head: readonly string[]): SourceRecord {
  if (!wellFormed) return { line, problem: 'has a quote where none may stand, or one that is not closed.' }
  if (fields.length !== head.length) {
    return { line, problem: `has ${fields.length} fields where the first line has ${head.length}.` }
  }
  return { line, pet: petOf(Object.fromEntries(head.map((name, column) => [name, fields[column] ?? '']))) }
}

/** What is no integer goes as it is: the service says what is wrong with it. */
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

type Place = 'field start' | 'plain' | 'in quotes' | 'after quotes'

class RowReader {
  private line = 1
  private row: Row = { line: 1, fields: [], wellFormed: true }
  private field = ''
  private place: Place = 'field start'
  /** A CR that belongs to the line's end if LF follows, and to the field otherwise. */
  private heldReturn = false

  end(): Generator<Row> {
    if (this.place === 'in quotes') this.row.wellFormed = false
    return this.finish()
  }

  *take(chunk: string): Generator<Row> {
    for (const character of chunk) {
      if (character === '\n') this.line++
      if (this.place === 'in quotes') this.inQuotes(character)
      else if (character === '\n') yield* this.finish()
      else if (character === '\r' && !this.heldReturn) this.heldReturn = true
      else this.outside(character)
    }
    if (this.field.length > RECORD_MAX || this.row.fields.length > RECORD_MAX) {
      throw new StartError(`Line ${this.row.line} begins a record that is too long. Is a closing quote missing?`)
    }
  }

  private inQuotes(character: string): void {
    if (character === '"') this.place = 'after quotes'
    else this.field += character
  }

  private outside(character: string): void {
    if (this.heldReturn) {
      this.heldReturn = false
      this.plain('\r')
    }
    if (character === ',') this.push()
    else if (this.place === 'after quotes' && character === '"') {
      // Two of them stand for one.
      this.field += character
      this.place = 'in quotes'
    } else if (this.place === 'field start' && character === '"') {
      this.place = 'in quotes'
    } else this.plain(character)
  }

  private plain(character: string): void {
    if (character === '"' || this.place === 'after quotes') this.row.wellFormed = false
    if (this.place === 'field start') this.place = 'plain'
    this.field += character
  }

  private push(): void {
    this.row.fields.push(this.field)
    this.field = ''
    this.place = 'field start'
  }

  /** A blank line is no row. */
  private *finish(): Generator<Row> {
    const quotedField = this.place === 'after quotes'
    this.heldReturn = false
    this.push()
    const blank = this.row.fields.length === 1 && this.row.fields[0] === '' && !quotedField
    if (!blank) yield this.row
    this.row = { line: this.line, fields: [], wellFormed: true }
  }
}
