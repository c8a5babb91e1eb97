// Standard output and files: as fast as they take it and no faster, so that nothing piles up in memory.

import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { StartError } from '../errors.ts'

/** Resolves once standard output can take more. */
export function write(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (!error) return resolve()
      // Whoever reads has heard enough, as `head` does: that is no failure.
      if ((error as NodeJS.ErrnoException).code === 'EPIPE') process.exit(0)
      reject(error)
    })
  })
}

export async function writeAll(texts: AsyncIterable<string>): Promise<void> {
  for await (const text of texts) await write(text)
}

/** The file is there whole, and on disk, or as it was before. */
export async function writeFile(path: string, texts: AsyncIterable<string>): Promise<void> {
  const part = `${path}.part`
  try {
    const file = openSync(part, 'w')
    try {
      for await (const text of texts) writeSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(part, path)
  } catch (error) {
    rmSync(part, { force: true })
    const { code, syscall } = error as NodeJS.ErrnoException
    if (syscall === undefined) throw error
    throw new StartError(`${path} cannot be written (${code}).`, { cause: error })
  }
}

/** Names are anyone's text: what would steer a terminal, or turn the direction of its writing, is shown as �. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')
}
