// What commands show on stderr at a terminal only: a progress bar, which is one line that is removed at the end, and
// questions.

import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { SingleBar } from 'cli-progress'
import { StartError } from '../../../service/src/domain/start-error.ts'
import { io, printable } from '../../../service/src/system/io.ts'
import { monotonicMs } from '../../../service/src/system/runtime.ts'
import { duration, printNote } from './print.ts'

export interface Progress {
  /** `done` counts towards `total`. The bar shows `words` next to it. */
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

/** Throws StartError unless the person types yes. `unattended`: the message if there is no terminal. */
export async function confirm(question: string, { stopped, unattended }: { stopped: string; unattended: string }) {
  if (!io().stdin.isTTY) throw new StartError(unattended)
  const answer = await prompt(`${question} [y/N] `, { stopped })
  if (!/^y(es)?$/i.test(answer.trim())) throw new StartError(stopped)
}

/**
 * Requires that stdin is a terminal. `hidden` hides the typed text. `stopped`: the message of the StartError if the
 * person aborts.
 */
export async function prompt(question: string, { stopped, hidden = false }: { stopped: string; hidden?: boolean }) {
  const shown = printable(question)
  // Readline writes the question and the echo to its output. That output discards both for hidden input.
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reader = createInterface({ input: io().stdin, output: hidden ? discard : io().stderr, terminal: true })
  // Only now, because the terminal echoes until there is a reader.
  if (hidden) io().stderr.write(shown)
  const aborter = new AbortController()
  reader.once('SIGINT', () => aborter.abort())
  reader.once('close', () => aborter.abort())
  try {
    return await reader.question(shown, { signal: aborter.signal })
  } catch {
    throw new StartError(stopped)
  } finally {
    if (hidden) io().stderr.write('\n')
    reader.close()
  }
}
