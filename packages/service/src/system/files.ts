// Files and folders whose contents and names are on disk, and names that change at once.

import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { libc } from './libc.ts'

const AT_FDCWD = -100
const RENAME_EXCHANGE = 2

/** Creates the folder if it is not there, and those above it. Their names are then on disk. */
export function makeFolder(path: string): void {
  const folder = resolve(path)
  const first = mkdirSync(folder, { recursive: true })
  for (let made = folder; first && made.length >= first.length; made = dirname(made)) syncFolderOf(made)
}

/**
 * What lets this process write to the folder, if the system denies it: it belongs to another user, as one that root mounts into a container,
 * or it is read-only. Else empty.
 */
export function ownershipAdvice(folder: string, error: unknown): string {
  if ((error as NodeJS.ErrnoException).code !== 'EACCES') return ''
  let there = resolve(folder)
  while (!existsSync(there)) there = dirname(there)
  const user = process.getuid?.()
  if (statSync(there).uid === user) return `Let this user write to the folder: chmod u+rwx ${there}. `
  return `Give the folder to this user: chown ${user} ${there}. `
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
