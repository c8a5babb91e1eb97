// Files that are written under a name of their own beside their target, and get its name when they are whole.

import { closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { lockAbandoned, lockNew } from './lock.ts'

/** The end of a name that `createPartial` has given. */
export const PARTIAL = /\.\d+-[0-9a-f]{8}\.partial$/

interface PartialFile {
  path: string
  /** Close it last: until then nobody takes the file for abandoned. */
  descriptor: number
}

/** Creates an empty file beside `to`, under a name that no other file has. */
export function createPartial(to: string, mode: number): PartialFile {
  for (;;) {
    const path = `${to}.${process.pid}-${crypto.getRandomValues(new Uint8Array(4)).toHex()}.partial`
    // Fails on a symbolic link, too.
    const descriptor = openSync(path, 'wx+', mode)
    lockNew(path, descriptor)
    // It may have been taken for abandoned before it was locked.
    if (existsSync(path)) return { path, descriptor }
    closeSync(descriptor)
  }
}

/** Replaces the file at `path` when all that `write` gives its new descriptor is on disk; until then, and on an error, it stays as it was. */
export async function replaceFile(path: string, mode: number, write: (descriptor: number) => unknown): Promise<void> {
  const partial = createPartial(path, mode)
  try {
    await write(partial.descriptor)
    fsyncSync(partial.descriptor)
    renameSync(partial.path, path)
  } finally {
    rmSync(partial.path, { force: true })
    closeSync(partial.descriptor)
  }
}

/** What the process with this id has left of its unfinished files for the target, or for another whose name begins like the target's. */
export function partialsOf(target: string, pid: number): string[] {
  const folder = dirname(target)
  if (!existsSync(folder)) return []
  const isOurs = (name: string) => name.startsWith(basename(target)) && name.includes(`.${pid}-`)
  return readdirSync(folder)
    .filter(isOurs)
    .map((name) => join(folder, name))
}

/**
 * Removes the files of `createPartial` in the folder for the targets that are meant, with what lies beside them under longer names, if their
 * writers are gone for certain. Returns their names.
 */
export function removeAbandoned(folder: string, isTarget: (name: string) => boolean): string[] {
  const names = readdirSync(folder)
  const partials = names.filter((name) => PARTIAL.test(name) && isTarget(name.replace(PARTIAL, '')))
  return partials.filter((partial) => {
    const all = names.filter((name) => name.startsWith(partial)).map((name) => join(folder, name))
    return removeIfAbandoned(join(folder, partial), all)
  })
}

function removeIfAbandoned(path: string, all: readonly string[]): boolean {
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, 'r+')
    if (!lockAbandoned(path, descriptor)) return false
    for (const each of all) rmSync(each, { force: true })
    return true
  } catch {
    // Another process was faster, or the file belongs to another user.
    return false
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
