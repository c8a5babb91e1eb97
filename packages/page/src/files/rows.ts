// The rows of a CSV file: their cells, mistakes and outcomes.

import { NEW_PET_SCHEMA } from '../../../contract/src/generated.ts'
import { guessedColumns, knownColumns, missingColumns } from '../../../files/src/columns.ts'
import { isRounded, petOf, readCsv } from '../../../files/src/csv.ts'
import { type ColumnPositions, FileError, type SourceRecord, type Unchecked } from '../../../files/src/format.ts'
import { decodedText, type Encoding, NotUtf8 } from '../../../files/src/text.ts'
import { NO_PROBLEMS, type Problems } from '../animal/field-problems.ts'
import { FIELD_NAMES, FIELDS, type Field } from '../animal/fields.ts'
import { STATUSES } from '../animal/status-labels.ts'
import { names } from '../names.ts'
import { loadPart } from '../parts/loaded.ts'
import { plain } from '../parts/visible-text.ts'
import { commonEncodings, lettersOf } from './encodings.ts'

export interface ImportRow {
  readonly line: number
  cells: Readonly<Record<Field, string>>
  problems: Problems
  /** True once it had a mistake, so that a fixed row stays in the table. */
  mistaken: boolean
  /** `present`: an earlier import of the same file added it. */
  state: 'open' | 'skipped' | 'added' | 'present'
  id?: bigint
  key?: string
}

/** The person's decisions about a file. */
export interface ImportAnswers {
  columns?: ColumnPositions | undefined
  /** For rows without a category. */
  category?: string
  encoding?: Encoding
  /** The file has no headings, so its first line is an animal. */
  noHeadings?: boolean
}

export interface Contents {
  headings: readonly string[]
  columns: ColumnPositions
  guessed: boolean
  /** Fields that several columns fit equally well, until the person has chosen. */
  unclear: readonly Field[]
  /** `undefined` if the file is UTF-8 or has a byte order mark. */
  encoding: Encoding | undefined
  /** The first letters of the file that differ, by encoding. */
  letters: ReadonlyMap<Encoding, string>
  /** `undefined` until the columns are known. */
  rows?: ImportRow[] | undefined
}

/** Short enough not to be noticed, even on a slow device. */
const BUSY_MS = 12

/** Reads a file that is not UTF-8 in the first common encoding that can decode it. Throws FileError. */
export async function readContents(file: File, answers: ImportAnswers, signal: AbortSignal): Promise<Contents> {
  const { encoding, category = '', noHeadings = false } = answers
  const name = plain(file.name)
  const letters = encoding ? await lettersOf(chunksOf(file)) : new Map<Encoding, string>()
  const contents: Contents = { headings: [], columns: {}, guessed: false, unclear: [], encoding, letters }
  function columnsOf(cells: readonly string[]): ColumnPositions {
    const headings = noHeadings ? cells.map((cell, at) => `${at + 1}: ${cell}`) : cells
    const known = knownColumns(headings)
    contents.guessed = known.unclear.length > 0 || missingColumns(known.columns, false).length > 0
    const found = contents.guessed && !noHeadings ? guessedColumns(headings) : known
    contents.headings = headings
    contents.columns = answers.columns ?? found.columns
    contents.unclear = found.unclear.filter((field) => !(answers.columns && field in answers.columns))
    return contents.columns
  }
  const rows: ImportRow[] = []
  let until = 0
  const text = decodedText(name, chunksOf(file), encoding, { workbooks: readWorkbook })
  try {
    for await (const record of readCsv(text, { columnsOf, category, noHeadings })) {
      if (contents.unclear.length > 0 || missingColumns(contents.columns, category !== '').length > 0) return contents
      rows.push(toRow(record))
      if (performance.now() < until) continue
      await new Promise((resolve) => setTimeout(resolve))
      signal.throwIfAborted()
      until = performance.now() + BUSY_MS
    }
  } catch (error) {
    if (!(error instanceof NotUtf8)) throw error
    for (const encoding of commonEncodings()) {
      if (await canDecode(file, encoding)) return readContents(file, { ...answers, encoding }, signal)
    }
    throw error
  }
  if (rows.length === 0) throw new FileError(`There are no records in ${name}.`)
  return { ...contents, rows }
}

