// Replaces `bun:sqlite` in the bundle of simulated servers, so that a run can make a commit fail.

import { constants, Database as RealDatabase, SQLiteError } from 'bun:sqlite'

export { constants, SQLiteError }

/** A full disk, or an I/O error before or after the commit became durable. */
export type DiskFault = 'full' | 'before' | 'after'

/** Fails the next commit of this bundle that writes. */
export const disk: { fault: DiskFault | undefined } = { fault: undefined }

export class Database extends RealDatabase {
  private isWriting = false

  override query(sql: string): never {
    const statement = super.query(sql)
    if (sql !== 'COMMIT' && !sql.startsWith('BEGIN')) return statement as never
    return {
      run: () => {
        if (sql !== 'COMMIT') {
          this.isWriting = sql === 'BEGIN IMMEDIATE'
          return void statement.run()
        }
        const fault = this.isWriting ? disk.fault : undefined
        if (fault) disk.fault = undefined
        if (fault === 'full' || fault === 'before') throw failure(fault)
        statement.run()
        if (fault === 'after') throw failure(fault)
      },
    } as never
  }
}

function failure(fault: DiskFault): Error {
  const code = fault === 'full' ? 'SQLITE_FULL' : 'SQLITE_IOERR_FSYNC'
  // The service recognises SQLite's errors by their name.
  return Object.assign(new Error(code), { name: SQLiteError.name, code })
}
