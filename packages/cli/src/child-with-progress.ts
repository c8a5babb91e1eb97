// Runs a backup or restore at a terminal. SQLite blocks its thread until it is done, so a child process does the work
// while this one shows progress and handles Ctrl-C. A thread could not be stopped: `terminate` waits until a statement
// of SQLite has ended, so the thread could still replace the store after the command has said that it did not.

import { existsSync, realpathSync, rmSync, statSync } from 'node:fs'
import { StartError } from '../../service/src/domain/start-error.ts'
import { absolutePath } from '../../service/src/store/absolute-path.ts'
import { io } from '../../service/src/system/io.ts'
import { partialsOf } from '../../service/src/system/partial.ts'
import { startInterval, stopTimer } from '../../service/src/system/runtime.ts'
import { startSelf } from './child-process.ts'
import { Interrupted } from './terminal/exit-codes.ts'
import { startProgress } from './terminal/interaction.ts'
import { FOR_PEOPLE, print, printNote } from './terminal/print.ts'
import { firstSignal } from './terminal/stop.ts'

const LOOK_EVERY_MS = 100

/**
 * Runs the command again without a terminal, so that it does the work itself, and prints its output. The unfinished
 * file is beside `to`. Throws StartError with the child's message, or Interrupted.
 */
export async function runWithBar(what: string, from: string, to: string): Promise<void> {
  const [source, target] = [realPath(from), realPath(to)]
  const before = fileAt(target)?.ino
  const env = io().stdout.isTTY ? { ...io().env, [FOR_PEOPLE]: '' } : io().env
  const child = startSelf(process.argv.slice(2), { stdio: ['ignore', 'pipe', 'pipe'], env })
  const bytes = fileAt(source)?.size
  const progress = startProgress(what, bytes)
  const timer = startInterval(() => {
    const done = Math.max(0, ...partialsOf(target, child.pid).map((file) => fileAt(file)?.size ?? 0))
    const isCopied = bytes !== undefined && done >= bytes
    progress.update(isCopied ? bytes : done, isCopied ? 'checking' : `${(done / 1e6).toFixed(1)} MB`)
  }, LOOK_EVERY_MS)
  void firstSignal().then(() => child.kill())
  try {
    const [output, message, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    progress.stop()
    if (status === 0) {
      if (message !== '') printNote(...message.trimEnd().split('\n'))
      return await print(output)
    }
    if (child.signalCode === null) {
      await print(output)
      throw new StartError(message.replace(/^petstore: /, '').trimEnd())
    }
    // After a restore has exchanged the files, the unfinished name belongs to the previous store
    // (store/sqlite/file/restore.ts).
    if (fileAt(target)?.ino !== before) throw new Interrupted(`Interrupted. ${to} was already replaced.`)
    for (const file of partialsOf(target, child.pid)) rmSync(file, { force: true })
    const left = before === undefined ? `${to} does not exist` : `${to} was not changed`
    throw new Interrupted(`Interrupted. Unfinished files were removed: ${left}.`)
  } finally {
    stopTimer(timer)
    progress.stop()
  }
}

function fileAt(path: string) {
  // The child reports unreachable files.
  return existsSync(path) ? statSync(path, { throwIfNoEntry: false }) : undefined
}

function realPath(path: string): string {
  const absolute = absolutePath(path)
  return existsSync(absolute) ? realpathSync(absolute) : absolute
}
