// Which streams of this process are terminals. Without node:tty and the streams of `process`, which a service would load for 8 to 15 ms.

import { fstatSync, statSync } from 'node:fs'

/** The other device that programs are given is /dev/null. */
export function isTerminal(descriptor: number): boolean {
  try {
    const stream = fstatSync(descriptor)
    return stream.isCharacterDevice() && stream.rdev !== statSync('/dev/null').rdev
  } catch {
    // Closed.
    return false
  }
}
