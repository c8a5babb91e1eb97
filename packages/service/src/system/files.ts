// Makes files and folders durable, and exchanges names atomically.

import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { libc } from './libc.ts'

const AT_FDCWD = -100
const RENAME_EXCHANGE = 2

/** Creates the folder and missing parents. Their names are then durable. */
export function makeFolder(path: string): void {
  const folder = resolve(path)
  const first = mkdirSync(folder, { recursive: true })
  for (let made = folder; first && made.length >= first.length; made = dirname(made)) syncFolderOf(made)
}

/**
 * Returns a sentence on how to give this process write access, if the error is EACCES; otherwise an empty text. The
 * folder belongs to another user, for example as a container's mount, or is read-only.
 */
export function ownershipAdvice(folder: string, error: unknown): string {
  if ((error as NodeJS.ErrnoException).code !== 'EACCES') return ''
  let there = resolve(folder)
  while (!existsSync(there)) there = dirname(there)
  const user = process.getuid?.()
  if (statSync(there).uid === user) return `Let this user write to the folder: chmod u+rwx ${there}. `
  return `Give the folder to this user: chown ${user} ${there}. `
}

/**
 * Exchanges the names of two files atomically. Returns `false` if the system or the file system does not support it.
 */
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

/** Syncs the folder of `path`, which makes the names in it durable. */
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
