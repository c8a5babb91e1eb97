// Runs Litestream for a store, with the copy in a folder.

import { Database } from 'bun:sqlite'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Copying, freeze, restoreCopy, startCopying, toFolder } from '../../test/support/litestream.ts'
import { petstore, until } from './stores.ts'

/** Litestream sends once a second. */
const QUIET_MS = 3_000
const STOP_MS_MAX = 3_000

/** Counts the rows that the query returns. */
export function numberOf(database: Database, query: string): number {
  return database.query<{ n: number }, []>(`SELECT count(*) AS n FROM (${query})`).get()?.n ?? 0
}

export class Copier {
  private readonly copying: Copying
  private process!: Bun.Subprocess

  constructor(
    private readonly database: string,
    private readonly copies: string,
  ) {
    this.copying = toFolder(`${copies}.yml`, database, copies)
  }

  async start(): Promise<void> {
    this.process = await startCopying(this.copying)
  }

  /** Litestream can hang if it is stopped while it sends: then it is killed, as systemd does with the unit. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.process.kill(signal)
    const hangs = setTimeout(() => this.process.kill('SIGKILL'), STOP_MS_MAX)
    await this.process.exited
    clearTimeout(hangs)
  }

  freeze(): Promise<void> {
    return freeze(this.process, this.copying)
  }

  resume(): void {
    this.process.kill('SIGCONT')
  }

  /** How many generations, which are full copies, it has started. */
  get generations(): number {
    return readdirSync(join(this.copies, 'generations')).length
  }

  /** Writes the copy to a new file. Rejects if the file is not a valid backup. */
  async restore(to: string): Promise<void> {
    const { status, stderr, stdout } = await restoreCopy(this.copying, to)
    if (status !== 0) throw new Error(`The copy cannot be restored: ${stderr || stdout}`)
    await petstore(['check-backup', to])
  }

  /** Stops Litestream after it has sent everything. Resolves with the differences between the copy and the store. */
  async finish(): Promise<string[]> {
    // Litestream renames files after writing them, so a missing file was written just now.
    const timeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
    const files = () => readdirSync(this.copies, { recursive: true, encoding: 'utf8' })
    const writtenAt = () => Math.max(...files().map((file) => timeOf(join(this.copies, file))))
    await until('Litestream has sent everything', () => Date.now() - writtenAt() > QUIET_MS)
    await this.end()
    const to = `${this.copies}.db`
    await this.restore(to)
    using copy = new Database(to, { readwrite: true, create: false })
    copy.run('ATTACH ? AS store', [this.database])
    return ['pets', 'events', 'inventory'].flatMap((table) => {
      const rowsOf = (one: string, other: string) =>
        `SELECT * FROM ${one}.${table} EXCEPT SELECT * FROM ${other}.${table}`
      const [lost, more] = [rowsOf('store', 'main'), rowsOf('main', 'store')].map((sql) => numberOf(copy, sql))
      return lost || more ? [`the copy lacks ${lost} rows of ${table} and has ${more} extra ones`] : []
    })
  }
}
