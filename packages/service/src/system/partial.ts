// Files that are written under a name of their own beside their target, and get its name when they are whole.

import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { lockAbandoned, lockNew } from './lock.ts'
import { randomBytes } from './runtime.ts'

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
    const path = `${to}.${process.pid}-${randomBytes(4).toHex()}.partial`
    // Fails on a symbolic link, too.
    const descriptor = openSync(path, 'wx+', mode)
    lockNew(path, descriptor)
    // It may have been taken for abandoned before it was locked.
    if (existsSync(path)) return { path, descriptor }
    closeSync(descriptor)
  }
}

/** A descriptor of this process, such as the one that `/dev/stdout` links to. */
const DESCRIPTOR = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/

interface Target {
  /** Behind all links. A name that links lead to may not exist yet. */
  path: string
  /** The regular file that is there. */
  file?: Stats | undefined
  /** A device, a pipe, a socket or a folder: it cannot be replaced. */
  special: boolean
  descriptor?: number
}

/** Follows the links at `path`. Throws if they form a circle. */
export function targetOf(path: string): Target {
  const found = statSync(path, { throwIfNoEntry: false })
  let to = path
  while (!DESCRIPTOR.test(to) && lstatSync(to, { throwIfNoEntry: false })?.isSymbolicLink()) {
    const link = readlinkSync(to)
    // Not `join`, which removes `..` although the name before it may be a link.
    to = isAbsolute(link) ? link : `${dirname(to)}/${link}`
  }
  const descriptor = DESCRIPTOR.exec(to)?.[1]
  if (descriptor !== undefined) return { path: to, special: true, descriptor: Number(descriptor) }
  return found && !found.isFile() ? { path: to, special: true } : { path: to, file: found, special: false }
}

/**
 * Replaces the file at the end of the links at `path` when all that `write` gives its new descriptor is on disk; until then, and on an error, it
 * stays as it was. It keeps its mode; a new one gets `mode`. Devices, pipes and sockets are written directly.
 */
export async function replaceFile(path: string, mode: number, write: (descriptor: number) => unknown): Promise<void> {
  const { path: to, file, special } = targetOf(path)
  const partial = special ? { path: '', descriptor: openSync(to, constants.O_WRONLY) } : createPartial(to, mode)
  try {
    if (file) keepAccess(partial.descriptor, file)
    await write(partial.descriptor)
    if (special) return
    fsyncSync(partial.descriptor)
    renameSync(partial.path, to)
  } finally {
    if (!special) rmSync(partial.path, { force: true })
    closeSync(partial.descriptor)
  }
}

/** Gives the open file the mode of the file that it will replace, and its owner if this process may do that. */
export function keepAccess(descriptor: number, { uid, gid, mode }: Stats): void {
  try {
    fchownSync(descriptor, uid, gid)
  } catch {
    // Only root may.
  }
  fchmodSync(descriptor, mode & 0o777)
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
