// The input and output of a command: the process's, or the ones given to `main`.

import { AsyncLocalStorage } from 'node:async_hooks'

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
