// Locks on files that end with the process that holds them, however it ends: so a file without its lock has no writer any more. A
// process id in a file's name shows less, because it may belong to another container or another machine. Linux only.

import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { libc } from './libc.ts'

/** fcntl(2), "Open file description locks": unlike others, they stay when the process closes another descriptor of the file. */
const [F_OFD_SETLK, F_OFD_SETLKW] = [37, 38]
const F_WRLCK = 1
const FLOCK_BYTES = 32

/** Of ext4, XFS, Btrfs, tmpfs, overlayfs, F2FS, ZFS and bcachefs (statfs(2)). On others, a process of another machine may write, too. */
const LOCAL = [0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0xca451a4e]

/** Locks the new file at `path` until the descriptor is closed. Without effect where locks say nothing. */
export function lockNew(path: string, descriptor: number): void {
  // One byte, since SQLite locks others. Waits because of `lockAbandoned`.
  if (isLocal(path)) lock(descriptor, F_OFD_SETLKW, 1n)
}

/** Locks the file at `path` until the descriptor is closed, if it is certain that no process writes it. Otherwise returns `false`. */
export function lockAbandoned(path: string, descriptor: number): boolean {
  return isLocal(path) && lock(descriptor, F_OFD_SETLK, 0n)
}

/** Locks the file at `path` until the descriptor is closed. `false`: another process has. Without effect where locks say nothing. */
export function lockAlone(path: string, descriptor: number): boolean {
  return !isLocal(path) || lock(descriptor, F_OFD_SETLK, 0n)
}

function isLocal(path: string): boolean {
  return LOCAL.includes(statfsSync(dirname(path)).type)
}

/** Locks the first `bytes` bytes; 0 means all. */
function lock(descriptor: number, command: number, bytes: bigint): boolean {
  try {
    const { symbols, close } = libc({ fcntl: { args: ['i32', 'i32', 'ptr'], returns: 'i32' } })
    // struct flock
    const range = Buffer.alloc(FLOCK_BYTES)
    range.writeInt16LE(F_WRLCK, 0)
    range.writeBigInt64LE(bytes, 16)
    const status = symbols.fcntl(descriptor, command, range)
    close()
    return status === 0
  } catch {
    return false
  }
}
