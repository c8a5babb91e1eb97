// The text of a file that is to be imported, and why there is none: for the command line and for the page.

import { FileError } from './format.ts'

/** How a workbook begins: a ZIP archive, and what Excel wrote before. */
const WORKBOOKS = ['PK\x03\x04', '\xd0\xcf\x11\xe0']

/** Not read: a workbook may have several sheets, formulas and dates, and the person knows better which of them to save. */
class Workbook extends FileError {
  constructor(file: string) {
    super(
      `${file} is a workbook of a spreadsheet. Use CSV instead: to import, save the sheet as “CSV UTF-8” (File, Save As); ` +
        'to export, write a .csv with --excel.',
    )
  }
}

export class NotUtf8 extends FileError {
  constructor(
    file: string,
    bytes: number,
    /** Probably. */
    readonly encoding: 'utf-16' | 'windows-1252',
  ) {
    super(
      `${file} is not UTF-8: the error is within its first ${bytes} byte${bytes === 1 ? '' : 's'}. Save it as “CSV UTF-8”.`,
    )
  }
}

/** By its name. Throws FileError. */
export function refuseWorkbook(file: string): void {
  if (/\.(xlsx?|ods|numbers)$/i.test(file)) throw new Workbook(file)
}

/** `file` is the file's name. Throws FileError if it is a workbook, or not UTF-8. */
export async function* textOf(file: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let begin = ''
  let read = 0
  function decode(chunk?: Uint8Array): string {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined })
    } catch {
      throw new NotUtf8(file, read, /^(?:\xff\xfe|\xfe\xff)/.test(begin) ? 'utf-16' : 'windows-1252')
    }
  }
  for await (const chunk of bytes) {
    read += chunk.byteLength
    begin ||= String.fromCharCode(...chunk.subarray(0, 4))
    if (WORKBOOKS.includes(begin)) throw new Workbook(file)
    yield decode(chunk)
  }
  yield decode()
}
