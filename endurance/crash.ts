// Killed at random moments, again and again: writers create as fast as they can and keep a journal of every 201; the
// server is killed with SIGKILL, at times while it starts, and started again. After each round every acknowledged animal
// has to be there exactly once, the file has to be whole, and creates that were not answered, sent again under their
// Idempotency-Key, have to end with one animal each.
//
//   npm run endurance:crash -- --rounds 1000 --report
//
// What is killed is the process, not the machine: that a commit has reached the disk itself is SQLite's word
// (synchronous=FULL) and the disk's.

import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { generateKey } from '../src/keys.ts'
import { temporaryFile } from '../test/support/files.ts'
import { ask, type Running, root, serve } from '../test/support/process.ts'
import { writeSection } from './report.ts'

const WRITERS = 24
const LOAD_MS_MAX = 150
const START_MS_MAX = 150
/** Then a new file is begun, so that checking the whole of it stays short. */
const ROUNDS_PER_FILE = 50

export interface Tally {
  rounds: number
  acknowledged: number
  /** Sent and never answered: the process was killed before. */
  unanswered: number
  /** Of these, the ones that were there all the same when they were sent again. */
  foundAdded: number
  killedAtStart: number
  /** Everything that must not be. */
  faults: string[]
}

interface Sent {
  name: string
  idempotent: boolean
}

export async function crash(rounds: number, report: (tally: Tally) => void = () => {}): Promise<Tally> {
  const tally: Tally = { rounds: 0, acknowledged: 0, unanswered: 0, foundAdded: 0, killedAtStart: 0, faults: [] }
  while (tally.rounds < rounds) {
    const shop = new Shop(mkdtempSync(temporaryFile('crash-')), tally)
    await shop.open()
    try {
      for (let left = Math.min(ROUNDS_PER_FILE, rounds - tally.rounds); left > 0; left--) {
        await shop.round()
        tally.rounds++
        report(tally)
      }
      await shop.checkWhole()
    } finally {
      await shop.close()
    }
  }
  return tally
}

/** One database file through many lives of its server. */
class Shop {
  private readonly key = generateKey('production')
  private readonly env = { PETSTORE_BOOTSTRAP_KEY: this.key, PETSTORE_LOG_LEVEL: 'silent' }
  /** Name → id, of every animal that a 201 spoke of. */
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

  /** Animals with ids that the last round has not seen: each acknowledged one among them, exactly once, as answered. */
  private checkNewest(): void {
    this.withFile((file) => {
      const rows = file
        .query<{ id: number; name: string }, [number]>('SELECT id, name FROM pets WHERE id > ? ORDER BY id')
        .all(this.lastId)
      const seen = new Set<string>()
      for (const { id, name } of rows) {
        if (seen.has(name)) this.fault(`${name} is there twice`)
        seen.add(name)
        if ((this.journal.get(name) ?? String(id)) !== String(id)) this.fault(`${name} is there under another id`)
      }
      for (const [name, id] of this.journal) {
        if (Number(id) > this.lastId && !seen.has(name)) this.fault(`${name} was acknowledged and is not there`)
      }
      this.lastId = rows.at(-1)?.id ?? this.lastId
      this.checkIntegrity(file)
    })
  }

  /** Over the API, from the first animal to the last. */
  async checkWhole(): Promise<void> {
    const there = new Map<string, string>()
    let target: string | undefined = '/v1/pets?limit=100'
    while (target !== undefined) {
      const { status, headers, text } = await ask('GET', new URL(target, this.server.url).href, this.key)
      if (status !== 200) this.fault(`a list answers ${status}`)
      for (const { id, name } of JSON.parse(text) as { id: number; name: string }[]) {
        if (there.has(name)) this.fault(`${name} is listed twice`)
        there.set(name, String(id))
      }
      target = /<([^>]+)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1]
    }
    for (const [name, id] of this.journal)
      if (there.get(name) !== id) this.fault(`${name} is not listed as acknowledged`)
    this.withFile((file) => this.checkIntegrity(file))
  }

  async close(): Promise<void> {
    const status = await this.server.stop()
    if (status !== 0) this.fault(`SIGTERM after all ended with ${status}`)
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

  /** Rejects when there is no answer. */
  private async create({ name, idempotent }: Sent): Promise<void> {
    const response = await fetch(`${this.server.url}/pets`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.key}`, ...(idempotent ? { 'Idempotency-Key': `"${name}"` } : {}) },
      body: JSON.stringify({ name, categoryId: 7 }),
    })
    const text = await response.text()
    if (response.status !== 201) this.fault(`a create answers ${response.status}: ${text}`)
    else this.journal.set(name, String((JSON.parse(text) as { id: number }).id))
    if (response.headers.has('Idempotency-Replayed')) this.tally.foundAdded++
  }

  /** Those without a key stay unsent: whether they were added cannot be known, and both is allowed. */
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
    const [{ integrity_check: word }] = file.query('PRAGMA integrity_check').all() as [{ integrity_check: string }]
    if (word !== 'ok') this.fault(`integrity_check says ${word}`)
  }

  private withFile(check: (file: Database) => void): void {
    const file = new Database(join(this.folder, 'data/petstore.db'), { readonly: true })
    check(file)
    file.close()
  }

  private fault(says: string): void {
    this.tally.faults.push(`round ${this.tally.rounds + 1}: ${says}`)
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { rounds: { type: 'string', default: '100' }, report: { type: 'boolean', default: false } },
  })
  const begun = performance.now()
  const tally = await crash(Number(values.rounds), ({ rounds, acknowledged, faults }) => {
    if (rounds % 10 === 0)
      process.stdout.write(`${rounds} rounds, ${acknowledged} acknowledged, ${faults.length} faults\n`)
  })
  const { rounds, acknowledged, unanswered, foundAdded, killedAtStart, faults } = tally
  const minutes = ((performance.now() - begun) / 60_000).toFixed(1)
  const text = `${rounds} rounds in ${minutes} minutes; in ${killedAtStart} of them the server was killed once more while it started.

- ${acknowledged} animals were acknowledged with 201 under ${WRITERS} writers; each was there exactly once, as acknowledged.
- ${unanswered} creates were cut off without an answer. Half of the writers use an Idempotency-Key and sent theirs again: one animal
  each at the end; ${foundAdded} of them had been added already and were replayed.
- \`PRAGMA integrity_check\` after every round, and the whole list over the API after every ${ROUNDS_PER_FILE}.
- Faults: ${faults.length === 0 ? 'none' : faults.join('; ')}.`
  process.stdout.write(`${text}\n`)
  if (values.report) {
    const command = `npm run endurance:crash -- --rounds ${rounds}`
    writeSection({ title: 'Killed at random moments', command, text })
  }
  process.exit(faults.length === 0 ? 0 : 1)
}
