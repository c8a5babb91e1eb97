// The file formats of import and export, and how the format of a file is chosen.

import { extname } from 'node:path'
import { StartError } from '../../domain/errors.ts'
import { csv } from './csv.ts'
import type { Format } from './format.ts'
import { json } from './json.ts'
import { ndjson } from './ndjson.ts'

export const formats = { csv, json, ndjson } satisfies Record<string, Format>
export type FormatName = keyof typeof formats
export const formatNames = Object.keys(formats) as FormatName[]

const BY_EXTENSION: Record<string, FormatName> = {
  '.csv': 'csv',
  '.json': 'json',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
}

/** The named format, or the one of the file's extension. Throws StartError when there is neither. */
export function formatOf(path: string | undefined, named: FormatName | undefined): Format {
  if (!named && /\.(xlsx?|ods|numbers)$/i.test(path ?? '')) throw workbook(path ?? '')
  const name = named ?? BY_EXTENSION[extname(path ?? '').toLowerCase()]
  if (!name) throw new StartError(`The format is unknown. Give one of --format ${formatNames.join(', ')}.`)
  return formats[name]
}

/** Not read: a workbook may have several sheets, formulas and dates, and the person knows better which of them to save. */
export function workbook(file: string): StartError {
  return new StartError(
    `${file} is a workbook of a spreadsheet. Use CSV instead: to import, save the sheet as “CSV UTF-8” (File, Save As); ` +
      'to export, write a .csv with --bom.',
  )
}
