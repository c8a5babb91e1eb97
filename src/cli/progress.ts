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
  const format =
    total === undefined ? `${what}  {words}` : `${what}  {bar} {percentage}%  {words}  {eta_formatted} left`
  const bar = new SingleBar({
    format,
    stream: process.stderr,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 30,
    hideCursor: true,
    clearOnComplete: true,
    linewrap: false,
    etaBuffer: 100,
    // The command itself decides what an interrupt means.
    gracefulExit: false,
  })
  bar.start(total ?? 1, 0, { words: '' })
  return {
    update: (done, words) => bar.update(total === undefined ? 0 : done, { words }),
    say: (line) => {
      process.stderr.write('\r\x1b[K')
      say(line)
    },
    stop: () => bar.stop(),
  }
}
