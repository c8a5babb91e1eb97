// Writes a file that is whole or as it was.

import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { StartError } from '../domain/errors.ts'
import { createPartial } from '../system/files.ts'
import { Interrupted } from './exit-codes.ts'
import { firstSignal } from './stop.ts'

/**
 * Replaces the file when everything is on disk; until then, and on an error, it stays as it was. Throws StartError, and Interrupted
 * after SIGINT or SIGTERM.
 */
export async function writeFile(path: string, texts: AsyncIterable<string>): Promise<void> {
  let partial: string | undefined
  try {
    partial = createPartial(path, 0o666)
    const written = await Promise.race([writeDurably(partial, texts), firstSignal()])
    if (typeof written === 'string') {
      throw new Interrupted(`Interrupted. The unfinished export was removed; ${path} was not changed.`)
    }
    renameSync(partial, path)
  } catch (error) {
    if (partial) rmSync(partial, { force: true })
    const { code, syscall } = error as NodeJS.ErrnoException
    if (syscall === undefined) throw error
    throw new StartError(`${path} cannot be written (${code}).`, { cause: error })
  }
}

async function writeDurably(path: string, texts: AsyncIterable<string>): Promise<void> {
  const file = openSync(path, 'r+')
  try {
    for await (const text of texts) writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
