// Assigns CSV columns to fields: by heading, by the user's choice, or by a guess.

import { type ColumnPositions, FIELDS, type Field, FileError } from './format.ts'

/** The user's assignments by heading. `undefined` ignores a column. */
export type ColumnChoices = ReadonlyMap<string, Field | undefined>

/** Common headings, the best first. */
const WORDS: Record<Field, string> = {
  name: 'name itemname title titel bezeichnung nom nombre nome naam item product artikel animal tier pet',
  categoryId: 'category categories kategorie categorie categoria type art species group gruppe breed rasse',
  status: 'status state availability zustand statut estado stato',
}

/** `unclear`: fields without a column, because several fit them equally well. */
export interface Found {
  columns: ColumnPositions
  unclear: Field[]
}

/** Replaces white space, also no-break spaces, by one space, and removes invisible characters. */
export function toHeading(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .trim()
}

/** Finds columns by their headings: `Category ID`, `category_id` or, if there is none, `Category` for categoryId. */
export function knownColumns(headings: readonly string[]): Found {
  const found: Found = { columns: {}, unclear: [] }
  const joined = headings.map((heading) => heading.replaceAll(/[ _-]/g, '').toLowerCase())
  for (const field of FIELDS) {
    const whole = field.toLowerCase()
    const stem = whole.replace(/id$/, '')
    settle(found, field, joined, [(heading) => heading === whole, (heading) => heading.replace(/id$/, '') === stem])
  }
  return found
}

/** Finds columns by their headings, and guesses the fields that no column fits. */
export function guessedColumns(headings: readonly string[]): Found {
  const found = knownColumns(headings)
  // In lower case, without accents.
  const folded = headings.map((heading) =>
    heading
      .normalize('NFKD')
      .replaceAll(/[^\p{L}\p{N}]/gu, '')
      .toLowerCase(),
  )
  for (const field of FIELDS) {
    if (found.columns[field] !== undefined || found.unclear.includes(field)) continue
    const taken = Object.values(found.columns)
    const free = folded.map((heading, at) => (taken.includes(at) ? '' : heading))
    const words = WORDS[field].split(' ')
    settle(found, field, free, [
      ...words.map((word) => (heading: string) => heading === word),
      ...words.filter(({ length }) => length > 3).map((word) => (heading: string) => heading.includes(word)),
    ])
  }
  return found
}

/** `fits`: tests of a heading, the best first. */
function settle(found: Found, field: Field, headings: readonly string[], fits: ((heading: string) => boolean)[]): void {
  const [at, ...others] =
    fits.map((fit) => headings.flatMap((heading, at) => (fit(heading) ? at : []))).find(({ length }) => length > 0) ??
    []
  if (others.length > 0) found.unclear.push(field)
  else if (at !== undefined) found.columns[field] = at
}

/**
 * Combines known headings with `choices`. Throws FileError if the name or the category has no column, or if several
 * columns fit a field equally well. With `category`, the category needs no column.
 */
export function neededColumns(headings: readonly string[], choices: ColumnChoices = new Map(), category = false) {
  const { columns, unclear } = knownColumns(headings.map((heading) => (choices.has(heading) ? '' : heading)))
  for (const [heading, field] of choices) {
    const at = headings.indexOf(heading)
    if (at < 0) throw new FileError(`There is no column ${heading}. ${headingsSentence(headings)}`)
    if (field && at !== headings.lastIndexOf(heading)) {
      throw new FileError(`Several columns have the heading ${heading}. Rename the others.`)
    }
    if (field) columns[field] = at
  }
  const several = unclear.filter((field) => columns[field] === undefined)
  if (several.length > 0) {
    throw new FileError(
      `Several columns fit ${several.join(', ')} equally well. ${headingsSentence(headings)} ` +
        `Assign one with --columns "HEADING=${several[0]}"; if their headings are the same, rename the others.`,
    )
  }
  const missing = missingColumns(columns, category)
  if (missing.length === 0) return columns
  const guess = guessedColumns(headings).columns
  const pairs = missing.map((field) => `${headings[guess[field] ?? -1] ?? 'HEADING'}=${field}`)
  const orCategory = missing.includes('categoryId') ? ', or set one category for all records with --category' : ''
  throw new FileError(
    'The first line must name the columns, separated by commas, semicolons or tabs. ' +
      `Missing: ${missing.join(', ')}. ${headingsSentence(headings)} Assign columns with --columns "${pairs.join(',')}"${orCategory}.`,
  )
}

export function missingColumns(columns: ColumnPositions, category: boolean): Field[] {
  const needed: Field[] = category ? ['name'] : ['name', 'categoryId']
  return needed.filter((field) => columns[field] === undefined)
}

/** Returns the headings that an import ignores, except ids, which every import ignores. */
export function ignoredHeadings(headings: readonly string[], columns: ColumnPositions): string[] {
  const read = Object.values(columns)
  return headings.filter((heading, at) => heading !== '' && heading !== 'id' && !read.includes(at))
}

/** Parses `Item Name=name,Tags=`, where a column without a field is ignored. Throws Error ("must be …"). */
export function parseColumnChoices(text: string): ColumnChoices {
  const pairs = [...text.matchAll(/([^=]+)=([^=,]*)(?:,(?=.)|$)/g)]
  const choices = new Map<string, Field | undefined>()
  let isValid = text !== '' && pairs.map(([pair]) => pair).join('') === text
  for (const [, heading = '', name = ''] of pairs) {
    const field = FIELDS.find((each) => knownColumns([name]).columns[each] === 0)
    const isTwice = field !== undefined && [...choices.values()].includes(field)
    isValid &&= (field !== undefined || name.trim() === '') && !isTwice
    choices.set(toHeading(heading), field)
  }
  if (isValid) return choices
  throw new Error(`must be pairs such as "Item Name=name,Kind=categoryId", of ${FIELDS.join(', ')}`)
}

/** Returns whether these are the headings of our own exports. */
export function isOwnExport(headings: readonly string[]): boolean {
  return headings.includes('categoryId') && headings.every((heading) => ['id', ...FIELDS].includes(heading))
}

function headingsSentence(headings: readonly string[]): string {
  return `It has: ${headings.join(' | ')}.`
}
