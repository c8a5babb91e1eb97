// The files that commands read and write: the text of an import, from a file or stdin, and the formats of imports and
// exports.

import { createReadStream, statSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { systemReason } from '../../contract/src/system-reason.ts'
import { type FormatName, formatNameOf, formats } from '../../files/src/all.ts'
import { excel } from '../../files/src/csv.ts'
import type { Format } from '../../files/src/format.ts'
import { decodedText, type Encoding, NotUtf8 } from '../../files/src/text.ts'
import { FlagError } from '../../service/src/config/read-config.ts'
import { orStartError, StartError } from '../../service/src/domain/start-error.ts'
import { absolutePath } from '../../service/src/store/absolute-path.ts'
import { io } from '../../service/src/system/io.ts'

export class Source {
  /** The size of the file; `undefined` if it is unknown. */
  readonly bytes: number | undefined
  /** The bytes read so far. */
  read = 0

  /** Throws StartError if there is no such file. */
  constructor(
    private readonly file: string,
    private readonly encoding?: Encoding,
    /** Continues the message about a file that is not UTF-8. */
    private readonly otherwise = '',
  ) {
    if (file === '-') return
    const stats = orStartError(
      () => statSync(absolutePath(file), { throwIfNoEntry: false }),
      (reason) => unreadable(file, reason),
    )
    if (!stats) throw new StartError(`There is no file ${file}.`)
    if (stats.isDirectory()) throw new StartError(`${file} is a folder.`)
    this.bytes = stats.isFile() ? stats.size : undefined
  }

  async *text(options?: { workbooks: boolean }): AsyncGenerator<string> {
    try {
      yield* decodedText(this.file, this.chunks(), this.encoding, options)
    } catch (error) {
      if (error instanceof NotUtf8) {
        throw new StartError(`${error.message.slice(0, -1)}${this.otherwise}.`, { cause: error })
      }
      const { syscall } = error as NodeJS.ErrnoException
      if (syscall === undefined) throw error
      throw new StartError(unreadable(this.file, systemReason(error)), { cause: error })
    }
  }

  private async *chunks(): AsyncGenerator<Uint8Array> {
    const stream = this.file === '-' ? io().stdin : createReadStream(absolutePath(this.file))
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      this.read += chunk.byteLength
      yield chunk
    }
  }
}

function unreadable(file: string, reason: string): string {
  return `${file} cannot be read (${reason}).`
}

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
