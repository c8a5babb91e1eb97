// The machines of replica.ts, one after the other: a service, Litestream beside it, and a folder with its copy that outlives them.

import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { generateKey } from '../packages/service/src/domain/keys.ts'
import { type Copying, restoreCopy, startCopying, toFolder } from '../test/support/litestream.ts'
import { type Running, run as runCli, serve } from '../test/support/process.ts'
import { between } from './random.ts'

export const KILLED = ['nothing', 'the service', 'Litestream'] as const

export class Machines {
  private readonly key = generateKey('production')
  private readonly copies: string
  private machine = ''
  private service!: Running
  private litestream!: Bun.Subprocess
  private number = 0

  constructor(private readonly folder: string) {
    this.copies = join(folder, 'copies')
  }

  async start(): Promise<void> {
    this.machine = join(this.folder, `machine ${++this.number}`)
    mkdirSync(this.machine, { recursive: true })
    await this.startService()
    await this.copyAgain()
  }

  /** The id; `undefined` where it was not acknowledged. */
  async add(name: string): Promise<number | undefined> {
    try {
      const headers = { Authorization: `Bearer ${this.key}` }
      const body = JSON.stringify({ name, categoryId: 1 })
      const response = await fetch(`${this.service.url}/pets`, { method: 'POST', headers, body })
      return response.status === 201 ? ((await response.json()) as { id: number }).id : undefined
    } catch {
      return undefined
    }
  }

  async disturb(what: (typeof KILLED)[number]): Promise<void> {
    if (what === 'the service') {
      await this.service.stop('SIGKILL')
      await this.startService()
    }
    if (what === 'Litestream') {
      this.litestream.kill('SIGKILL')
      await this.litestream.exited
      await Bun.sleep(between(0, 1_000))
      await this.copyAgain()
    }
  }

  /** Both are killed, and the disk is gone. */
  async lose(): Promise<void> {
    this.litestream.kill('SIGKILL')
    await Promise.all([this.service.stop('SIGKILL'), this.litestream.exited])
    rmSync(this.machine, { recursive: true })
  }

  /** To a new machine, checked. */
  async restoreCopy(fault: (text: string) => void): Promise<string> {
    const copying = this.copying
    this.machine = join(this.folder, `machine ${++this.number}`)
    mkdirSync(this.machine)
    const copy = join(this.machine, 'copy.db')
    const restored = await restoreCopy(copying, copy)
    if (restored.status !== 0) throw new Error(restored.stdout + restored.stderr)
    const checked = await runCli(['check-backup', copy])
    if (checked.status !== 0) fault(checked.stderr)
    return copy
  }

  async goOn(copy: string): Promise<void> {
    const args = ['restore', copy, '--database', this.database]
    const { status, stderr } = await runCli(args)
    if (status !== 0) throw new Error(stderr)
    await this.startService()
  }

  private get database(): string {
    return join(this.machine, 'petstore.db')
  }

  private get copying(): Copying {
    return toFolder(join(this.folder, 'litestream.yml'), this.database, this.copies)
  }

  private async startService(): Promise<void> {
    const env = { PETSTORE_BOOTSTRAP_KEY: this.key, PETSTORE_LOG_LEVEL: 'silent' }
    this.service = await serve(['--database', this.database], { env })
  }

  async copyAgain(): Promise<void> {
    this.litestream = await startCopying(this.copying)
  }
}
