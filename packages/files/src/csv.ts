// CSV with a header. An import ignores columns that columns.ts does not assign.

import type { PetStatus } from '../../contract/src/generated.ts'
import { isOwnExport, neededColumns, toHeading } from './columns.ts'
import { type CsvRow, parseRows } from './csv-rows.ts'
import {
  type ColumnPositions,
  FIELDS,
  FileError,
  type Format,
  type ReadOptions,
  type SourceRecord,
  type Unchecked,
} from './format.ts'

export const csv: Format = {
  read: (text, options) =>
    readCsv(text, { columnsOf: neededColumns, ifJson: ' Use --format json or --format ndjson.', ...options }),
  write: writeCsv,
}

/** CSV for Excel, with a byte order mark and without cells that Excel runs as formulas. */
export const excel: Format = {
  read: (text, options) => csv.read(text, { ...options, forExcel: true }),
  write: writeExcel,
}

export async function* readCsv(
  text: AsyncIterable<string>,
  {
    columnsOf,
    category = '',
    forExcel = false,
    noHeadings = false,
    ifJson,
  }: ReadOptions & Required<Pick<ReadOptions, 'columnsOf'>>,
): AsyncGenerator<SourceRecord> {
  let header: Header | undefined
  for await (const row of parseRows(text, ifJson)) {
    if (header) yield recordOf(row, header)
    else {
      if (row.problem) throw new FileError(`Line ${row.line} ${row.problem}`)
      const headings = row.fields.map(toHeading)
      const fromExcel = forExcel || (row.marked && isOwnExport(headings))
      header = { length: headings.length, columns: columnsOf(headings), category, fromExcel }
      if (noHeadings) yield recordOf(row, header)
    }
  }
}

async function* writeCsv(items: AsyncIterable<object>, columns: readonly string[], separator = ',') {
  yield `${columns.join(separator)}\n`
  for await (const item of items) {
    const fields = new Map(Object.entries(item))
    yield `${columns.map((column) => quoted(String(fields.get(column) ?? ''), separator)).join(separator)}\n`
  }
}

export async function* writeExcel(...[items, ...others]: Parameters<Format['write']>): AsyncGenerator<string> {
  yield '\ufeff'
  yield* writeCsv(guarded(items), ...others)
}

interface Header {
  /** The number of columns. */
  length: number
  columns: ColumnPositions
  category: string
  fromExcel: boolean
}

function recordOf(row: CsvRow, { length, columns, category, fromExcel }: Header): SourceRecord {
  const { line, fields, problem } = row
  if (problem) return { line, problem }
  const cells: Record<string, string> = {}
  for (const field of FIELDS) {
    const at = columns[field]
    if (at !== undefined) cells[field] = fields[at] ?? ''
  }
  if (!cells.categoryId?.trim()) cells.categoryId = category
  const pet = fromExcel ? unguarded(petOf(cells)) : petOf(cells)
  // Excel omits separators at the end of a row, and adds some for emptied cells.
  const isShort = fields.length <= Math.max(columns.name ?? 0, columns.categoryId ?? 0)
  if (isShort || fields.slice(length).some((field) => field.trim() !== '')) {
    const has = fields.length === 1 ? '1 column' : `${fields.length} columns`
    return { line, problem: `has ${has}, but the heading has ${length}.`, partly: pet }
  }
  if (!isRounded(cells.categoryId)) return { line, pet }
  return {
    line,
    pet,
    problem: `has the category ${cells.categoryId}, which a spreadsheet has rounded. Enter all digits.`,
  }
}

/** Builds a pet from texts. */
export function petOf({ name, categoryId = '', ...row }: Record<string, string>): Unchecked {
  if (row.status) row.status = statusOf(row.status)
  const others = FIELDS.flatMap((field) => (row[field] ? [[field, row[field]]] : []))
  return { name, categoryId: categoryOf(categoryId), ...Object.fromEntries(others) }
}

/** Parses a category id. Returns other text unchanged, so that the service reports the problem. */
function categoryOf(text: string): bigint | string {
  return /^[+-]?[0-9]{1,100}$/.test(text.trim()) ? BigInt(text) : text
}

/** Returns whether a spreadsheet has rounded a number to `1.23E+15` or `1,23E+15`. */
export function isRounded(text: string): boolean {
  return /^\s*[+-]?[0-9]+(?:[.,][0-9]+)?E[+-]?[0-9]+\s*$/i.test(text)
}

/** English, German, French, Spanish, Italian, Dutch and Portuguese, without accents. */
const STATUS_WORDS: Record<PetStatus, string> = {
  available: 'verfugbar verfuegbar frei disponible libre disponibile libero libera beschikbaar vrij disponivel livre',
  pending:
    'reserved reserviert reserve reservee reservado reservada riservato riservata prenotato prenotata gereserveerd',
  sold: 'verkauft vendu vendue vendido vendida venduto venduta verkocht',
}
const STATUSES = Object.entries(STATUS_WORDS).map(([status, words]) => [status, words.split(' ')] as const)

/** The service rejects unknown words. */
function statusOf(text: string): string {
  const word = text.trim().toLowerCase()
  const plain = word.normalize('NFD').replaceAll(/\p{M}/gu, '')
  return STATUSES.find(([, words]) => words.includes(plain))?.[0] ?? word
}

function quoted(text: string, separator: string): string {
  return /["\r\n]|^\s|\s$/.test(text) || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text
}

// Adapts CSV for Excel: the separator of its language, and an apostrophe before text that it would run as a formula
// (OWASP, CSV injection). An import removes the apostrophes, so every name survives a round trip.

/**
 * Text that starts like this gets an apostrophe. That includes text with an apostrophe, so that an import knows which
 * ones were added.
 */
const RISKY = /^[=+\-@＝＋－＠\t\r\n']/
const isRisky = (text: string) => RISKY.test(text)

async function* guarded(items: AsyncIterable<object>): AsyncGenerator<object> {
  for await (const item of items) yield withTexts(item, (text) => (isRisky(text) ? `'${text}` : text))
}

function unguarded<Item extends object>(item: Item): Item {
  return withTexts(item, (text) => (text.startsWith("'") && isRisky(text.slice(1)) ? text.slice(1) : text))
}

function withTexts<Item extends object>(item: Item, change: (text: string) => string): Item {
  const changed = Object.entries(item).map(([name, value]) => [name, typeof value === 'string' ? change(value) : value])
  return Object.fromEntries(changed) as Item
}

/** `locale` defaults to the browser's language. */
export function listSeparator(locale?: string): string {
  return new Intl.NumberFormat(locale).format(0.5).includes(',') ? ';' : ','
}
