// The input and output of a command: the process's, or the ones given to `main`. Also makes untrusted text safe for
// terminals.

import { AsyncLocalStorage } from 'node:async_hooks'
import { fstatSync, statSync } from 'node:fs'

export type Output = NodeJS.WritableStream & { isTTY?: boolean; columns?: number }

/** `process` implements it. */
export interface Io {
  readonly stdin: NodeJS.ReadableStream & { isTTY?: boolean }
  readonly stdout: Output
  readonly stderr: Output
  readonly env: NodeJS.ProcessEnv
  /** Base of relative paths. Throws if the folder was removed. */
  cwd(): string
  /** Ends the command immediately. */
  exit(status: number): never
}

const given = new AsyncLocalStorage<Io>()

/** Returns the input and output of the current command. */
export function io(): Io {
  return given.getStore() ?? process
}

/**
 * Returns whether the command uses the process's own input and output, and so can handle its signals and change its
 * priority.
 */
export function ownsProcess(): boolean {
  return io() === process
}

/** Runs `work`, and everything that it starts, with this input and output. */
export function withIo<Result>(other: Io, work: () => Promise<Result>): Promise<Result> {
  return other === process ? work() : given.run(other, work)
}

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
