// Reads the first visible sheet of a workbook (.xlsx, ECMA-376) as CSV.
//
// read-excel-file 9.3 does not return which sheets are hidden, unpacks any size, ignores date1904="true", and has four
// dependencies. Browsers and Bun can unpack on their own, and a sheet needs only a few elements.

import { FileError, WORKBOOK_BYTES_MAX, workbookError } from './format.ts'
import { Archive } from './zip.ts'

/** Excel's limits. */
const [ROWS_MAX, COLUMNS_MAX] = [1_048_576, 16_384]

/** Yields a line for each row, also for missing ones, so that lines have the numbers of rows. Throws FileError. */
export async function* workbookText(file: string, bytes: Uint8Array<ArrayBuffer>): AsyncGenerator<string> {
  let isEmpty = true
  try {
    const book = await openBook(file, bytes)
    // With a byte order mark, as in an export for Excel, which has apostrophes to remove.
    yield '\ufeff'
    let next = 1
    for (const [attributes, content] of elements(book.sheet, 'row')) {
      const line = Number(attribute(attributes, 'r') ?? next)
      if (!(line >= next && line <= ROWS_MAX)) throw new RangeError(`Row ${line} follows row ${next - 1}.`)
      const cells = cellsOf(content, book)
      isEmpty &&= cells.length === 0
      const fields = Array.from(cells, (text = '') => `"${text.replaceAll('"', '""').replaceAll(/[\r\n]+/g, ' ')}"`)
      yield `${'\n'.repeat(line - next)}${fields.join(',')}\n`
      next = line + 1
    }
  } catch (error) {
    throw error instanceof FileError ? error : workbookError(file, 'is incomplete or damaged.')
  }
  if (isEmpty) throw workbookError(file, 'is empty: its first visible sheet has no cells.')
}

type Book = Awaited<ReturnType<typeof openBook>>