/** In a worker, because a large workbook takes seconds. */
async function* readWorkbook(file: string, bytes: Uint8Array<ArrayBuffer>): AsyncGenerator<string> {
  const { workbookInWorker } = await loadPart(import('./workbook-worker.ts'))
  yield* workbookInWorker(file, bytes)
}

async function canDecode(file: File, encoding: Encoding): Promise<boolean> {
  try {
    for await (const _ of decodedText(file.name, chunksOf(file), encoding));
    return true
  } catch (error) {
    if (error instanceof FileError) return false
    throw error
  }
}

async function* chunksOf(file: File): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield value
  }
}

function toRow({ line, pet, partly, problem }: SourceRecord): ImportRow {
  const read: Partial<Record<Field, unknown>> = pet ?? partly ?? {}
  const { categoryId } = read
  const shown = typeof categoryId === 'bigint' ? { ...read, categoryId: names().nameOf(categoryId) } : read
  const cells = Object.fromEntries(
    FIELD_NAMES.map((field) => [field, String(shown[field] ?? '')]),
  ) as ImportRow['cells']
  const problems = pet ? problemsOf(cells) : { fields: {}, other: `This row ${problem}` }
  return { line, cells, problems, mistaken: problems !== NO_PROBLEMS, state: 'open' }
}

/** A category is its name or its id. */
export function petIn(cells: ImportRow['cells']): Unchecked {
  const pet = petOf(cells)
  const id = names().idOf(cells.categoryId)
  return id === undefined ? pet : { ...pet, categoryId: id }
}

const { maxLength, pattern } = NEW_PET_SCHEMA.properties.name
const NAME = new RegExp(pattern, 'u')
const LABELS = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(STATUSES.map(([, label]) => label))

/** Checks for common mistakes, in the page's words. The service checks everything when the row is added. */
function problemsOf(cells: ImportRow['cells']): Problems {
  const { name, categoryId, status } = cells
  const fields: Problems['fields'] = {}
  if (name.trim() === '') fields.name = 'Enter a name.'
  else if (!NAME.test(name) || [...name].length > maxLength) fields.name = `Enter at most ${maxLength} letters.`
  if (categoryId.trim() === '') fields.categoryId = 'Enter a category.'
  else if (isRounded(categoryId)) fields.categoryId = 'A spreadsheet has rounded this number. Enter all its digits.'
  else if (FIELDS.categoryId.parse(categoryId) === undefined) {
    fields.categoryId = `Enter ${FIELDS.categoryId.typed?.mustBe}.`
  }
  if (status !== '' && FIELDS.status.parse(status) === undefined) fields.status = `Choose ${LABELS}.`
  return Object.keys(fields).length > 0 ? { fields, other: '' } : NO_PROBLEMS
}

export function fix(row: ImportRow, change: Partial<ImportRow['cells']>): void {
  row.cells = { ...row.cells, ...change }
  row.problems = problemsOf(row.cells)
}

/** A category or a status that is in the file, but not in the store. */
export interface UnknownValue {
  field: 'categoryId' | 'status'
  text: string
  rows: number
}

/** Returns each unknown value once, with the number of its rows, the most frequent first. */
export function unknownValues(rows: readonly ImportRow[]): UnknownValue[] {
  const values = new Map<string, UnknownValue>()
  for (const { cells, problems, state } of rows) {
    if (state !== 'open') continue
    for (const field of ['categoryId', 'status'] as const) {
      const text = cells[field].trim()
      if (!problems.fields[field] || text === '' || isRounded(text)) continue
      const value = values.get(`${field} ${text}`) ?? { field, text, rows: 0 }
      value.rows++
      values.set(`${field} ${text}`, value)
    }
  }
  return [...values.values()].sort((one, other) => other.rows - one.rows)
}

export function isWrong({ problems }: ImportRow): boolean {
  return problems !== NO_PROBLEMS
}

export function isReady(row: ImportRow): boolean {
  return row.state === 'open' && !isWrong(row)
}

export type Counts = Record<'ready' | 'wrong' | 'skipped' | 'added' | 'present' | 'mistaken', number>

export function countsOf(rows: readonly ImportRow[]): Counts {
  const counts: Counts = { ready: 0, wrong: 0, skipped: 0, added: 0, present: 0, mistaken: 0 }
  for (const row of rows) {
    counts[row.state !== 'open' ? row.state : isWrong(row) ? 'wrong' : 'ready']++
    if (row.mistaken) counts.mistaken++
  }
  return counts
}
