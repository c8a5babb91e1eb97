// Writes a file that is whole or as it was.

import { writeSync } from 'node:fs'
import { StartError } from '../domain/start-error.ts'
import { systemReason } from '../domain/system-reason.ts'
import { replaceFile } from '../system/partial.ts'
import { Interrupted } from './exit-codes.ts'
import { firstSignal } from './stop.ts'

/**
 * Replaces the file when everything is on disk; until then, and on an error, it stays as it was. Throws StartError, and Interrupted
 * after SIGINT or SIGTERM.
 */
export async function writeFile(path: string, texts: AsyncIterable<string>): Promise<void> {
  try {
    await replaceFile(path, 0o666, async (descriptor) => {
      const written = await Promise.race([writeTo(descriptor, texts), firstSignal()])
      if (typeof written === 'string') {
        throw new Interrupted(`Interrupted. The unfinished export was removed; ${path} was not changed.`)
      }
    })
  } catch (error) {
    const { syscall } = error as NodeJS.ErrnoException
    if (syscall === undefined) throw error
    throw new StartError(`${path} cannot be written (${systemReason(error)}).`, { cause: error })
  }
}

async function writeTo(descriptor: number, texts: AsyncIterable<string>): Promise<void> {
  for await (const text of texts) writeSync(descriptor, text)
}