async function openBook(file: string, bytes: Uint8Array<ArrayBuffer>) {
  if (bytes[0] === 0xd0) {
    // A protected workbook is a file of the older format, with names in UTF-16.
    const isProtected = new TextDecoder('utf-16le').decode(bytes).includes('EncryptedPackage')
    throw workbookError(file, isProtected ? 'is protected with a password.' : 'is an old workbook (.xls).')
  }
  const archive = new Archive(bytes)
  if (archive.xmlBytes() > WORKBOOK_BYTES_MAX) throw workbookError(file, 'has more than 100 MB of data.')
  const xml = async (path = '') => withoutComments(await archive.text(path))
  const relations = async (path: string) =>
    Array.from(elements(await xml(path.replace(/[^/]*$/, '_rels/$&.rels')), 'Relationship'), ([attributes]) => ({
      id: attribute(attributes, 'Id'),
      type: attribute(attributes, 'Type')?.replace(/.*\//, ''),
      path: decodeURI(new URL(attribute(attributes, 'Target') ?? '', `http://_/${path}`).pathname.slice(1)),
    }))
  const main = (await relations('')).find(({ type }) => type === 'officeDocument')?.path
  const book = main?.endsWith('.xml') ? await xml(main) : ''
  if (!main || !/<(?:\w+:)?workbook\b/.test(book)) throw workbookError(file, 'is not an .xlsx workbook.')
  const parts = await relations(main)
  const sheets = [...elements(book, 'sheet')]
    .filter(([attributes]) => !/hidden/i.test(attribute(attributes, 'state') ?? ''))
    .map(([attributes]) => parts.find(({ id }) => id === attribute(attributes, 'id')))
  const partOf = (wanted: string) => xml(parts.find(({ type }) => type === wanted)?.path)
  const [properties = ['']] = elements(book, 'workbookPr')
  return {
    // Other sheets have only a chart.
    sheet: await xml(sheets.find((part) => part?.type === 'worksheet')?.path),
    strings: Array.from(elements(await partOf('sharedStrings'), 'si'), ([, content]) => textOf(content)),
    /** Whether a cell with this style is a date. */
    dateStyles: dateStylesOf(await partOf('styles')),
    is1904: /^(?:1|true|on)$/.test(attribute(properties[0], 'date1904') ?? ''),
  }
}

function cellsOf(row: string, book: Book): string[] {
  const cells: string[] = []
  let next = 0
  for (const [attributes, content] of elements(row, 'c')) {
    const letters = /^[A-Z]+/i.exec(attribute(attributes, 'r') ?? '')?.[0].toUpperCase()
    if (letters) next = [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1
    if (next >= COLUMNS_MAX) throw new RangeError(`There is no column ${letters}.`)
    const text = cellText(attributes, content, book)
    if (text.trim() !== '') cells[next] = text
    next++
  }
  return cells
}

/** Formulas have the value that was saved with them. */
function cellText(attributes: string, content: string, { strings, dateStyles, is1904 }: Book): string {
  const type = attribute(attributes, 't') ?? 'n'
  if (type === 'inlineStr') return textOf(content)
  const [[, saved = ''] = []] = elements(content, 'v')
  const value = unescaped(saved)
  if (value === '') return ''
  if (type === 's') {
    const text = strings[Number(value)]
    if (text === undefined) throw new RangeError(`There is no text ${value}.`)
    return text
  }
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE'
  if (type !== 'n') return value
  const isDate = dateStyles[Number(attribute(attributes, 's') ?? 0)]
  return (isDate && dateOf(Number(value), is1904)) || value.trim().replace(/^([+-]?\d+)\.0+$/, '$1')
}

/** Returns `undefined` if the number is not a date from 1900 to 9999. */
function dateOf(days: number, is1904: boolean): string | undefined {
  if (!(days >= 0 && days < 2_958_466)) return undefined
  // The calendar from 1900 has a 29 February 1900, which did not exist.
  const since1900 = is1904 ? days + 1_462 : days < 60 ? days + 1 : days
  const [day, time] = new Date(Math.round((since1900 - 25_569) * 86_400) * 1_000).toISOString().split(/[T.]/)
  return Number.isInteger(days) ? day : days < 1 ? time : `${day} ${time}`
}

function dateStylesOf(styles: string): boolean[] {
  const idOf = (attributes: string) => Number(attribute(attributes, 'numFmtId'))
  const formats = new Map(
    Array.from(elements(styles, 'numFmt'), ([attributes]) => [idOf(attributes), attribute(attributes, 'formatCode')]),
  )
  const [[, cells = ''] = []] = elements(styles, 'cellXfs')
  return Array.from(elements(cells, 'xf'), ([attributes]) => {
    const id = idOf(attributes)
    const code = formats.get(id)
    // The numbers of the formats that no file defines, in all languages.
    if (code === undefined) return [[14, 22], [27, 36], [45, 47], [50, 58]].some(([from = 0, to = 0]) => id >= from && id <= to) // biome-ignore format: a table
    return /[dmyhs]/i.test(code.replaceAll(/"[^"]*"|\\.|\[(?!h+\]|m+\]|s+\])[^\]]*\]|[_*]./gi, ''))
  })
}

/** Joins the parts of a text in several fonts, without the reading aids of Japanese texts. */
function textOf(content: string): string {
  const withoutAids = content.replaceAll(/<(?:\w+:)?rPh\b[\s\S]*?<\/(?:\w+:)?rPh>/g, '')
  return Array.from(elements(withoutAids, 't'), ([, text]) => unescaped(text))
    .join('')
    .replaceAll(/_x([0-9a-f]{4})_/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
}

/** Yields each element with this name, in any namespace. */
function* elements(xml: string, name: string): Generator<readonly [attributes: string, content: string]> {
  for (const [, attributes = '', content = ''] of xml.matchAll(elementPattern(name))) yield [attributes, content]
}

function attribute(attributes: string, name: string): string | undefined {
  const value = attributePattern(name).exec(attributes)?.[1]
  return value && unescaped(value.slice(1, -1))
}

const elementPattern = cached((name) => {
  const tag = String.raw`(?:\w+:)?${name}`
  const start = String.raw`<${tag}(?=[\s/>])((?:"[^"]*"|'[^']*'|[^"'<>])*?)`
  return new RegExp(String.raw`${start}(?:/>|>([\s\S]*?)(?:</${tag}\s*>|$))`, 'g')
})
const attributePattern = cached((name) => new RegExp(String.raw`(?:^|[\s:])${name}\s*=\s*("[^"]*"|'[^']*')`))

function cached(create: (name: string) => RegExp): (name: string) => RegExp {
  const patterns = new Map<string, RegExp>()
  return (name) => patterns.get(name) ?? (patterns.set(name, create(name)).get(name) as RegExp)
}

const NAMED = new Map([['lt', '<'], ['gt', '>'], ['amp', '&'], ['quot', '"'], ['apos', "'"]]) // biome-ignore format: a table

function unescaped(text: string): string {
  if (!text.includes('&')) return text
  return text.replaceAll(/&(?:#x([0-9a-f]+)|#([0-9]+)|(\w+));/gi, (whole, hex, decimal, name) => {
    return name ? (NAMED.get(name) ?? whole) : String.fromCodePoint(Number.parseInt(hex ?? decimal, hex ? 16 : 10))
  })
}

/** Also escapes the text of CDATA sections. */
function withoutComments(xml: string): string {
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return xml.replaceAll(/<!--[\s\S]*?(?:-->|$)|<!\[CDATA\[([\s\S]*?)(?:\]\]>|$)/g, (_, text = '') => escaped(text))
}
