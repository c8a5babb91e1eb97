// Makes invisible characters and characters that change the text direction visible. Otherwise two names could look
// alike, or a name could reorder the text around it.

/** Keeps emoji, and joiners in scripts that need them; captures every other invisible character. */
const KEPT_OR_UNSEEN =
  /\p{RGI_Emoji}|\p{Emoji}[\u{FE0E}\u{FE0F}]|\p{sc=Han}[\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}]|(?<=[[\p{L}\p{M}]--[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}]])[\u200C\u200D]|([\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800])/gv
/** Most names: no invisible characters. */
const ASCII = /^[ -~]*$/
/** Letters of right-to-left scripts. */
const TURNED = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u

/** Every second part, starting with the second, is the sign of an invisible character: `U+202E`. */
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

/** For texts without markup. Isolated, so that it does not reorder the text around it. */
export function plain(text: string): string {
  const shown = partsOf(text)
    .map((part, index) => (index % 2 ? `[${part}]` : part))
    .join('')
  return TURNED.test(shown) ? `\u2068${shown}\u2069` : shown
}
