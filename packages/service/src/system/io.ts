// The input and output of a command: those of the process, or those that a caller of `main` gives it.

import { AsyncLocalStorage } from 'node:async_hooks'

export type Output = NodeJS.WritableStream & { isTTY?: boolean; columns?: number }

/** `process` is one. */
export interface Io {
  readonly stdin: NodeJS.ReadableStream & { isTTY?: boolean }
  readonly stdout: Output
  readonly stderr: Output
  readonly env: NodeJS.ProcessEnv
  /** Relative paths are resolved against it. Throws if the folder has been removed. */
  cwd(): string
  /** Ends the command immediately. */
  exit(status: number): never
}

const given = new AsyncLocalStorage<Io>()

/** Returns the input and output of the command that runs. */
export function io(): Io {
  return given.getStore() ?? process
}

/** Returns whether the command may handle the signals of the process and change its priority: if its input and output are the process's own. */
export function ownsProcess(): boolean {
  return io() === process
}

/** Runs `work` with another input and output, also for everything that it starts. */
export function withIo<Result>(other: Io, work: () => Promise<Result>): Promise<Result> {
  return other === process ? work() : given.run(other, work)
}
