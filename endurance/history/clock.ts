// Preloaded into the servers of a history: their wall clocks are ahead by the milliseconds that a file holds, which
// can change at any time. No monotonic clock is touched.

import { closeSync, openSync, writeSync } from 'node:fs'

/** A new file of a clock that is right. */
export function newClock(path: string): void {
  setAhead(path, 0, 'w')
}

/** In place: the servers have the file mapped. */
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
