// Text that somebody typed, as it is shown: each character that shows nothing, or that turns the text around it, is a sign. Otherwise two
// animals could look alike, or a name could change what stands beside it.

/** Emoji, and characters that join letters of scripts that need them, are kept; the rest of the second group is unseen. */
const KEPT_OR_UNSEEN =
  /\p{RGI_Emoji}|\p{Emoji}[\u{FE0E}\u{FE0F}]|\p{sc=Han}[\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}]|(?<=[[\p{L}\p{M}]--[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}]])[\u200C\u200D]|([\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800])/gv
/** Most names: everything is seen. */
const ASCII = /^[ -~]*$/
/** Letters that are written from right to left. */
const TURNED = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u

/** Every second part, from the second on, is the sign of an unseen character: `U+202E`. */
export function partsOf(text: string): string[] {
  if (ASCII.test(text)) return [text]
  const parts: string[] = []
  let from = 0
  for (const { index, 1: unseen } of text.matchAll(KEPT_OR_UNSEEN)) {
    if (unseen === undefined) continue
    const code = (unseen.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')
    parts.push(text.slice(from, index), `U+${code}`)
    from = index + unseen.length
  }
  return [...parts, text.slice(from)]
}

/** Where there can be no markup: in a title, a message or an announcement. It does not turn what stands around it. */
export function plain(text: string): string {
  const shown = partsOf(text)
    .map((part, index) => (index % 2 ? `[${part}]` : part))
    .join('')
  return TURNED.test(shown) ? `\u2068${shown}\u2069` : shown
}
