// Files that have their name only when they are whole and on disk: until then each is written under a name of its own beside it.

import { closeSync, fsyncSync, openSync } from 'node:fs'
import { dirname } from 'node:path'

/** Creates an empty file beside `to`, under a name that no other file has. Returns its path. */
export function createPartial(to: string, mode: number): string {
  const path = `${to}.${process.pid}-${crypto.getRandomValues(new Uint8Array(4)).toHex()}.partial`
  // Fails on a symbolic link, too.
  closeSync(openSync(path, 'wx', mode))
  return path
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
