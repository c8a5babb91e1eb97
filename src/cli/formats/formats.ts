// The file formats of import and export, and which one a file's name asks for.

import { extname } from 'node:path'
import { StartError } from '../../errors.ts'
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

/** Throws StartError when neither says it. */
export function formatOf(path: string | undefined, named: FormatName | undefined): Format {
  const name = named ?? BY_EXTENSION[extname(path ?? '').toLowerCase()]
  if (!name) throw new StartError(`Say which format it is: --format ${formatNames.join(', ')}.`)
  return formats[name]
}
