// Reads category names as CSV with the columns id and name, such as the file in PETSTORE_CATEGORIES. Reports all
// problems together.

import { INT64_EXPECTED, int64FromDecimal } from '../../contract/src/json.ts'
import { shown } from '../../contract/src/schema.ts'
import { toHeading } from '../../files/src/columns.ts'
import { type CsvRow, parseRows } from '../../files/src/csv-rows.ts'
import { FileError } from '../../files/src/format.ts'
import { CATEGORIES_MAX, type Category, nameRules } from '../../service/src/domain/names.ts'
import { StartError } from '../../service/src/domain/start-error.ts'
import { absolutePath } from '../../service/src/store/absolute-path.ts'
import { Source } from './data-files.ts'
import { grouped } from './terminal/print.ts'

/** Throws StartError with all problems of the file, which `what` names. */
export async function readCategories(file: string, what = `PETSTORE_CATEGORIES (${file})`): Promise<Category[]> {
  const categories: Category[] = []
  const problems: string[] = []
  let columns: readonly string[] | undefined
  let rows = 0
  try {
    const take = categoriesTo(categories, problems)
    for await (const row of parseRows(new Source(file === '-' ? file : absolutePath(file)).text())) {
      if (!columns) columns = columnsOf(row)
      else if (++rows <= CATEGORIES_MAX) take(row, columns)
      else throw new StartError(`The file has more than ${grouped(CATEGORIES_MAX)} categories.`)
    }
    if (!columns) throw new StartError('The file is empty. Its first line must name the columns id and name.')
  } catch (error) {
    if (!(error instanceof StartError || error instanceof FileError)) throw error
    problems.push(error.message)
  }
  if (problems.length === 0) return categories
  throw new StartError(`${what} cannot be used:\n  ${problems.join('\n  ')}`)
}

function categoriesTo(categories: Category[], problems: string[]) {
  const problemsOf = nameRules(shown)
  return (row: CsvRow, columns: readonly string[]): void => {
    const { line, fields } = row
    const report = (problem: string) => problems.push(`line ${line}: ${problem}`)
    const problem = problemOf(row, columns)
    if (problem) return void report(problem)
    const cell = (column: string) => (fields[columns.indexOf(column)] ?? '').trim()
    const [id, name] = [int64FromDecimal(cell('id')), cell('name')]
    if (id === undefined) report(`id must be ${INT64_EXPECTED}, not ${shown(cell('id'))}.`)
    for (const problem of problemsOf(id, name, `on line ${line}`)) report(problem)
    if (id !== undefined) categories.push({ id, name })
  }
}

/** Throws StartError unless each column is there once. Ignores other columns. */
function columnsOf({ fields }: CsvRow): string[] {
  const columns = fields.map((field) => toHeading(field).toLowerCase())
  const isOnce = (column: string) => columns.includes(column) && columns.indexOf(column) === columns.lastIndexOf(column)
  if (isOnce('id') && isOnce('name')) return columns
  throw new StartError(`The first line must name the columns id and name once. It has: ${fields.join(' | ')}.`)
}

/** Allows the empty fields that spreadsheets add. A missing field is reported later, as an invalid id or name. */
function problemOf({ fields, problem }: CsvRow, { length }: readonly string[]): string | undefined {
  if (problem) return `It ${problem}`
  if (fields.slice(length).every((field) => field.trim() === '')) return undefined
  return `It has ${fields.length} fields, but the first line has ${length}.`
}
