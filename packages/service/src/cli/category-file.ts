// Reads the file in PETSTORE_CATEGORIES: category names as CSV with the columns id and name. Reports all its problems
// together, before anything starts.

import { int64FromDecimal } from '../../../contract/src/int64.ts'
import { type CsvRow, rowsOf } from '../../../files/src/csv-rows.ts'
import { FileError } from '../../../files/src/format.ts'
import { refuseWorkbook } from '../../../files/src/text.ts'
import { CATEGORIES_MAX, type Category, folded, nameFault } from '../domain/names.ts'
import { StartError } from '../domain/start-error.ts'
import { absolutePath } from '../store/absolute-path.ts'
import { grouped } from '../terminal/print.ts'
import { Source } from './import-source.ts'

/** Throws StartError with all problems of the file. */
export async function readCategories(file: string): Promise<Category[]> {
  const reading = new Reading()
  try {
    refuseWorkbook(file)
    for await (const row of rowsOf(new Source(absolutePath(file)).text())) reading.take(row)
    reading.end()
  } catch (error) {
    if (!(error instanceof StartError || error instanceof FileError)) throw error
    reading.problems.push(error.message)
  }
  const { categories, problems } = reading
  if (problems.length === 0) return categories
  throw new StartError(`PETSTORE_CATEGORIES (${file}) cannot be used:\n  ${problems.join('\n  ')}`)
}

class Reading {
  readonly categories: Category[] = []
  readonly problems: string[] = []
  private columns: readonly string[] | undefined
  private rows = 0
  /** The line of each id and each folded name. */
  private readonly lines = new Map<bigint | string, number>()

  /** Throws StartError if the rest of the file does not matter. */
  take(row: CsvRow): void {
    if (this.columns) this.takeCategory(row, this.columns)
    else this.columns = columnsOf(row)
  }

  end(): void {
    if (!this.columns) throw new StartError('The file is empty. Its first line must name the columns id and name.')
  }

  private takeCategory(row: CsvRow, columns: readonly string[]): void {
    if (++this.rows > CATEGORIES_MAX)
      throw new StartError(`The file has more than ${grouped(CATEGORIES_MAX)} categories.`)
    const problem = problemOf(row, columns)
    if (problem) {
      this.report(row, problem)
      return
    }
    const cell = (column: string) => (row.fields[columns.indexOf(column)] ?? '').trim()
    const [id, name] = [int64FromDecimal(cell('id')), cell('name')]
    if (id === undefined) this.report(row, 'id must be a 64-bit integer in decimal digits.')
    else this.takeOnce(row, id, `The id ${id}`)
    const fault = nameFault(name) ?? (isNumber(name) ? 'must not be a number, because numbers are ids' : undefined)
    if (fault !== undefined) this.report(row, `name ${fault}.`)
    else this.takeOnce(row, folded(name), `The name ${JSON.stringify(name)}`)
    if (id !== undefined) this.categories.push({ id, name })
  }

  private takeOnce(row: CsvRow, key: bigint | string, what: string): void {
    const before = this.lines.get(key)
    if (before !== undefined) this.report(row, `${what} is also on line ${before}.`)
    else this.lines.set(key, row.line)
  }

  private report({ line }: CsvRow, problem: string): void {
    this.problems.push(`line ${line}: ${problem}`)
  }
}

/** Throws StartError if a column is missing. Ignores other columns. */
function columnsOf({ fields }: CsvRow): string[] {
  const columns = fields.map((field) => field.trim().toLowerCase())
  if (columns.includes('id') && columns.includes('name')) return columns
  throw new StartError(`The first line must name the columns id and name. It has: ${fields.join(' | ')}.`)
}

/** Allows the empty fields that spreadsheets add. A missing field is reported later, as an invalid id or name. */
function problemOf({ fields, wellFormed }: CsvRow, { length }: readonly string[]): string | undefined {
  if (!wellFormed) return 'It has a misplaced or unclosed quote.'
  if (fields.slice(length).every((field) => field.trim() === '')) return undefined
  return `It has ${fields.length} fields, but the first line has ${length}.`
}

function isNumber(name: string): boolean {
  return /^[+-]?[0-9]+$/.test(folded(name))
}
