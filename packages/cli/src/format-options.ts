// The flags `--format` and `--excel`.

import { type Command, Option } from 'commander'
import { type FormatName, formatNameOf, formats } from '../../files/src/all.ts'
import { excel } from '../../files/src/csv.ts'
import type { Format } from '../../files/src/format.ts'
import { FlagError } from '../../service/src/config/read-config.ts'
import { StartError } from '../../service/src/domain/start-error.ts'

const NAMES = Object.keys(formats) as FormatName[]

export interface FormatOptions {
  format?: FormatName
  excel: boolean
  /** Only with `--excel`. */
  separator?: string
}

/** `excelHelp` is the help of `--excel`. */
export function withFormat(command: Command, excelHelp: string): Command {
  return command
    .addOption(new Option('--format <format>', "the format (default: from the file's extension)").choices(NAMES))
    .option('--excel', excelHelp, false)
}

/**
 * Returns the format by flag or file extension. Throws StartError if it is unknown, or FlagError if a flag does not
 * fit the format.
 */
export function formatOf(file: string, { format, excel: forExcel, separator }: FormatOptions): Format {
  const name = format ?? formatNameOf(file) ?? (forExcel ? 'csv' : undefined)
  if (!name) throw new StartError(`The format is unknown. Set --format to ${NAMES.join(', ')}.`)
  if (separator && !forExcel) throw new FlagError('--separator needs --excel.')
  if (!forExcel) return formats[name]
  if (name !== 'csv') throw new FlagError('--excel works only with CSV.')
  return excel
}
