// Replaces `node:fs` in the bundle of simulated servers. In one folder, any call can fail or be the last one of its process, and a power
// failure undoes changes that were not synced.

import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { FILE_CALLS, FILE_FAULT, FILE_FAULTS, type FileFault } from './messages.ts'
import { draw, send, words } from './step.ts'

export const { existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmdirSync, statSync } = fs

let folder = 'none'
/** Its calls have no effect any more. */
let dead: 'child' | 'process' | undefined
let isChild = false
const opened = new Map<number, string>()
/** Contents at the last sync, by inode. */
const synced = new Map<number, Buffer>()
/** Files that survive a power failure: names and inodes. */
let names = new Map<string, number>()
let unsynced: { path: string; inode: number | undefined }[] = []

/** Continues with the files that a process left in the folder. */
export function beginFiles(path: string, isPowerFailure: boolean): void {
  closeFiles()
  if (path !== folder) {
    names = new Map()
    unsynced = []
    synced.clear()
  }
  folder = path
  if (isPowerFailure) losePower()
}

/** Closes the descriptors, which ends their locks. The next process can use the files. */
export function closeFiles(part = ''): void {
  dead = undefined
  for (const [descriptor, path] of opened) if (path.startsWith(join(folder, part))) closeSync(descriptor)
}

/** How many files are open, without locks that are held until the process ends. */
export const openFiles = () => [...opened.values()].filter((path) => !path.endsWith('.lock')).length

/** Runs the work of a child process. Returns `false` if it was killed. */
export function asChild(work: () => void): boolean {
  isChild = true
  let failed: { error: unknown } | undefined
  try {
    work()
  } catch (error) {
    failed = { error }
  }
  isChild = false
  const isKilled = dead === 'child'
  if (dead !== 'process') closeFiles('backups')
  if (failed && !isKilled) throw failed.error
  return !isKilled
}

/** Call it before a call changes files. */
function begin(path: string | undefined): void {
  if (!path?.startsWith(folder)) return
  if (dead) throw new Error('killed')
  if (Atomics.load(words, FILE_CALLS) === 0 || Atomics.sub(words, FILE_CALLS, 1) > 1) return
  const fault = FILE_FAULTS[Atomics.load(words, FILE_FAULT)] as FileFault
  if (fault === 'error') throw Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'simulated' })
  dead = isChild && fault === 'kill' ? 'child' : 'process'
  if (dead === 'process') send({ died: fault })
  throw new Error('killed')
}

/** A rename or link to the name, or its removal. */
function named(path: string, inode?: number): void {
  if (path.startsWith(folder)) unsynced.push({ path, inode })
}

const inodeAt = (path: string) => fs.statSync(path).ino

export function openSync(path: string, flags: string, mode?: number): number {
  if (!path.startsWith(folder)) return fs.openSync(path, flags, mode)
  begin(path)
  const isNew = !fs.existsSync(path)
  const descriptor = fs.openSync(path, flags, mode)
  opened.set(descriptor, path)
  if (isNew) named(path, inodeAt(path))
  return descriptor
}

export function closeSync(descriptor: number): void {
  opened.delete(descriptor)
  fs.closeSync(descriptor)
}

export function fsyncSync(descriptor: number): void {
  const path = opened.get(descriptor)
  begin(path)
  if (path === undefined) {
    fs.fsyncSync(descriptor)
    return
  }
  const found = fs.fstatSync(descriptor)
  if (!found.isDirectory()) return void synced.set(found.ino, fs.readFileSync(path))
  unsynced.filter((one) => dirname(one.path) === path).forEach(keep)
  unsynced = unsynced.filter((one) => dirname(one.path) !== path)
}

export const fdatasyncSync = fsyncSync

export function writeFileSync(file: number | string, text: string): void {
  begin(typeof file === 'number' ? opened.get(file) : file)
  fs.writeFileSync(file, text)
}

export function renameSync(from: string, to: string): void {
  begin(to)
  fs.renameSync(from, to)
  named(to, inodeAt(to))
  named(from)
}

export function linkSync(from: string, to: string): void {
  begin(to)
  fs.linkSync(from, to)
  named(to, inodeAt(to))
}

export function rmSync(path: string, options: fs.RmOptions): void {
  begin(path)
  const isThere = fs.existsSync(path)
  fs.rmSync(path, options)
  if (isThere) named(path)
}

function keep({ path, inode }: (typeof unsynced)[0]): void {
  if (inode === undefined) names.delete(path)
  else names.set(path, inode)
}

/** Some of the latest changes of names became durable, and any contents. */
function losePower(): void {
  unsynced.splice(0, Math.floor(draw() * (unsynced.length + 1))).forEach(keep)
  unsynced = []
  const written = new Map<number, Buffer>()
  for (const part of fs.readdirSync(folder))
    for (const name of fs.readdirSync(join(folder, part))) {
      const path = join(folder, part, name)
      written.set(inodeAt(path), fs.readFileSync(path))
      fs.rmSync(path)
    }
  const before = names
  names = new Map()
  for (const [path, inode] of before) {
    const contents = synced.get(inode) ?? (draw() < 0.5 ? written.get(inode) : undefined) ?? Buffer.alloc(0)
    fs.writeFileSync(path, contents)
    names.set(path, inodeAt(path))
    synced.set(inodeAt(path), contents)
  }
}

export default { ...fs, openSync, closeSync, fsyncSync, fdatasyncSync, writeFileSync, renameSync, linkSync, rmSync }
