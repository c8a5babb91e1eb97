// Text from outside, for people at a terminal: a name, a file or a message may contain anything.

/** Shows characters that control a terminal, a line or the direction of text as �, so that one line stays one. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, '\ufffd')
}

/** The same for text whose lines are ours. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}
