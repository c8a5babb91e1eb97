// Kills the server at random moments. Writers create pets as fast as they can and keep a journal of every 201. In each
// round the server is killed with SIGKILL, sometimes once more while it starts, and started again. Then every acknowledged
// pet must exist exactly once and the file must be intact. Creates without an answer are sent again with their
// Idempotency-Key; each must lead to one pet.
//
//   npm run endurance:crash -- --rounds 1000 --report
//
// It kills the process, not the machine. It does not test whether a commit has reached the disk: SQLite (synchronous=FULL)
// and the disk promise that.

import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { generateKey } from '../src/keys.ts'
import { temporaryFile } from '../test/support/files.ts'
import { type Running, root, serve } from '../test/support/process.ts'
import { faultsLine, print, runCommand } from './command.ts'
import { listedPets } from './pages.ts'

const WRITERS = 24
const LOAD_MS_MAX = 150
const START_MS_MAX = 150
/** After these a new file is used, so that checking all of it stays quick. */
const ROUNDS_PER_FILE = 50

export interface Tally {
  rounds: number
  acknowledged: number
  /** Sent, but the process was killed before it answered. */
  unanswered: number
  /** Of these, the ones whose pet existed when they were sent again. */
  replayed: number
  killedAtStart: number
  /** Broken promises, each with its round. */
  faults: string[]
}

interface Sent {
  name: string
  idempotent: boolean
}

export async function crash(rounds: number, report: (tally: Tally) => void = () => {}): Promise<Tally> {
  const tally: Tally = { rounds: 0, acknowledged: 0, unanswered: 0, replayed: 0, killedAtStart: 0, faults: [] }
  while (tally.rounds < rounds) {
    const service = new Service(mkdtempSync(temporaryFile('crash-')), tally)
    await service.open()
    try {
      for (let left = Math.min(ROUNDS_PER_FILE, rounds - tally.rounds); left > 0; left--) {
        await service.round()
        tally.rounds++
        report(tally)
      }
      await service.checkAll()
    } finally {
      await service.close()
    }
  }
  return tally
}

/** One database file, and the server processes that use it one after another. */
class Service {
  private readonly key = generateKey('production')
  private readonly env = { PETSTORE_BOOTSTRAP_KEY: this.key, PETSTORE_LOG_LEVEL: 'silent' }
  /** Name → id of every pet that a 201 acknowledged. */
  private readonly journal = new Map<string, string>()
  private server!: Running
  private sent = 0
  private lastId = 0

  constructor(
    private readonly folder: string,
    private readonly tally: Tally,
  ) {}

  async open(): Promise<void> {
    this.server = await serve([], { cwd: this.folder, env: this.env })
  }

  async round(): Promise<void> {
    const unanswered: Sent[] = []
    const writers = Array.from({ length: WRITERS }, (_, n) => this.write(n % 2 === 0, unanswered))
    await Bun.sleep(Math.random() * LOAD_MS_MAX)
    await this.server.stop('SIGKILL')
    await Promise.all(writers)
    if (Math.random() < 0.2) await this.killWhileStarting()
    await this.open()
    await this.sendAgain(unanswered)
    this.checkNewest()
    this.tally.unanswered += unanswered.length
  }

  /** Checks the pets that are new since the last round: each acknowledged one exists exactly once, with its id. */
  private checkNewest(): void {
    this.withFile((file) => {
      const rows = file
        .query<{ id: number; name: string }, [number]>('SELECT id, name FROM pets WHERE id > ? ORDER BY id')
        .all(this.lastId)
      const seen = new Set<string>()
      for (const { id, name } of rows) {
        if (seen.has(name)) this.fault(`${name} exists twice`)
        seen.add(name)
        if ((this.journal.get(name) ?? String(id)) !== String(id))
          this.fault(`${name} has another id than was acknowledged`)
      }
      for (const [name, id] of this.journal) {
        if (Number(id) > this.lastId && !seen.has(name)) this.fault(`${name} was acknowledged and is lost`)
      }
      this.lastId = rows.at(-1)?.id ?? this.lastId
      this.checkIntegrity(file)
    })
  }

