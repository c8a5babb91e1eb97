// The header of the wal-index, mapped into this process: where every commit, of whichever process, becomes visible
// (https://sqlite.org/walformat.html, 2.1). Read only.
//
// A trap decides how this is done. POSIX drops all locks that a process holds on a file when it closes any descriptor of
// that file, and mapping opens and closes one. So the `-shm` file is mapped before SQLite opens it, once for a file, and never
// while SQLite has it open; a second store on the same file in this process shares the map.

import { closeSync, fchownSync, fstatSync, openSync, statSync, writeSync } from 'node:fs'
import { inodeOf } from './file.ts'

export const HEADER_WORDS = 12

/** What SQLite makes of the file, too, before it uses it (https://sqlite.org/walformat.html, 2). */
const SHM_BYTES = 32 * 1024

export interface WalIndex {
  /** The first copy of the header, as it stands at the moment of reading. */
  readonly header: Uint32Array
  /** Whether SQLite, which has the database open by now, uses the file that is mapped. */
  isCurrent(): boolean
  /** To be called after the connection has been closed. */
  release(): void
}

interface Mapped {
  header: Uint32Array
  inode: bigint
  users: number
}

const mapped = new Map<string, Mapped>()

/** To be called before the database at `path`, which exists and is no symbolic link, is opened. Throws the system's errors. */
export function mapWalIndex(path: string): WalIndex {
  const shm = `${path}-shm`
  const map = mapped.get(shm) ?? openMap(shm, path)
  mapped.set(shm, map)
  map.users++
  return {
    header: map.header,
    isCurrent: () => inodeOf(shm) === map.inode,
    release() {
      if (--map.users === 0) mapped.delete(shm)
    },
  }
}

function openMap(shm: string, path: string): Mapped {
  for (;;) {
    ensureFile(shm, path)
    const inode = inodeOf(shm)
    const bytes = mapOrUndefined(shm)
    // Another process that leaves removes the file: then the map may be of either. One that comes cuts it for a moment.
    if (bytes && bytes.length >= SHM_BYTES && inode !== undefined && inodeOf(shm) === inode) {
      return { header: new Uint32Array(bytes.buffer, bytes.byteOffset, HEADER_WORDS), inode, users: 0 }
    }
  }
}

/** As SQLite would make it: with the mode and the owner of the database. */
function ensureFile(shm: string, path: string): void {
  const { mode, uid, gid } = statSync(path)
  const file = openSync(shm, 'a+', mode & 0o777)
  try {
    // By descriptor: another process that leaves may remove the file at any moment. By appending: what another process has
    // written meanwhile stays.
    const { size } = fstatSync(file)
    if (size < SHM_BYTES) writeSync(file, Buffer.alloc(SHM_BYTES - size))
    if (process.getuid?.() === 0) fchownSync(file, uid, gid)
  } finally {
    closeSync(file)
  }
}

function mapOrUndefined(shm: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Bun.mmap(shm, { shared: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
