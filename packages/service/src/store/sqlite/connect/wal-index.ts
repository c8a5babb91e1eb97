// The header of the log's index: 48 bytes that change with every commit. SQLite keeps the index of its write-ahead log in the file
// `-shm`, which every process that uses the store maps into its memory (https://sqlite.org/walformat.html, "The WAL-Index Header").
//
// The gain: to look at it takes 0.02 µs, to ask SQLite 2.5 µs, where a cached list takes 9.4 in all. The price: SQLite's file is read without
// SQLite, so its format is checked first, and `data-version.ts` asks SQLite where the header cannot be mapped.

import { toArrayBuffer } from 'bun:ffi'
import { openSync, statSync } from 'node:fs'
import { libc } from '../../../system/libc.ts'

const HEADER_BYTES = 48
/** `iVersion`, the header's first number, since SQLite 3.7.0. */
const FORMAT = 3_007_000
/** Where the header has `iChange`, which counts commits, `mxFrame`, the number of frames in the log, and the first half of `aSalt`. */
const [I_CHANGE, MX_FRAME, A_SALT] = [2, 4, 8]
/** Of a page of 4 KiB. */
export const FRAME_BYTES = 4_120
const PROT_READ = 1
const MAP_SHARED = 1
const MAP_FAILED = -1n

/** Nothing that another process could change. */
const OF_MEMORY = new Int32Array(0)

/**
 * By device and inode. A file stays open and mapped, and is opened once: closing it would release the locks that SQLite has on it,
 * which belong to the process (https://sqlite.org/howtocorrupt.html, 2.2).
 */
const mapped = new Map<string, Int32Array | undefined>()

/**
 * The header as it is in memory, now and later: if it is equal at two moments, nothing was committed between them. `undefined` where it
 * cannot be mapped. `path` is the file of a store that is open, with symbolic links resolved, or `:memory:`.
 */
export function walIndexHeader(path: string): Int32Array | undefined {
  if (path === ':memory:') return OF_MEMORY
  try {
    const index = `${path}-shm`
    const { dev, ino } = statSync(index, { bigint: true })
    const name = `${dev}:${ino}`
    if (!mapped.has(name)) mapped.set(name, map(index))
    return mapped.get(name)
  } catch {
    return undefined
  }
}

function map(path: string): Int32Array | undefined {
  const descriptor = openSync(path, 'r')
  const { symbols, close } = libc({ mmap: { args: ['ptr', 'u64', 'i32', 'i32', 'i32', 'i64'], returns: 'i64' } })
  const address = symbols.mmap(null, HEADER_BYTES, PROT_READ, MAP_SHARED, descriptor, 0)
  close()
  if (address === MAP_FAILED) return undefined
  const header = new Int32Array(toArrayBuffer(address, 0, HEADER_BYTES))
  return header[0] === FORMAT ? header : undefined
}

/**
 * How many frames the log has, a number that differs after each commit, and the salt, which differs after the log has begun again. Where
 * the index cannot be mapped, the file says it roughly, and there is no salt.
 */
export function logState(path: string): { frames: number; commit: number; salt: number | undefined } {
  const header = walIndexHeader(path)
  if (header) return { frames: header[MX_FRAME] as number, commit: header[I_CHANGE] as number, salt: header[A_SALT] }
  const { size } = Bun.file(`${path}-wal`)
  return { frames: size / FRAME_BYTES, commit: size, salt: undefined }
}
