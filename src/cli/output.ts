// Writes to standard output and files with backpressure, so that nothing piles up in memory; and text for people.

import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { StartError } from '../domain/errors.ts'

/** Resolves when standard output can take more. */
export function write(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (!error) return resolve()
      // The reader, such as `head`, has closed the pipe: that is not an error.
      if ((error as NodeJS.ErrnoException).code === 'EPIPE') process.exit(0)
      reject(error)
    })
  })
}

export async function writeAll(texts: AsyncIterable<string>): Promise<void> {
  for await (const text of texts) await write(text)
}

/** Replaces the file when everything is on disk; on an error the file stays as it was. Throws StartError. */
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

/** A name may contain anything: shows characters that control a terminal or the direction of text as �. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
