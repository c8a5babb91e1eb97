// Checks that the file of an open store, its log and its index are still at their paths, and that no backup was copied
// over the file. Otherwise SQLite would keep writing to files that cannot be opened again, so nothing more may be
// acknowledged. A hard link is also reported: see `checkName` in checks.ts.

import { type BigIntStats, statSync } from 'node:fs'
import type { PetstoreError } from '../../../domain/petstore-error.ts'
import type { StoreOptions } from '../../../domain/store.ts'
import { lockForReading } from '../../../system/lock.ts'
import { startInterval, stopTimer } from '../../../system/runtime.ts'
import { unavailable } from '../../shared/failures.ts'
import { identityIn, identityOf, isInWalMode } from './checks.ts'

/** The documented interval is one second, and timers can be late. */
const EVERY_MS = 500

/**
 * SQLite locks these bytes for writing when the last connection closes, before it copies the log into the file
 * (https://sqlite.org/src/file/src/os.h).
 */
const [SHARED_FIRST, SHARED_SIZE] = [0x40000002n, 510n]

const REMOVED = 'has been removed or renamed'
const REPLACED = 'was replaced by another file'
const OVERWRITTEN = 'was overwritten by a file that is not in WAL mode, such as a backup'

export class FileGuard {
  private readonly log: string
  private readonly index: string
  private logIdentity: string | undefined
  private indexIdentity: string | undefined
  private lost: PetstoreError | undefined
  private keepsLog = false
  private names = 1
  private readonly timer = startInterval(() => this.look(), EVERY_MS).unref()

  /** `path` can be a symbolic link to `file`, which SQLite has opened. `held` comes from `holdOpen`. */
  constructor(
    private readonly path: string,
    file: string,
    private readonly held: { descriptor: number; identity: string },
    private readonly onTrouble: StoreOptions['onTrouble'],
  ) {
    this.log = `${file}-wal`
    this.index = `${file}-shm`
    this.opened()
  }

  /**
   * Call it when a new connection has read the file: then its log and its index are open, and SQLite does not recreate
   * them while a connection is open.
   */
  opened(): void {
    this.logIdentity = identityOf(this.log)
    this.indexIdentity = identityOf(this.index)
  }

  /**
   * Checks now. Throws `unavailable` if a file is missing, replaced or overwritten, or was at any earlier check,
   * because it may have missed changes since.
   */
  check(): void {
    this.look()
    this.throwIfLost()
  }

  throwIfLost(): void {
    if (this.lost) throw this.lost
  }

  /**
   * Checks for the last time; every later check throws. Returns the error if SQLite cannot copy the log into the file.
   */
  stop(): PetstoreError | undefined {
    this.look()
    stopTimer(this.timer)
    const error = this.keepsLog ? this.lost : undefined
    this.lost ??= unavailable(new Error('the store is closed'))
    return error
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
