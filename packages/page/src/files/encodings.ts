// The encodings of a file that is not Unicode, and how its letters look in each.

import { decoderFor, ENCODINGS, type Encoding } from '../../../files/src/text.ts'

/** By script, or by language if it uses Latin letters: which spreadsheets and editors write there. */
const COMMON: Readonly<Record<string, string>> = {
  Arab: 'windows-1256 iso-8859-6',
  Cyrl: 'windows-1251 koi8-r koi8-u ibm866 iso-8859-5 x-mac-cyrillic',
  Grek: 'windows-1253 iso-8859-7',
  Hans: 'gb18030 gbk',
  Hant: 'big5',
  Hebr: 'windows-1255 iso-8859-8',
  // ISO-2022-JP first, because it is valid Shift_JIS, too.
  Jpan: 'iso-2022-jp shift_jis euc-jp',
  Kore: 'euc-kr',
  Thai: 'windows-874',
  ...byLanguage('bs cs hr hu pl ro sk sl sq sr', 'windows-1250 iso-8859-2 iso-8859-16'),
  ...byLanguage('az ku tr', 'windows-1254 iso-8859-3'),
  ...byLanguage('et lt lv', 'windows-1257 iso-8859-13 iso-8859-4'),
  ...byLanguage('vi', 'windows-1258'),
}
const WORDS_MAX = 1_000
const WORD_BYTES_MAX = 60
const SHOWN_MAX = 3

function byLanguage(languages: string, encodings: string): Record<string, string> {
  return Object.fromEntries(languages.split(' ').map((language) => [language, encodings]))
}

/** The best first. `language` defaults to the browser's. Windows-1252 can decode every file. */
export function commonEncodings(language = Intl.DateTimeFormat().resolvedOptions().locale): Encoding[] {
  const locale = new Intl.Locale(language).maximize()
  const common = COMMON[locale.script ?? ''] ?? COMMON[locale.language]
  return [...(common?.split(' ') ?? []), 'windows-1252', 'macintosh']
}

/**
 * Returns all encodings, the common ones first, with up to three words of the file: the ones whose letters differ most
 * between the common encodings. There are no words if the encoding cannot decode them.
 */
export async function lettersOf(bytes: AsyncIterable<Uint8Array>, language?: string): Promise<Map<Encoding, string>> {
  const common = commonEncodings(language)
  const words = await foreignWords(bytes)
  const differences = (word: Uint8Array) => new Set(common.map((encoding) => decoded([word], encoding))).size
  const shown = words.toSorted((one, other) => differences(other) - differences(one)).slice(0, SHOWN_MAX)
  return new Map([...common, ...ENCODINGS].map((encoding) => [encoding, decoded(shown, encoding)]))
}

function decoded(words: readonly Uint8Array[], encoding: Encoding): string {
  try {
    return words.map((word) => decoderFor(encoding).decode(word, { stream: true })).join(', ')
  } catch {
    return ''
  }
}

/** Returns the first words with a byte that is not ASCII, or with a control character, as in ISO-2022-JP. */
async function foreignWords(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const words = new Set<string>()
  const add = (word: string) => /[\uf780-\uf7ff\p{Cc}]/u.test(word) && words.add(word.slice(0, WORD_BYTES_MAX))
  // Decodes the bytes 0x80 to 0xFF to U+F780 to U+F7FF.
  const decoder = decoderFor('x-user-defined')
  let rest = ''
  for await (const chunk of bytes) {
    const parts = (rest + decoder.decode(chunk)).split(/[\s,;"]+/)
    rest = parts.pop()?.slice(0, WORD_BYTES_MAX) ?? ''
    for (const part of parts) add(part)
    if (words.size > WORDS_MAX) break
  }
  add(rest)
  return [...words].map((word) => Uint8Array.from(word, (letter) => letter.charCodeAt(0)))
}