  /** Checks the whole list over the API against the journal. */
  async checkAll(): Promise<void> {
    const listed = new Map<string, string>()
    for await (const { id, name } of listedPets(this.server.url, this.key)) {
      if (listed.has(name)) this.fault(`${name} is listed twice`)
      listed.set(name, String(id))
    }
    for (const [name, id] of this.journal) {
      if (listed.get(name) !== id) this.fault(`${name} is not listed as acknowledged`)
    }
    this.withFile((file) => this.checkIntegrity(file))
  }

  async close(): Promise<void> {
    const status = await this.server.stop()
    if (status !== 0) this.fault(`the last server ended with status ${status} after SIGTERM`)
    rmSync(dirname(this.folder), { recursive: true })
  }

  private async write(idempotent: boolean, unanswered: Sent[]): Promise<void> {
    for (;;) {
      const sent = { name: `pet ${this.sent++}`, idempotent }
      try {
        await this.create(sent)
        this.tally.acknowledged++
      } catch {
        unanswered.push(sent)
        return
      }
    }
  }

  /** Rejects when the server does not answer. */
  private async create({ name, idempotent }: Sent): Promise<void> {
    const response = await fetch(`${this.server.url}/pets`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.key}`, ...(idempotent ? { 'Idempotency-Key': `"${name}"` } : {}) },
      body: JSON.stringify({ name, categoryId: 7 }),
    })
    const text = await response.text()
    if (response.status !== 201) this.fault(`a create answers ${response.status}: ${text}`)
    else this.journal.set(name, String((JSON.parse(text) as { id: number }).id))
    if (response.headers.has('Idempotency-Replayed')) this.tally.replayed++
  }

  /** Only those with an Idempotency-Key. Without one, the pet may exist or not; both are correct. */
  private async sendAgain(unanswered: Sent[]): Promise<void> {
    await Promise.all(unanswered.filter(({ idempotent }) => idempotent).map((sent) => this.create(sent)))
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
    this.tally.killedAtStart++
  }

  private checkIntegrity(file: Database): void {
    const [{ integrity_check: result }] = file.query('PRAGMA integrity_check').all() as [{ integrity_check: string }]
    if (result !== 'ok') this.fault(`integrity_check reports ${result}`)
  }

  private withFile(check: (file: Database) => void): void {
    const file = new Database(join(this.folder, 'data/petstore.db'), { readonly: true })
    check(file)
    file.close()
  }

  private fault(description: string): void {
    this.tally.faults.push(`round ${this.tally.rounds + 1}: ${description}`)
  }
}

async function run({ rounds }: { rounds: number }) {
  const startedAt = performance.now()
  const { acknowledged, unanswered, replayed, killedAtStart, faults } = await crash(rounds, (tally) => {
    if (tally.rounds % 10 === 0) {
      print(`${tally.rounds} rounds, ${tally.acknowledged} acknowledged, ${tally.faults.length} faults`)
    }
  })
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1)
  const text = `${rounds} rounds in ${minutes} minutes; in ${killedAtStart} of them the server was killed once more while it started.

- ${WRITERS} writers got ${acknowledged} creates acknowledged with 201; each of these pets existed exactly once, as acknowledged.
- ${unanswered} creates got no answer. Half of the writers use an Idempotency-Key and sent theirs again: each led to one pet;
  ${replayed} of them had been committed before the kill and were replayed.
- \`PRAGMA integrity_check\` ran after every round; the whole list was read over the API after every ${ROUNDS_PER_FILE} rounds.
${faultsLine(faults)}`
  return { text, passed: faults.length === 0 }
}

if (import.meta.main) {
  const status = await runCommand({
    name: 'crash',
    title: 'Killed at random moments',
    description: 'Kills the server under load, starts it again, and checks that nothing acknowledged is lost.',
    options: { rounds: ['how often the server is killed', 100] },
    run,
  })
  process.exit(status)
}
