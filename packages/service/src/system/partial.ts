// Writes files under a temporary name next to their target and renames them when they are complete.

import fs from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { lockAbandoned, lockNew } from './lock.ts'
import { randomBytes } from './runtime.ts'

/** The suffix of names from `createPartial`. */
export const PARTIAL = /\.\d+-[0-9a-f]{8}\.partial$/

/**
 * Creates an empty file with a unique name next to `to`. Close the descriptor last: while it is open, no other process
 * treats the file as abandoned.
 */
export function createPartial(to: string, mode: number): { path: string; descriptor: number } {
  for (;;) {
    const path = `${to}.${process.pid}-${randomBytes(4).toHex()}.partial`
    // Also fails if the name is a symbolic link.
    const descriptor = fs.openSync(path, 'wx+', mode)
    lockNew(path, descriptor)
    // Another process may have removed it as abandoned before it was locked.
    if (fs.existsSync(path)) return { path, descriptor }
    fs.closeSync(descriptor)
  }
}

/** A descriptor of this process, such as the one that `/dev/stdout` links to. */
const DESCRIPTOR = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/

interface Target {
  /** With all links resolved. Does not exist yet if a link is dangling. */
  path: string
  /** The existing regular file. */
  file?: fs.Stats | undefined
  /** A device, pipe, socket or folder, which cannot be replaced. */
  special: boolean
  descriptor?: number
}

/** Resolves the links at `path`. Throws if they are circular. */
export function targetOf(path: string): Target {
  const found = fs.statSync(path, { throwIfNoEntry: false })
  let to = path
  while (!DESCRIPTOR.test(to) && fs.lstatSync(to, { throwIfNoEntry: false })?.isSymbolicLink()) {
    const link = fs.readlinkSync(to)
    // Not `join`, which removes `..` although the name before it may be a link.
    to = isAbsolute(link) ? link : `${dirname(to)}/${link}`
  }
  const descriptor = DESCRIPTOR.exec(to)?.[1]
  if (descriptor !== undefined) return { path: to, special: true, descriptor: Number(descriptor) }
  return found && !found.isFile() ? { path: to, special: true } : { path: to, file: found, special: false }
}

/**
 * Replaces the file that the links lead to at `path` after everything that `write` wrote is durable. On an error the file
 * stays unchanged. An existing file keeps its mode; a new one gets `mode`. Devices, pipes and sockets are written
 * directly. So is a descriptor of this process, at its own position: opening `/dev/fd/5` would start at the beginning
 * of its file on Linux.
 */
export async function replaceFile(path: string, mode: number, write: (descriptor: number) => unknown): Promise<void> {
  const { path: to, file, special, descriptor } = targetOf(path)
  if (descriptor !== undefined) return void (await write(descriptor))
  const partial = special ? { path: '', descriptor: fs.openSync(to, fs.constants.O_WRONLY) } : createPartial(to, mode)
  try {
    if (file) keepAccess(partial.descriptor, file)
    await write(partial.descriptor)
    if (special) return
    fs.fsyncSync(partial.descriptor)
    fs.renameSync(partial.path, to)
  } finally {
    if (!special) fs.rmSync(partial.path, { force: true })
    fs.closeSync(partial.descriptor)
  }
}

/** Gives the open file the mode and, if permitted, the owner of the file that it will replace. */
export function keepAccess(descriptor: number, { uid, gid, mode }: fs.Stats): void {
  try {
    fs.fchownSync(descriptor, uid, gid)
  } catch {
    // Only root can do this.
  }
  fs.fchmodSync(descriptor, mode & 0o777)
}

/**
 * Returns the paths of unfinished files that the process left for the target, or for targets whose names begin like
 * it.
 */
export function partialsOf(target: string, pid: number): string[] {
  const folder = dirname(target)
  if (!fs.existsSync(folder)) return []
  const isOurs = (name: string) => name.startsWith(basename(target)) && name.includes(`.${pid}-`)
  const names = fs.readdirSync(folder).filter(isOurs)
  return names.map((name) => join(folder, name))
}

/**
 * Removes unfinished files (`createPartial`) for the chosen targets, and files next to them with longer names, if no
 * process can still be writing them. Returns their names.
 */
export function removeAbandoned(folder: string, isTarget: (name: string) => boolean): string[] {
  const names = fs.readdirSync(folder)
  const partials = names.filter((name) => PARTIAL.test(name) && isTarget(name.replace(PARTIAL, '')))
  return partials.filter((partial) => {
    const all = names.filter((name) => name.startsWith(partial)).map((name) => join(folder, name))
    return removeIfAbandoned(join(folder, partial), all)
  })
}

function removeIfAbandoned(path: string, all: readonly string[]): boolean {
  let descriptor: number | undefined
  try {
    descriptor = fs.openSync(path, 'r+')
    if (!lockAbandoned(path, descriptor)) return false
    for (const each of all) fs.rmSync(each, { force: true })
    return true
  } catch {
    // Another process was faster, or the file belongs to another user.
    return false
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor)
  }
}
