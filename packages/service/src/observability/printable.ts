// Makes untrusted text safe for a terminal.

/**
 * Replaces characters that control the terminal, line breaks or text direction with �, so that one line stays one
 * line.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, '\ufffd')
}

/** Does the same for each line of the text. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}
