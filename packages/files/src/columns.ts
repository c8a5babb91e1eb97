// Assigns CSV columns to fields: by heading, by the user's choice, or by a guess.

import { type Columns, FIELDS, type Field, FileError } from './format.ts'

/** The user's assignments by heading. `undefined` ignores a column. */
export type Said = ReadonlyMap<string, Field | undefined>

/** Common headings, the best first. */
const WORDS: Record<Field, string> = {
  name: 'name itemname title titel bezeichnung nom nombre nome naam item product artikel animal tier pet',
  categoryId: 'category categories kategorie categorie categoria type art species group gruppe breed rasse',
  status: 'status state availability zustand statut estado stato',
}

/** Finds columns by their headings: `Category ID`, `category_id` or `Category` for categoryId. */
export function knownColumns(headings: readonly string[]): Columns {
  const known: Columns = {}
  for (const field of FIELDS) {
    const at = headings.indexOf(field)
    if (at !== headings.lastIndexOf(field)) {
      throw new FileError(`The first line has more than one column ${field}. Rename the others.`)
    }
    const found = at >= 0 ? at : headings.findIndex((heading) => plain(heading) === plain(field))
    if (found >= 0) known[field] = found
  }
  return known
}

/** Finds columns by their headings, and guesses the other fields. */
export function guessedColumns(headings: readonly string[]): Columns {
  const columns = knownColumns(headings)
  // In lower case, without accents.
  const folded = headings.map((heading) => heading.normalize('NFKD').replaceAll(/\P{L}/gu, '').toLowerCase())
  for (const field of FIELDS) {
    const isFree = (at: number) => !Object.values(columns).includes(at)
    const find = (fits: (heading: string, word: string) => boolean) =>
      WORDS[field]
        .split(' ')
        .map((word) => folded.findIndex((heading, at) => isFree(at) && fits(heading, word)))
        .find((at) => at >= 0)
    const guess =
      find((heading, word) => heading === word) ?? find((heading, word) => word.length > 3 && heading.includes(word))
    if (columns[field] === undefined && guess !== undefined) columns[field] = guess
  }
  return columns
}

/**
 * Combines known headings with `said`. Throws FileError if the name or the category has no column. With `category`,
 * the category needs no column.
 */
export function neededColumns(headings: readonly string[], said: Said = new Map(), category = false): Columns {
  const columns = knownColumns(headings)
  for (const [heading, field] of said) {
    const at = headings.indexOf(heading)
    if (at < 0) throw new FileError(`There is no column ${heading}. ${listed(headings)}`)
    for (const known of FIELDS) if (columns[known] === at) delete columns[known]
    if (field) columns[field] = at
  }
  const missing = missingColumns(columns, category)
  if (missing.length === 0) return columns
  const guess = guessedColumns(headings)
  const pairs = missing.map((field) => `${headings[guess[field] ?? -1] ?? 'HEADING'}=${field}`)
  const orCategory = missing.includes('categoryId') ? ', or set one category for all records with --category' : ''
  throw new FileError(
    'The first line must name the columns, separated by commas, semicolons or tabs. ' +
      `Missing: ${missing.join(', ')}. ${listed(headings)} Assign columns with --columns "${pairs.join(',')}"${orCategory}.`,
  )
}

export function missingColumns(columns: Columns, category: boolean): Field[] {
  const needed: Field[] = category ? ['name'] : ['name', 'categoryId']
  return needed.filter((field) => columns[field] === undefined)
}

/** Returns the headings that an import ignores, except ids, which every import ignores. */
export function ignoredHeadings(headings: readonly string[], columns: Columns): string[] {
  const read = Object.values(columns)
  return headings.filter((heading, at) => heading !== '' && heading !== 'id' && !read.includes(at))
}

/** Parses `Item Name=name,Tags=`, where a column without a field is ignored. Throws Error ("must be …"). */
export function saidColumns(text: string): Said {
  const pairs = [...text.matchAll(/([^=]+)=([^=,]*)(?:,(?=.)|$)/g)]
  const said = pairs.map(([, heading = '', name = '']) => {
    const field = FIELDS.find((each) => plain(each) === plain(name.trim()))
    return [heading.trim(), field, field !== undefined || name.trim() === ''] as const
  })
  if (text === '' || pairs.map(([pair]) => pair).join('') !== text || said.some(([, , isField]) => !isField)) {
    throw new Error(`must be pairs such as "Item Name=name,Kind=categoryId", of ${FIELDS.join(', ')}`)
  }
  return new Map(said.map(([heading, field]) => [heading, field]))
}

/** Returns whether these are the headings of our own exports. */
export function isOurs(headings: readonly string[]): boolean {
  return headings.includes('categoryId') && headings.every((heading) => ['id', ...FIELDS].includes(heading))
}

function listed(headings: readonly string[]): string {
  return `It has: ${headings.join(' | ')}.`
}

function plain(heading: string): string {
  return heading.replaceAll(/[ _-]/g, '').toLowerCase().replace(/id$/, '')
}
