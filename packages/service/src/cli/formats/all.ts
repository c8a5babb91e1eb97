// The file formats of import and export, and how the format of a file is chosen.

import { extname } from 'node:path'
import { type Command, Option } from 'commander'
import { FlagError } from '../../config/read-config.ts'
import { StartError } from '../../domain/start-error.ts'
import { csv } from './csv.ts'
import { excel } from './excel.ts'
import type { Format } from './format.ts'
import { json } from './json.ts'
import { ndjson } from './ndjson.ts'
import { refuseWorkbook } from './text.ts'

export const formats = { csv, json, ndjson } satisfies Record<string, Format>
type FormatName = keyof typeof formats
const formatNames = Object.keys(formats) as FormatName[]

const BY_EXTENSION: Record<string, FormatName> = {
  '.csv': 'csv',
  '.json': 'json',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
}

export interface FormatOptions {
  format?: FormatName
  excel: boolean
}

/** Adds the flags with which people choose a format. `excel`: what `--excel` does. */
export function withFormat(command: Command, excel: string): Command {
  return command
    .addOption(new Option('--format <format>', "the format (default: from the file's extension)").choices(formatNames))
    .option('--excel', excel, false)
}

/** The named format, or the one of the file's extension, or CSV for Excel. Throws StartError when there is none, FlagError for `--excel` of no CSV. */
export function formatOf(path: string | undefined, { format: named, excel: forExcel }: FormatOptions): Format {
  if (!named && path) refuseWorkbook(path)
  const name = named ?? BY_EXTENSION[extname(path ?? '').toLowerCase()] ?? (forExcel ? 'csv' : undefined)
  if (!name) throw new StartError(`The format is unknown. Give one of --format ${formatNames.join(', ')}.`)
  if (!forExcel) return formats[name]
  if (name !== 'csv') throw new FlagError('--excel is for CSV.')
  return excel
}
