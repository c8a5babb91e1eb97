// SQLite as the simulated servers see it: their commits fail when the run says so. It stands in the place of `bun:sqlite` in their bundle.

import { constants, Database as RealDatabase, SQLiteError } from 'bun:sqlite'

export { constants, SQLiteError }

/** What a commit meets: a full disk, or an error of the disk before or after the commit became durable. */
export type DiskFault = 'full' | 'before' | 'after'

/** The fault that the next commit of changes meets in this bundle. */
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
  // The runtime recognises its own errors by their name.
  return Object.assign(new Error(code), { name: SQLiteError.name, code })
}
