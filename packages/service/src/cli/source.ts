// The text that an import reads, from a file or standard input, and how much of it has been read.

import { createReadStream, statSync } from 'node:fs'
import { orStartError, StartError, systemReason } from '../domain/errors.ts'
import { workbook } from './formats/formats.ts'
import { plural } from './print.ts'

/** How a workbook begins: a ZIP archive, and what Excel wrote before. */
const WORKBOOKS = ['PK\x03\x04', '\xd0\xcf\x11\xe0']

export class Source {
  /** The size of the file; `undefined` when it is not known. */
  readonly bytes: number | undefined
  /** In bytes. */
  read = 0

  /** Throws StartError when there is no such file. */
  constructor(private readonly file: string) {
    if (file === '-') return
    const stats = orStartError(
      () => statSync(file, { throwIfNoEntry: false }),
      (reason) => unreadable(file, reason),
    )
    if (!stats) throw new StartError(`There is no file ${file}.`)
    if (stats.isDirectory()) throw new StartError(`${file} is a folder.`)
    this.bytes = stats.isFile() ? stats.size : undefined
  }

  async *text(): AsyncGenerator<string> {
    const decoder = new TextDecoder('utf-8', { fatal: true })
    let begin = ''
    try {
      const stream = this.file === '-' ? Bun.stdin.stream() : createReadStream(this.file)
      for await (const chunk of stream as AsyncIterable<Uint8Array>) {
        this.read += chunk.byteLength
        begin ||= Buffer.from(chunk.subarray(0, 4)).toString('latin1')
        if (WORKBOOKS.includes(begin)) throw workbook(this.file)
        yield decoder.decode(chunk, { stream: true })
      }
      yield decoder.decode()
    } catch (error) {
      const { syscall } = error as NodeJS.ErrnoException
      if (error instanceof TypeError && syscall === undefined) {
        const encoding = /^(?:\xff\xfe|\xfe\xff)/.test(begin) ? 'utf-16' : 'windows-1252'
        throw new StartError(
          `${this.file} is not UTF-8: the error is within its first ${plural(this.read, 'byte')}. ` +
            `Save it as “CSV UTF-8”, or convert it: iconv -f ${encoding} -t utf-8 ${this.file} > NEW`,
          { cause: error },
        )
      }
      if (syscall === undefined) throw error
      throw new StartError(unreadable(this.file, systemReason(error)), { cause: error })
    }
  }
}

function unreadable(file: string, reason: string): string {
  return `${file} cannot be read (${reason}).`
}
