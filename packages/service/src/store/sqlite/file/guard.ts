// Checks that the file of an open store is still at its path. If it was removed or replaced, SQLite would keep writing
// to a file that cannot be opened again, so nothing more may be acknowledged. A hard link is also reported: see
// `checkName` in checks.ts.

import { type BigIntStats, statSync } from 'node:fs'
import type { PetstoreError } from '../../../domain/petstore-error.ts'
import type { StoreOptions } from '../../../domain/store.ts'
import { startInterval, stopTimer } from '../../../system/runtime.ts'
import { unavailable } from '../../shared/failures.ts'
import { identityIn } from './checks.ts'

/** The documented interval is one second, and timers can be late. */
const EVERY_MS = 500

export class FileGuard {
  private lost: PetstoreError | undefined
  private names = 1
  private readonly timer = startInterval(() => this.look(), EVERY_MS).unref()

  /** `identity` comes from `identityOf` the opened file. */
  constructor(
    private readonly path: string,
    private readonly identity: string,
    private readonly onTrouble: StoreOptions['onTrouble'],
  ) {}

  /**
   * Checks now. Throws `unavailable` if the file is missing or replaced, or was at any earlier check, because it may
   * have missed changes since.
   */
  check(): void {
    this.look()
    this.throwIfLost()
  }

  throwIfLost(): void {
    if (this.lost) throw this.lost
  }

  stop(): void {
    stopTimer(this.timer)
  }

  private look(): void {
    if (this.lost) return
    let stats: BigIntStats
    try {
      stats = statSync(this.path, { bigint: true })
    } catch (error) {
      // After any other error the disk is failing; reads and writes report that themselves.
      const { code = '' } = error as NodeJS.ErrnoException
      if (['ENOENT', 'ENOTDIR'].includes(code)) this.lose('has been removed or renamed')
      return
    }
    if (identityIn(stats) !== this.identity) {
      this.lose('was replaced by another file')
      return
    }
    const names = Number(stats.nlink)
    if (names > 1 && this.names === 1) {
      const reason = `${this.path} has ${names} names (hard links). If another service opens it by another name, both services lose changes.`
      this.onTrouble?.({ lost: false, reason })
    }
    this.names = names
  }

  private lose(what: string): void {
    this.stop()
    const reason = `${this.path} ${what}. All requests are refused. Put the right file back and restart the service.`
    this.lost = unavailable(new Error(reason))
    this.onTrouble?.({ lost: true, reason })
  }
}
