// Puts a whole file in the place of a store, which is kept under another name.

import { chmodSync, chownSync, linkSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { StartError } from '../../domain/start-error.ts'
import { exchange } from '../../system/files.ts'

/** Gives the file the owner, group and mode of the previous store. Without one, root gives it the owner and group of the folder. */
export function giveOwner(file: string, path: string): void {
  const old = statSync(path, { throwIfNoEntry: false })
  const own = statSync(file)
  const { uid, gid } = old ?? (process.getuid?.() === 0 ? statSync(dirname(path)) : own)
  try {
    if (uid !== own.uid || gid !== own.gid) chownSync(file, uid, gid)
  } catch (cause) {
    throw new StartError(`${path} belongs to another user or group. Restore it as its owner, or as root.`, { cause })
  }
  if (old) chmodSync(file, old.mode & 0o777)
}

/** Names the file `path`, and the one that is there `kept`. A process that is killed meanwhile leaves each of them one name. */
export function swap(file: string, path: string, kept: string): void {
  if (!exchange(file, path)) {
    // Between these two the store has two names. With them it is not opened: see file-checks.ts.
    linkSync(path, kept)
    renameSync(file, path)
    return
  }
  try {
    renameSync(file, kept)
  } catch (error) {
    exchange(file, path)
    throw error
  }
}
