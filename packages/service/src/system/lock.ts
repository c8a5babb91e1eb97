// File locks that end with their process, even after a crash, so a file without its lock has no writer. A process id
// in the file name would not show that: it can belong to another container or machine. Linux only.

import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { libc } from './libc.ts'

/**
 * fcntl(2), "Open file description locks". Unlike other locks, they survive when the process closes another
 * descriptor of the file.
 */
const [F_OFD_SETLK, F_OFD_SETLKW] = [37, 38]
const [F_RDLCK, F_WRLCK] = [0, 1]
const FLOCK_BYTES = 32

/**
 * ext4, XFS, Btrfs, tmpfs, overlayfs, F2FS, ZFS and bcachefs (statfs(2)). On other file systems, another machine may
 * be writing.
 */
const LOCAL = [0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0xca451a4e]

/** Locks the new file until the descriptor is closed. No effect on file systems without reliable locks. */
export function lockNew(path: string, descriptor: number): void {
  // Only one byte, because SQLite locks others. Waits, because `lockAbandoned` may hold the lock for a moment.
  if (isLocal(path)) lock(descriptor, F_OFD_SETLKW, 1n)
}

/**
 * Locks the file until the descriptor is closed. Returns `false` unless it is certain that no process is writing it.
 */
export function lockAbandoned(path: string, descriptor: number): boolean {
  return isLocal(path) && lock(descriptor, F_OFD_SETLK, 0n)
}

/**
 * Locks the file until the descriptor is closed. Returns `false` if another process holds the lock. No effect on file
 * systems without reliable locks.
 */
export function lockAlone(path: string, descriptor: number): boolean {
  return !isLocal(path) || lock(descriptor, F_OFD_SETLK, 0n)
}

function isLocal(path: string): boolean {
  return LOCAL.includes(statfsSync(dirname(path)).type)
}

/**
 * Locks `bytes` bytes from `start` for reading, until the descriptor is closed: no process can lock them for writing,
 * not even this one. No effect if the system does not support it.
 */
export function lockForReading(descriptor: number, start: bigint, bytes: bigint): void {
  lock(descriptor, F_OFD_SETLK, bytes, { start, type: F_RDLCK })
}

/** Locks `bytes` bytes; 0 means all. */
function lock(descriptor: number, command: number, bytes: bigint, { start = 0n, type = F_WRLCK } = {}): boolean {
  try {
    const { symbols, close } = libc({ fcntl: { args: ['i32', 'i32', 'ptr'], returns: 'i32' } })
    // struct flock
    const range = Buffer.alloc(FLOCK_BYTES)
    range.writeInt16LE(type, 0)
    range.writeBigInt64LE(start, 8)
    range.writeBigInt64LE(bytes, 16)
    const status = symbols.fcntl(descriptor, command, range)
    close()
    return status === 0
  } catch {
    return false
  }
}
