// CSV with a header: RFC 4180, or with semicolons or tabs, as spreadsheets write it. An import reads the columns name, categoryId and,
// if present, status. It ignores other columns, so that an export can be imported.
//
// The parser is our own. The gain: each problem of a file is reported with its line, also behind a misplaced quote. The price: the rules of quotes
// are here. Others see `csv`, a `Format` like the others. csv-parse 7.0 gives the last line of a record of several lines, and after a misplaced
// quote it skips records up to the next quote. Papa Parse 5.7 gives no lines, and takes all that follows a misplaced quote as one field. uDSV 0.7
// reports no errors.

import { FIELDS, FileError, type Format, PENDING_FOR_PEOPLE, type SourceRecord, type Unchecked } from './format.ts'
import { newlines, RECORD_MAX } from './ndjson.ts'

/** Of the fields: the first line shows which of them a file has. */
export const SEPARATORS = ',;\t'

export interface Row {
  line: number
  /** Its last line. */
  end: number
  fields: string[]
  /** The quotes follow RFC 4180. */
  wellFormed: boolean
}

export const csv: Format = {
  async *read(text) {
    let header: string[] | undefined
    for await (const row of rows(text)) {
      if (header) yield recordOf(row, header)
      else if (!namesSeparator(row)) header = checkedHeader(row)
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

/** Excel's `sep=;` before the header. */
export function namesSeparator({ fields }: Row): boolean {
  return fields.length === 2 && fields.join('').toLowerCase() === 'sep='
}

function checkedHeader(row: Row): string[] {
  const { line, fields } = row
  if (!row.wellFormed) throw new FileError(`Line ${line} ${misplacedQuote(row)}`)
  const names = fields.map((name) => name.trim())
  for (const field of FIELDS) rename(field, names)
  const twice = FIELDS.find((field) => names.indexOf(field) !== names.lastIndexOf(field))
  if (twice) throw new FileError(`The first line has more than one column ${twice}. Rename the others.`)
  const missing = ['name', 'categoryId'].filter((name) => !names.includes(name))
  if (missing.length === 0) return names
  throw new FileError(
    'The first line must name the columns, separated by commas, semicolons or tabs. ' +
      `Missing: ${missing.join(', ')}. It has: ${names.join(' | ')}.`,
  )
}

/** Gives a column its name where spreadsheets have another: `Category ID`, `category_id` or `Category` for categoryId. */
function rename(field: string, names: string[]): void {
  const plain = (name: string) => name.replaceAll(/[ _-]/g, '').toLowerCase().replace(/id$/, '')
  const at = names.includes(field) ? -1 : names.findIndex((name) => plain(name) === plain(field))
  if (at >= 0) names[at] = field
}

/** What follows a quote that is not closed belongs to its record. */
function misplacedQuote({ line, end }: Row): string {
  const lines = end > line ? ` Lines ${line} to ${end} were read as one record.` : ''
  return `has a misplaced quote, or a quote that is not closed.${lines}`
}

function recordOf(row: Row, header: readonly string[]): SourceRecord {
  const { line, fields } = row
  if (!row.wellFormed) return { line, problem: misplacedQuote(row) }
  const pet = petOf(Object.fromEntries(header.map((name, column) => [name, fields[column] ?? ''])))
  if (fields.length === header.length) return { line, pet }
  const has = fields.length === 1 ? '1 field' : `${fields.length} fields`
  return { line, problem: `has ${has} where the first line has ${header.length}.`, partly: pet }
}

/** Of the texts of its fields. One that is not an integer stays as it is, and the service reports what is wrong. */
export function petOf({ name, categoryId = '', ...row }: Record<string, string>): Unchecked {
  const integer = /^-?[0-9]{1,100}$/.test(categoryId.trim())
  if (row.status) row.status = statusOf(row.status)
  const others = FIELDS.flatMap((field) => (row[field] ? [[field, row[field]]] : []))
  return { name, categoryId: integer ? BigInt(categoryId) : categoryId, ...Object.fromEntries(others) }
}

/** Also as the page shows it. The service refuses any other text. */
function statusOf(text: string): string {
  const word = text.trim().toLowerCase()
  return word === PENDING_FOR_PEOPLE.toLowerCase() ? 'pending' : word
}

function quoted(text: string): string {
  return /["\r\n,]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The header's first separator, outside quotes; the others are then parts of a field. A header of one field ends the line. */
const SEPARATOR = new RegExp(`^[\\r\\n]*(?:"[^"]*"|[^"${SEPARATORS}\\r\\n])*([${SEPARATORS}\\r\\n])`)

/** Skips blank lines. */
export async function* rows(text: AsyncIterable<string>): AsyncGenerator<Row> {
  let [rest, line] = ['', 1]
  let field: RegExp | undefined
  for await (const chunk of text) {
    rest += chunk
    let at = 0
    const separator = SEPARATOR.exec(rest)?.[1] ?? (rest.includes('\n') ? ',' : undefined)
    field ??= separator === undefined ? undefined : fieldOf(separator)
    for (let row = field && readRow(rest, at, line, field); row && field; row = readRow(rest, at, line, field)) {
      if (!/^\r?\n$/.test(row.text)) yield row
      at += row.text.length
      line = row.end + 1
    }
    rest = rest.slice(at)
    if (rest.length > RECORD_MAX) {
      throw new FileError(`Line ${line} starts a record that is too long. Is a closing quote missing?`)
    }
  }
  if (rest === '') return
  const unclosed = { line, end: line + newlines(rest.trimEnd()), fields: [], wellFormed: false }
  yield readRow(`${rest}\n`, 0, line, field ?? fieldOf(',')) ?? unclosed
}

/** A field in quotes, with the text between its closing quote and the next separator, or a field without quotes. */
function fieldOf(separator: string): RegExp {
  const end = `${SEPARATORS.includes(separator) ? separator : ','}\n`
  return new RegExp(`"([^"]*(?:""[^"]*)*)"(?!")([^${end}]*)|(?!")([^${end}]*)`, 'y')
}

/** The row that begins at `start`, with its text; `undefined` when `all` ends before the row does. */
function readRow(all: string, start: number, line: number, field: RegExp): (Row & { text: string }) | undefined {
  const fields: string[] = []
  let wellFormed = true
  for (let at = start; ; at = field.lastIndex + 1) {
    field.lastIndex = at
    const [, quoted, ...others] = field.exec(all) ?? []
    const next = all[field.lastIndex]
    if (others.length === 0 || next === undefined) return undefined
    const plain = (others[0] ?? others[1] ?? '').replace(next === '\n' ? /\r$/ : '', '')
    if (quoted === undefined ? plain.includes('"') : plain !== '') wellFormed = false
    fields.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (next !== '\n') continue
    const text = all.slice(start, field.lastIndex + 1)
    return { line, end: line + newlines(text) - 1, fields, wellFormed, text }
  }
}
