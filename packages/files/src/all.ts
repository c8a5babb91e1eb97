// The file formats of import and export, and how file extensions select them.

import { extname } from 'node:path'
import { csv } from './csv.ts'
import type { Format } from './format.ts'
import { json } from './json.ts'
import { ndjson } from './ndjson.ts'
import { refuseWorkbook } from './text.ts'

export const formats = { csv, json, ndjson } satisfies Record<string, Format>
export type FormatName = keyof typeof formats

const BY_EXTENSION: Record<string, FormatName> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.txt': 'csv',
  '.json': 'json',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
}

/** Returns the format of a file extension. Throws FileError for extensions of workbooks. */
export function formatNameOf(file: string): FormatName | undefined {
  refuseWorkbook(
    file,
    'to import, save the sheet as “CSV UTF-8” (File, Save As); to export, write a .csv with --excel.',
  )
  return BY_EXTENSION[extname(file).toLowerCase()]
}
