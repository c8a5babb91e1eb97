// Files that have their name only when they are whole and on disk: until then each is written under a name of its own beside it.

import { closeSync, fsyncSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { libc } from './libc.ts'

/** The end of a name that `createPartial` has given. */
export const PARTIAL = /\.\d+-[0-9a-f]{8}\.partial$/

const AT_FDCWD = -100
const RENAME_EXCHANGE = 2

/** Creates an empty file beside `to`, under a name that no other file has. Returns its path. */
export function createPartial(to: string, mode: number): string {
  const path = `${to}.${process.pid}-${crypto.getRandomValues(new Uint8Array(4)).toHex()}.partial`
  // Fails on a symbolic link, too.
  closeSync(openSync(path, 'wx', mode))
  return path
}

/** Gives each of the two files the other's name, at once. Returns `false` where the system or the file system cannot. */
export function exchange(one: string, other: string): boolean {
  try {
    const { symbols, close } = libc({ renameat2: { args: ['i32', 'ptr', 'i32', 'ptr', 'u32'], returns: 'i32' } })
    const [first, second] = [Buffer.from(`${one}\0`), Buffer.from(`${other}\0`)]
    const status = symbols.renameat2(AT_FDCWD, first, AT_FDCWD, second, RENAME_EXCHANGE)
    close()
    return status === 0
  } catch {
    return false
  }
}

export function syncFile(path: string): void {
  syncDescriptor(openSync(path, 'r+'))
}

/** Syncs the folder of `path`, and so the names in it. */
export function syncFolderOf(path: string): void {
  syncDescriptor(openSync(dirname(path), 'r'))
}

function syncDescriptor(file: number): void {
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
