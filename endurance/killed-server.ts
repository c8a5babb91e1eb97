// A server that is killed at random moments and started again on the same store, for experiments about what survives.

import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { generateKey } from '../packages/service/src/domain/keys.ts'
import { temporaryFile } from '../test/support/files.ts'
import { type Running, root, serve } from '../test/support/process.ts'

const START_MS_MAX = 150
/** How often it is killed once more while it starts. */
const KILLED_AT_START_SHARE = 0.2

export class KilledServer {
  readonly key: string
  /** A path or a PostgreSQL address. */
  readonly database: string
  private readonly folder = mkdtempSync(temporaryFile('killed-'))
  private readonly env: Record<string, string>
  private running!: Running

  /** By default the server has its own file. Servers on one store share its API key. */
  constructor({ key = generateKey('production'), database }: { key?: string; database?: string } = {}) {
    this.key = key
    this.database = database ?? join(this.folder, 'petstore.db')
    this.env = { PETSTORE_BOOTSTRAP_KEY: key, PETSTORE_DATABASE: this.database, PETSTORE_LOG_LEVEL: 'silent' }
  }

  /** The base address, ending in /v1. Each start changes it. */
  get url(): string {
    return this.running.url
  }

  async start(): Promise<void> {
    this.running = await serve([], { cwd: this.folder, env: this.env })
  }

  async kill(): Promise<void> {
    await this.running.stop('SIGKILL')
  }

  /** After a kill. Sometimes it is killed once more while it starts. */
  async startAgain(): Promise<void> {
    if (Math.random() < KILLED_AT_START_SHARE) await this.killWhileStarting()
    await this.start()
  }

  /** `ok`, or what SQLite found wrong with the file. */
  checkIntegrity(): string {
    using file = new Database(this.database, { readonly: true })
    return String(file.query('PRAGMA integrity_check').values())
  }

  /** Ends the server with SIGTERM, removes its folder and resolves to the exit status. */
  async close(): Promise<number> {
    const status = await this.running.stop()
    rmSync(dirname(this.folder), { recursive: true })
    return status
  }

  private async killWhileStarting(): Promise<void> {
    const starting = Bun.spawn([join(root, 'bin/petstore'), 'serve', '--port', '0'], {
      cwd: this.folder,
      env: { PATH: process.env.PATH ?? '', ...this.env },
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    await Bun.sleep(Math.random() * START_MS_MAX)
    starting.kill('SIGKILL')
    await starting.exited
  }
}
