// Detects terminals, and makes untrusted text safe for them.

import { fstatSync, statSync } from 'node:fs'

/**
 * Uses neither node:tty nor the streams of `process`, which take 8 to 15 ms to load. Programs also get /dev/null as a
 * character device.
 */
export function isTerminal(descriptor: number): boolean {
  try {
    const stream = fstatSync(descriptor)
    return stream.isCharacterDevice() && stream.rdev !== statSync('/dev/null').rdev
  } catch {
    // Closed.
    return false
  }
}

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
