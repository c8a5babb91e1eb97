// The flags that choose a file format: `--format` and `--excel`.

import { type Command, Option } from 'commander'
import { type FormatName, formatNameOf, formats } from '../../../files/src/all.ts'
import { excel } from '../../../files/src/csv.ts'
import type { Format } from '../../../files/src/format.ts'
import { FlagError } from '../config/read-config.ts'
import { StartError } from '../domain/start-error.ts'

const NAMES = Object.keys(formats) as FormatName[]

export interface FormatOptions {
  format?: FormatName
  excel: boolean
  /** With `--excel`. */
  separator?: string
}

/** Adds both flags. `excelHelp` is the help of `--excel`. */
export function withFormat(command: Command, excelHelp: string): Command {
  return command
    .addOption(new Option('--format <format>', "the format (default: from the file's extension)").choices(NAMES))
    .option('--excel', excelHelp, false)
}

/** Returns the named format, or the format of the file's extension. Throws StartError if there is none, FlagError if a flag is not for this format. */
export function formatOf(file: string, { format, excel: forExcel, separator }: FormatOptions): Format {
  const name = format ?? formatNameOf(file) ?? (forExcel ? 'csv' : undefined)
  if (!name) throw new StartError(`The format is unknown. Give one of --format ${NAMES.join(', ')}.`)
  if (separator && !forExcel) throw new FlagError('--separator is for --excel.')
  if (!forExcel) return formats[name]
  if (name !== 'csv') throw new FlagError('--excel is for CSV.')
  return excel
}
