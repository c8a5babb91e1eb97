// The connection to a store's file. It checks that the file, its log and its index are still at their paths, and that no
// backup was copied over the file. Otherwise SQLite would keep writing to files that cannot be opened again, so nothing
// more may be acknowledged. A hard link is also reported: see `checkName` in checks.ts.

import type { Database } from 'bun:sqlite'
import { type BigIntStats, fstatSync, openSync, readSync, statSync } from 'node:fs'
import type { PetstoreError } from '../../../domain/petstore-error.ts'
import { orStartError } from '../../../domain/start-error.ts'
import type { StoreOptions } from '../../../domain/store.ts'
import { lockForReading } from '../../../system/lock.ts'
import { startInterval, stopTimer } from '../../../system/runtime.ts'
import { unavailable } from '../../shared/failures.ts'
import type { SqliteConnection } from '../connect/connection.ts'

/** The documented interval is one second, and timers can be late. */
const EVERY_MS = 500

/**
 * SQLite locks these bytes for writing when the last connection closes, before it copies the log into the file
 * (https://sqlite.org/src/file/src/os.h).
 */
const [SHARED_FIRST, SHARED_SIZE] = [0x40000002n, 510n]

export const NAME_ANOTHER = 'Name another file.'

const REMOVED = 'has been removed or renamed'
const REPLACED = 'was replaced by another file'
const OVERWRITTEN = 'was overwritten by a file that is not in WAL mode, such as a backup'

export class GuardedConnection implements SqliteConnection {
  private readonly log: string
  private readonly index: string
  private logIdentity: string | undefined
  private indexIdentity: string | undefined
  private lost: PetstoreError | undefined
  private keepsLog = false
  private names = 1
  private readonly timer = startInterval(() => this.look(), EVERY_MS).unref()

  /**
   * `path` can be a symbolic link to `file`, which SQLite has opened. `held` comes from `holdOpen`. `open` opens another
   * connection.
   */
  constructor(
    private readonly path: string,
    file: string,
    private readonly held: { descriptor: number; identity: string },
    private readonly onTrouble: StoreOptions['onTrouble'],
    private current: Database,
    private readonly open: () => Database,
  ) {
    this.log = `${file}-wal`
    this.index = `${file}-shm`
    this.identify()
  }

  get database(): Database {
    if (this.lost) throw this.lost
    return this.current
  }

  check(): void {
    this.look()
    if (this.lost) throw this.lost
  }

  /** Opens the new connection before it closes the old one, so SQLite keeps its files. */
  reopen(): void {
    this.check()
    const old = this.current
    this.current = this.open()
    old.close()
    this.identify()
  }

  close(): void {
    this.look()
    stopTimer(this.timer)
    const error = this.keepsLog ? this.lost : undefined
    this.lost ??= unavailable(new Error('the store is closed'))
    this.current.close()
    if (error) throw error
  }

  /** Now the log and the index are open, and SQLite does not recreate them while a connection is open. */
  private identify(): void {
    this.logIdentity = identityOf(this.log)
    this.indexIdentity = identityOf(this.index)
  }

  private look(): void {
    if (this.lost) return
    const stats = this.find(this.path, this.held.identity)
    if (stats) this.countNames(Number(stats.nlink))
    this.find(this.log, this.logIdentity)
    this.find(this.index, this.indexIdentity)
    if (!isInWalMode(this.held.descriptor)) this.lose(this.path, OVERWRITTEN)
  }

  private find(path: string, identity: string | undefined): BigIntStats | undefined {
    try {
      const stats = statSync(path, { bigint: true })
      if (identityIn(stats) === identity) return stats
      this.lose(path, REPLACED)
    } catch (error) {
      // After any other error the disk is failing; reads and writes report that themselves.
      const { code = '' } = error as NodeJS.ErrnoException
      if (['ENOENT', 'ENOTDIR'].includes(code)) this.lose(path, REMOVED)
    }
    return undefined
  }

  private countNames(names: number): void {
    if (names > 1 && this.names === 1) {
      const reason = `${this.path} has ${names} names (hard links). If another service opens it by another name, both services lose changes.`
      this.onTrouble?.({ lost: false, reason })
    }
    this.names = names
  }

  private lose(path: string, what: string): void {
    // All three files may be being moved.
    if (path !== this.path) this.find(this.path, this.held.identity)
    if (this.lost) return
    stopTimer(this.timer)
    const [keepsLog, advice] = this.consequence(path, what)
    this.keepsLog = keepsLog
    if (keepsLog) lockForReading(this.held.descriptor, SHARED_FIRST, SHARED_SIZE)
    const reason = `${path} ${what}. All requests are refused. ${advice}`
    this.lost = unavailable(new Error(reason))
    this.onTrouble?.({ lost: true, reason })
  }

  /** Returns whether SQLite must not copy the log into the file when it closes, and what to do. */
  private consequence(path: string, what: string): [keepsLog: boolean, advice: string] {
    if (what === OVERWRITTEN) return [true, 'Stop the service, and restore the backup with petstore restore.']
    // SQLite itself leaves a file alone that is no longer at its path.
    if (path === this.path) return [false, 'Put the right file back and restart the service.']
    // The log is still open, and no other process has it.
    if (path === this.log && what === REMOVED) return [false, 'Restart the service: it saves the log when it stops.']
    return [true, 'Restart the service.']
  }
}

/** Two bytes of the header. A file in another mode, such as one that `VACUUM INTO` wrote, has 0x0101. */
export const [MODE_AT, WAL_MODE] = [18, 0x0202]

/** The descriptors of `holdOpen`, by the identity of the file. */
const held = new Map<string, number>()

/**
 * Opens the file, or returns the descriptor that this process already has. Call it before SQLite opens the file. It is
 * never closed, because closing any descriptor of a file releases the locks of SQLite. Returns `undefined` if the file
 * is missing. Throws StartError.
 */
export function holdOpen(path: string): { descriptor: number; identity: string } | undefined {
  const known = identityOf(path)
  if (known === undefined) return undefined
  // For writing, because some overlay file systems show a reader an old copy of a file that is written later.
  const descriptor = held.get(known) ?? reached(path, () => openSync(path, 'r+'))
  const identity = identityIn(fstatSync(descriptor, { bigint: true }))
  held.set(identity, descriptor)
  return { descriptor, identity }
}

const mode = Buffer.alloc(2)

/** Reads the mode in the header of an open file. If the disk fails, returns `true`. */
function isInWalMode(descriptor: number): boolean {
  try {
    return readSync(descriptor, mode, 0, 2, MODE_AT) === 2 && mode.readUInt16BE() === WAL_MODE
  } catch {
    return true
  }
}

/** Identifies the file at `path`, so that a replacement is noticed. `undefined` if there is none. */
export function identityOf(path: string): string | undefined {
  const stats = reached(path, () => statSync(path, { throwIfNoEntry: false, bigint: true }))
  return stats && identityIn(stats)
}

function identityIn({ dev, ino }: BigIntStats): string {
  return `${dev} ${ino}`
}

/** Runs `work`, which accesses the file. Throws StartError if that fails. */
export function reached<Result>(path: string, work: () => Result): Result {
  return orStartError(work, (reason) => `${path} cannot be reached (${reason}). ${NAME_ANOTHER}`)
}
