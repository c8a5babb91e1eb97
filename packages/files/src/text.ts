// The text of a file that is to be imported, in its encoding, and why there is none: for the command line and for the page.

import { FileError } from './format.ts'

/** The encodings that people can name. A byte order mark is believed first. */
export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'windows-1250', 'macintosh'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** Files that are no text, by bytes at a place. A workbook is a ZIP archive, or what Excel wrote before. */
const OTHERS: readonly (readonly [
  at: number,
  bytes: string,
  kind: 'workbook' | 'picture' | 'PDF' | 'compressed file',
])[] = [
  [0, 'PK\x03\x04', 'workbook'],
  [0, '\xd0\xcf\x11\xe0', 'workbook'],
  [0, '\x89PNG', 'picture'],
  [0, '\xff\xd8\xff', 'picture'],
  [0, 'GIF8', 'picture'],
  [8, 'WEBP', 'picture'],
  [4, 'ftyp', 'picture'],
  [0, '%PDF', 'PDF'],
  [0, '\x1f\x8b', 'compressed file'],
]
const BEGIN_BYTES = 12

/** Not read: a workbook may have several sheets, formulas and dates, and the person knows better which of them to save. */
class Workbook extends FileError {
  constructor(file: string) {
    super(
      `${file} is a workbook of a spreadsheet. Use CSV instead: to import, save the sheet as “CSV UTF-8” (File, Save As); ` +
        'to export, write a .csv with --excel.',
    )
  }
}

/** Nobody has named an encoding, and the file is not UTF-8. */
export class NotUtf8 extends FileError {}

/** By its name. Throws FileError. */
export function refuseWorkbook(file: string): void {
  if (/\.(xlsx?|ods|numbers)$/i.test(file)) throw new Workbook(file)
}

/**
 * `file` is the file's name, `named` the encoding that a person has named. The text keeps its byte order mark. Throws FileError if the
 * file is no text, or not in the encoding.
 */
export async function* textOf(
  file: string,
  bytes: AsyncIterable<Uint8Array>,
  named?: Encoding,
): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  let read = 0
  function decode(decoder: TextDecoder, chunk?: Uint8Array): string {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined })
    } catch {
      const where = `the error is within its first ${read} byte${read === 1 ? '' : 's'}`
      const message = `${file} is not ${decoder.encoding.toUpperCase()}: ${where}. Save it as “CSV UTF-8”.`
      throw named || decoder.encoding !== 'utf-8' ? new FileError(message) : new NotUtf8(message)
    }
  }
  for await (const chunk of bytes) {
    read += chunk.byteLength
    decoder ??= decoderOf(file, String.fromCharCode(...chunk.subarray(0, BEGIN_BYTES)), named)
    yield decode(decoder, chunk)
  }
  if (decoder) yield decode(decoder)
}

function decoderOf(file: string, begin: string, named: Encoding | undefined): TextDecoder {
  const kind = OTHERS.find(([at, bytes]) => begin.startsWith(bytes, at))?.[2]
  if (kind === 'workbook') throw new Workbook(file)
  if (kind) throw new FileError(`${file} is a ${kind}. An import reads text, such as a CSV file.`)
  return new TextDecoder(markedEncoding(begin) ?? named ?? 'utf-8', { fatal: true, ignoreBOM: true })
}

/** By the byte order mark, or by zero bytes, which no other encoding has. */
function markedEncoding(begin: string): Encoding | undefined {
  const zeros = Array.from(begin.slice(0, 4), (byte) => (byte === '\0' ? '0' : '.')).join('')
  if (begin.startsWith('\xff\xfe') || zeros === '.0.0') return 'utf-16le'
  if (begin.startsWith('\xfe\xff') || zeros === '0.0.') return 'utf-16be'
  return begin.startsWith('\xef\xbb\xbf') ? 'utf-8' : undefined
}
