// Kills the server at random moments. Writers create pets as fast as they can and keep a journal of every 201. In each
// round the server is killed with SIGKILL, sometimes once more while it starts, and started again. Then every acknowledged
// pet must exist exactly once and the file must be intact. Creates without an answer are sent again with their
// Idempotency-Key; each must lead to one pet.
//
//   npm run endurance:crash -- --rounds 1000 --report
//
// It kills the process, not the machine. It does not test whether a commit has reached the disk: SQLite (synchronous=FULL)
// and the disk promise that.

import { faultsLine, print, runCommand } from './command.ts'
import { KilledServer } from './killed-server.ts'
import { listedPets } from './pages.ts'

const WRITERS = 24
/** After this many rounds a new file is used, so that checking the whole file stays fast. */
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
    const server = new KilledServer()
    await server.start()
    try {
      const writers = new Writers(server, tally)
      for (let left = Math.min(ROUNDS_PER_FILE, rounds - tally.rounds); left > 0; left--) {
        await writers.round()
        tally.rounds++
        report(tally)
      }
      await writers.checkAll()
    } finally {
      tally.killedAtStart += server.killedAtStart
      const status = await server.close()
      if (status !== 0) tally.faults.push(`the last server ended with status ${status} after SIGTERM`)
    }
  }
  return tally
}

/** They create pets on one server, and compare what survives with their journal. */
class Writers {
  /** Name → id of every pet that a 201 acknowledged. */
  private readonly journal = new Map<string, string>()
  private sent = 0
  private lastId = 0

  constructor(
    private readonly server: KilledServer,
    private readonly tally: Tally,
  ) {}

  async round(): Promise<void> {
    const unanswered: Sent[] = []
    await this.server.killUnder(Array.from({ length: WRITERS }, (_, n) => this.write(n % 2 === 0, unanswered)))
    // Without an Idempotency-Key the pet may exist or not; both are correct.
    await Promise.all(unanswered.filter(({ idempotent }) => idempotent).map((sent) => this.create(sent)))
    this.checkNewest()
    this.tally.unanswered += unanswered.length
  }

  /** Checks the pets that are new since the last round: each acknowledged one exists exactly once, with its id. */
  private checkNewest(): void {
    const sql = 'SELECT id, name FROM pets WHERE id > ? ORDER BY id'
    const rows = this.server.read((file) => file.query<{ id: number; name: string }, [number]>(sql).all(this.lastId))
    const seen = new Set<string>()
    for (const { id, name } of rows) {
      if (seen.has(name)) this.fault(`${name} exists twice`)
      seen.add(name)
      const acknowledged = this.journal.get(name) ?? String(id)
      if (acknowledged !== String(id)) this.fault(`${name} was acknowledged with the id ${acknowledged} and has ${id}`)
    }
    for (const [name, id] of this.journal) {
      if (Number(id) > this.lastId && !seen.has(name)) this.fault(`${name} was acknowledged and is lost`)
    }
    this.lastId = rows.at(-1)?.id ?? this.lastId
    const integrity = this.server.checkIntegrity()
    if (integrity !== 'ok') this.fault(`integrity_check reports ${integrity}`)
  }

  /** Checks the whole list over the API against the journal. */
  async checkAll(): Promise<void> {
    const listed = new Map<string, string>()
    for await (const { id, name } of listedPets(this.server.url, this.server.key)) {
      if (listed.has(name)) this.fault(`${name} is listed twice`)
      listed.set(name, String(id))
    }
    for (const [name, id] of this.journal) {
      if (listed.get(name) !== id) this.fault(`${name} is not listed as acknowledged`)
    }
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
    const { url, key } = this.server
    const response = await fetch(`${url}/pets`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, ...(idempotent ? { 'Idempotency-Key': `"${name}"` } : {}) },
      body: JSON.stringify({ name, categoryId: 7 }),
    })
    const text = await response.text()
    if (response.status !== 201) this.fault(`a create answers ${response.status}: ${text}`)
    else this.journal.set(name, String((JSON.parse(text) as { id: number }).id))
    if (response.headers.has('Idempotency-Replayed')) this.tally.replayed++
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
