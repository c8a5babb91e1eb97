// Replaces `bun:sqlite` in the bundle of simulated servers, so that a run can make a commit fail, and another process can run between two
// statements.

import { constants, Database as RealDatabase, SQLiteError } from 'bun:sqlite'
import { DISK, DISK_FAULTS, type DiskFault } from './messages.ts'
import { betweenStatements, words } from './step.ts'

export { constants, SQLiteError }

const FSYNC = 'SQLITE_IOERR_FSYNC'
const READ = DISK_FAULTS.indexOf('read')
const RUNS = ['all', 'get', 'run', 'values', 'iterate', 'raw'] as const

export class Database extends RealDatabase {
  static readonly opened = new Set<Database>()
  private isWriting = false

  constructor(...options: ConstructorParameters<typeof RealDatabase>) {
    super(...options)
    Database.opened.add(this)
  }

  override close(throws?: boolean): void {
    Database.opened.delete(this)
    super.close(throws)
  }

  override query(sql: string): never {
    const statement = super.query(sql)
    if (sql === 'COMMIT' || sql.startsWith('BEGIN'))
      return { run: () => this.transact(sql, () => statement.run()) } as never
    return new Proxy(statement, {
      get: (target, name) => {
        const value = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        return (...values: unknown[]) => {
          if (RUNS.includes(name as never)) {
            betweenStatements()
            if (Atomics.load(words, DISK) === READ) throw failure('read')
            const result = value.apply(target, values)
            betweenStatements()
            return result
          }
          return value.apply(target, values)
        }
      },
    }) as never
  }

  /** Nothing waits in real time, because the process that holds the lock only continues after this step. */
  override run(sql: string, ...values: never[]) {
    return super.run(sql.replace(/^PRAGMA busy_timeout = .*/, 'PRAGMA busy_timeout = 0'), ...values)
  }

  private transact(sql: string, run: () => void): void {
    betweenStatements()
    if (sql !== 'COMMIT') {
      this.isWriting = sql === 'BEGIN IMMEDIATE'
      run()
      return
    }
    if (!this.isWriting) {
      run()
      return
    }
    const fault = DISK_FAULTS[Atomics.load(words, DISK)]
    if (fault !== 'read') Atomics.store(words, DISK, 0)
    if (fault === 'full' || fault === 'before') throw failure(fault)
    run()
    if (fault === 'after') throw failure(fault)
  }
}

function failure(fault: DiskFault): Error {
  const code = { full: 'SQLITE_FULL', read: 'SQLITE_IOERR_READ', before: FSYNC, after: FSYNC }[fault]
  // The service recognises SQLite's errors by their name.
  return Object.assign(new Error(code), { name: SQLiteError.name, code })
}
