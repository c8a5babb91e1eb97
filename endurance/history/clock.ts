// Preloaded into the servers of a history. Moves their wall clocks ahead by the milliseconds in a file, which can change at any time.
// Monotonic clocks are not affected.

import { closeSync, openSync, writeSync } from 'node:fs'

/** Creates the file of a clock that is right. */
export function newClock(path: string): void {
  setAhead(path, 0, 'w')
}

/** Writes in place, because the servers have mapped the file. */
export function setAhead(path: string, ms: number, flags = 'r+'): void {
  const file = openSync(path, flags)
  writeSync(file, new Float64Array([ms]))
  closeSync(file)
}

const { HISTORY_CLOCK } = process.env
if (HISTORY_CLOCK !== undefined) {
  const ahead = new Float64Array(Bun.mmap(HISTORY_CLOCK).buffer)
  const { now } = Date
  Date.now = () => now() + (ahead[0] as number)
}
