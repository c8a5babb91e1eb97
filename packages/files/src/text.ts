// Decodes the text of an imported file, or explains why it has none, for the command line and the page.

import { FileError, WORKBOOK_BYTES_MAX, workbookError } from './format.ts'

/** The encodings of TextDecoder (https://encoding.spec.whatwg.org/#names-and-labels). */
export const ENCODINGS: readonly Encoding[] = [
  ...['utf-8', 'utf-16le', 'utf-16be', 'macintosh', 'x-mac-cyrillic', 'ibm866', 'koi8-r', 'koi8-u', 'windows-874'],
  ...[0, 1, 2, 3, 4, 5, 6, 7, 8].map((n) => `windows-125${n}`),
  ...[2, 3, 4, 5, 6, 7, 8, '8-i', 10, 13, 14, 15, 16].map((part) => `iso-8859-${part}`),
  ...['gbk', 'gb18030', 'big5', 'euc-jp', 'iso-2022-jp', 'shift_jis', 'euc-kr', 'x-user-defined'],
]
export type Encoding = string

/** Throws RangeError if there is no such encoding. The decoder throws if bytes are invalid, and keeps byte order marks. */
export function decoderFor(encoding: Encoding): TextDecoder {
  // Bun's types list few of the encodings.
  return new TextDecoder(encoding as 'utf-8', { fatal: true, ignoreBOM: true })
}

/** Accepts any label of TextDecoder, such as `latin1`. Throws Error ("must be …"). */
export function encodingOf(label: string): Encoding {
  try {
    return decoderFor(label).encoding
  } catch {
    throw new Error('must be an encoding, such as windows-1252 or shift_jis')
  }
}

/** Binary files, by bytes at an offset. A workbook is a ZIP archive or Excel's older format. */
const OTHERS = [
  [0, 'PK\x03\x04', 'workbook'],
  [0, '\xd0\xcf\x11\xe0', 'workbook'],
  [0, '\x89PNG', 'picture'],
  [0, '\xff\xd8\xff', 'picture'],
  [0, 'GIF8', 'picture'],
  [8, 'WEBP', 'picture'],
  [4, 'ftyp', 'picture'],
  [0, '%PDF', 'PDF'],
  [0, '\x1f\x8b', 'compressed file'],
] as const
const BEGIN_BYTES = 12

type WorkbookReader = (file: string, bytes: Uint8Array<ArrayBuffer>) => AsyncIterable<string>

/** The user named no encoding, and the file is not UTF-8. */
export class NotUtf8 extends FileError {}

/**
 * `file` is the file name, `named` the encoding that the user named. The text keeps its byte order mark. Throws
 * FileError if the file is not text, or not in the encoding. With `workbooks`, it also reads workbooks, as CSV;
 * a function reads them elsewhere, such as in a worker.
 */
export async function* decodedText(
  file: string,
  bytes: AsyncIterable<Uint8Array>,
  named?: Encoding,
  { workbooks = false }: { workbooks?: boolean | WorkbookReader } = {},
): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  let workbook: Uint8Array[] | undefined
  let read = 0
  function decode(decoder: TextDecoder, chunk?: Uint8Array): string {
    try {
      const text = decoder.decode(chunk, { stream: chunk !== undefined })
      // ISO-2022-JP has only ASCII bytes, so it would pass as UTF-8.
      if (!named && decoder.encoding === 'utf-8' && text.includes('\x1b$')) throw new Error('ISO-2022-JP')
      return text
    } catch {
      const where = `the error is within its first ${read} byte${read === 1 ? '' : 's'}`
      const message = `${file} is not ${decoder.encoding.toUpperCase()}: ${where}. Save it as “CSV UTF-8”.`
      throw named || decoder.encoding !== 'utf-8' ? new FileError(message) : new NotUtf8(message)
    }
  }
  for await (const chunk of bytes) {
    const begin = String.fromCharCode(...chunk.subarray(0, BEGIN_BYTES))
    if (workbooks && read === 0 && kindOf(begin) === 'workbook') workbook = []
    read += chunk.byteLength
    if (workbook) {
      if (read > WORKBOOK_BYTES_MAX) throw workbookError(file, 'has more than 100 MB.')
      workbook.push(chunk)
      continue
    }
    decoder ??= decoderOf(file, begin, named)
    yield decode(decoder, chunk)
  }
  if (decoder) yield decode(decoder)
  if (!workbook) return
  const toText = typeof workbooks === 'function' ? workbooks : (await import('./workbook.ts')).workbookText
  yield* toText(file, new Uint8Array(await new Blob(workbook as Uint8Array<ArrayBuffer>[]).arrayBuffer()))
}

function kindOf(begin: string) {
  return OTHERS.find(([at, bytes]) => begin.startsWith(bytes, at))?.[2]
}

function decoderOf(file: string, begin: string, named: Encoding | undefined): TextDecoder {
  const kind = kindOf(begin)
  if (kind === 'workbook') throw workbookError(file)
  if (kind) throw new FileError(`${file} is a ${kind}. An import reads text, such as a CSV file.`)
  return decoderFor(markedEncoding(begin) ?? named ?? 'utf-8')
}

/** Detects the encoding by byte order mark, or by zero bytes, which only UTF-16 has. */
function markedEncoding(begin: string): Encoding | undefined {
  const zeros = Array.from(begin.slice(0, 4), (byte) => (byte === '\0' ? '0' : '.')).join('')
  if (begin.startsWith('\xff\xfe') || zeros === '.0.0') return 'utf-16le'
  if (begin.startsWith('\xfe\xff') || zeros === '0.0.') return 'utf-16be'
  return begin.startsWith('\xef\xbb\xbf') ? 'utf-8' : undefined
}
