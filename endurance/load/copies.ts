// Litestream beside a store, with its copy in a folder.

import { Database } from 'bun:sqlite'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Copying, freeze, restoreCopy, startCopying, toFolder } from '../../test/support/litestream.ts'
import { petstore, until } from './stores.ts'

/** It sends once a second. */
const QUIET_MS = 3_000
const STOP_MS_MAX = 3_000

/** How many rows the query gives. */
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

  /** Stopped while it sends, it may hang: then it is killed, as by its unit. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.process.kill(signal)
    const hangs = setTimeout(() => this.process.kill('SIGKILL'), STOP_MS_MAX)
    await this.process.exited
    clearTimeout(hangs)
  }

  freeze(): Promise<void> {
    return freeze(this.process, this.copying)
  }

  goOn(): void {
    this.process.kill('SIGCONT')
  }

  /** How many whole copies were begun. */
  get whole(): number {
    return readdirSync(join(this.copies, 'generations')).length
  }

  /** Writes the copy to a new file. Rejects if it is no good backup. */
  async restore(to: string): Promise<void> {
    const { status, stderr, stdout } = await restoreCopy(this.copying, to)
    if (status !== 0) throw new Error(`the copy cannot be restored: ${stderr || stdout}`)
    await petstore(['check-backup', to])
  }

  /** Ends it when all is sent. Resolves with the differences between the copy and the store. */
  async finish(): Promise<string[]> {
    // Litestream renames files after it writes them, so a missing file was written just now.
    const timeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
    const files = () => readdirSync(this.copies, { recursive: true, encoding: 'utf8' })
    const writtenAt = () => Math.max(...files().map((file) => timeOf(join(this.copies, file))))
    await until('all is sent', () => Date.now() - writtenAt() > QUIET_MS)
    await this.end()
    const to = `${this.copies}.db`
    await this.restore(to)
    using copy = new Database(to, { readwrite: true, create: false })
    copy.run('ATTACH ? AS store', [this.database])
    return ['pets', 'events', 'inventory'].flatMap((table) => {
      const rowsOf = (one: string, other: string) =>
        `SELECT * FROM ${one}.${table} EXCEPT SELECT * FROM ${other}.${table}`
      const [lost, more] = [rowsOf('store', 'main'), rowsOf('main', 'store')].map((sql) => numberOf(copy, sql))
      return lost || more ? [`the copy lacks ${lost} rows of ${table}, and has ${more} that are not there`] : []
    })
  }
}
