// The file formats of import and export, and how file extensions select them.

import { extname } from 'node:path'
import { csv } from './csv.ts'
import type { Format } from './format.ts'
import { json, ndjson } from './json.ts'

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

/** An import reads .xlsx as CSV, and rejects the others with advice. */
export const WORKBOOK_NAME = /\.(xls[xmb]?|ods|numbers)$/i

/** Returns the format of a file extension. */
export function formatNameOf(file: string): FormatName | undefined {
  return WORKBOOK_NAME.test(file) ? 'csv' : BY_EXTENSION[extname(file).toLowerCase()]
}
