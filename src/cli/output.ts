// Writes to standard output and files with backpressure, so that nothing piles up in memory; and text for people.

import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { StartError } from '../domain/errors.ts'
import { createPartial } from '../system/files.ts'
import { Interrupted } from './exit-codes.ts'
import { firstSignal } from './stop.ts'

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

/** A name may contain anything: shows characters that control a terminal or the direction of text as �. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
