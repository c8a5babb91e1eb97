// A progress bar: one line on stderr, removed at the end.

import { SingleBar } from 'cli-progress'
import { printable } from '../../../service/src/observability/printable.ts'
import { io } from '../../../service/src/system/io.ts'
import { monotonicMs } from '../../../service/src/system/runtime.ts'
import { duration, printNote } from './print.ts'

export interface Progress {
  /** `done` counts towards `total`. The bar shows `words` beside it. */
  update(done: number, words: string): void
  /** Writes a permanent line above the bar. */
  log(line: string): void
  stop(): void
}

/** Only `log` writes. */
export const NO_BAR: Progress = { update: () => undefined, log: printNote, stop: () => undefined }

/** `total` is undefined if it is unknown. Without a terminal there is no bar. */
export function startProgress(what: string, total: number | undefined): Progress {
  if (!io().stderr.isTTY) return NO_BAR
  const format = `${printable(what)}  ${total === undefined ? '{words}' : '{bar} {percentage}%  {words}  {left}'}`
  const bar = new SingleBar({
    format,
    stream: io().stderr,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 30,
    hideCursor: true,
    clearOnComplete: true,
    linewrap: false,
    // The command itself handles an interrupt.
    gracefulExit: false,
  })
  const startedAt = monotonicMs()
  bar.start(total ?? 1, 0, { words: '', left: '' })
  return {
    update(done, words) {
      // Estimates from the total time so far, because files are read in chunks too large for the bar's own estimate.
      // Too unreliable in the first percent.
      const share = done / (total ?? done)
      const leftMs = share < 0.01 ? 0 : (monotonicMs() - startedAt) * (1 / share - 1)
      bar.update(total === undefined ? 0 : done, { words, left: leftMs >= 1000 ? `${duration(leftMs)} left` : '' })
    },
    log: (line) => {
      io().stderr.write('\r\x1b[K')
      printNote(line)
    },
    stop: () => bar.stop(),
  }
}
