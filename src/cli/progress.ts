// How far long work has come, for people at a terminal: one line on standard error that goes when the work ends.

import { SingleBar } from 'cli-progress'

export interface Progress {
  /** `done` of the total that was announced, and how it goes, in words. */
  update(done: number, words: string): void
  /** A line that stays, above the bar. */
  say(line: string): void
  stop(): void
}

/** `total` is undefined where the end is not known. Where nobody watches, only what is said is written. */
export function startProgress(what: string, total: number | undefined): Progress {
  const say = (line: string) => process.stderr.write(`${line}\n`)
  if (!process.stderr.isTTY) return { update: () => {}, say, stop: () => {} }
  const format = total === undefined ? `${what}  {words}` : `${what}  {bar} {percentage}%  {words}  {left}`
  const bar = new SingleBar({
    format,
    stream: process.stderr,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 30,
    hideCursor: true,
    clearOnComplete: true,
    linewrap: false,
    // The command itself decides what an interrupt means.
    gracefulExit: false,
  })
  const startedAt = performance.now()
  bar.start(total ?? 1, 0, { words: '', left: '' })
  return {
    update(done, words) {
      // From the whole of the time so far: files are read in pieces, too large for the bar's own guess.
      const leftMs = (performance.now() - startedAt) * ((total ?? 0) / Math.max(done, 1) - 1)
      bar.update(total === undefined ? 0 : done, { words, left: leftMs >= 1000 ? `${duration(leftMs)} left` : '' })
    },
    say: (line) => {
      process.stderr.write('\r\x1b[K')
      say(line)
    },
    stop: () => bar.stop(),
  }
}

function duration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
}
