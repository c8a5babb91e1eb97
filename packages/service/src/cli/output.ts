// Writes a file that is whole or as it was.

import { closeSync, fsyncSync, renameSync, rmSync, writeSync } from 'node:fs'
import { StartError } from '../domain/start-error.ts'
import { systemReason } from '../domain/system-reason.ts'
import { createPartial, type PartialFile } from '../system/partial.ts'
import { Interrupted } from './exit-codes.ts'
import { firstSignal } from './stop.ts'

/**
 * Replaces the file when everything is on disk; until then, and on an error, it stays as it was. Throws StartError, and Interrupted
 * after SIGINT or SIGTERM.
 */
export async function writeFile(path: string, texts: AsyncIterable<string>): Promise<void> {
  let partial: PartialFile | undefined
  try {
    partial = createPartial(path, 0o666)
    const written = await Promise.race([writeDurably(partial.descriptor, texts), firstSignal()])
    if (typeof written === 'string') {
      throw new Interrupted(`Interrupted. The unfinished export was removed; ${path} was not changed.`)
    }
    renameSync(partial.path, path)
  } catch (error) {
    if (partial) rmSync(partial.path, { force: true })
    const { syscall } = error as NodeJS.ErrnoException
    if (syscall === undefined) throw error
    throw new StartError(`${path} cannot be written (${systemReason(error)}).`, { cause: error })
  } finally {
    if (partial) closeSync(partial.descriptor)
  }
}

async function writeDurably(descriptor: number, texts: AsyncIterable<string>): Promise<void> {
  for await (const text of texts) writeSync(descriptor, text)
  fsyncSync(descriptor)
}
