// Writes a file completely or not at all. The path can also name a device, a pipe or stdout.

import { accessSync, closeSync, constants, rmSync, writeFileSync, writeFile as writeTo } from 'node:fs'
import { promisify } from 'node:util'
import { systemReason } from '../../../contract/src/system-reason.ts'
import { StartError } from '../../../service/src/domain/start-error.ts'
import { absolutePath } from '../../../service/src/store/absolute-path.ts'
import { createPartial, replaceFile, targetOf } from '../../../service/src/system/partial.ts'
import { type Texts, writeAll } from './print.ts'
import { unlessInterrupted } from './stop.ts'

const MODE = 0o666

/** As `writeFileSync`, but without blocking, because the reader of a pipe can be slow. */
const writeUnblocked = promisify<number, string, void>(writeTo)

export function isStandardOutput(path: string): boolean {
  return path === '-' || targetOf(absolutePath(path)).descriptor === 1
}

/**
 * Replaces the file when everything is durable. On an error the file stays unchanged. Throws StartError, or
 * Interrupted after SIGINT or SIGTERM.
 */
export async function writeFile(path: string, texts: Texts): Promise<void> {
  try {
    if (isStandardOutput(path)) return await unlessInterrupted(writeAll(texts), 'The output is incomplete.')
    const to = absolutePath(path)
    const [write, left] = targetOf(to).special
      ? [writeUnblocked, `${path} is incomplete.`]
      : [writeFileSync, `The unfinished export was removed; ${path} was not changed.`]
    await replaceFile(to, MODE, (descriptor) =>
      unlessInterrupted(
        // Not `writeSync`, which can write only a part if the disk is nearly full.
        writeAll(texts, (text) => write(descriptor, text)),
        left,
      ),
    )
  } catch (error) {
    const { syscall } = error as NodeJS.ErrnoException
    if (syscall === undefined) throw error
    throw new StartError(`${path} cannot be written (${systemReason(error)}).`, { cause: error })
  }
}

/** Throws the system's error if `writeFile` could not start. */
export function tryToWrite(path: string): void {
  const { path: to, special } = targetOf(absolutePath(path))
  if (special) accessSync(to, constants.W_OK)
  else {
    const { path: tried, descriptor } = createPartial(to, MODE)
    rmSync(tried)
    closeSync(descriptor)
  }
}
