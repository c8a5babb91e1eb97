// Detects terminals without node:tty and the streams of `process`, which take 8 to 15 ms to load.

import { fstatSync, statSync } from 'node:fs'

/** Programs also get /dev/null as a character device. */
export function isTerminal(descriptor: number): boolean {
  try {
    const stream = fstatSync(descriptor)
    return stream.isCharacterDevice() && stream.rdev !== statSync('/dev/null').rdev
  } catch {
    // Closed.
    return false
  }
}
