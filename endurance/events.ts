// The feed of events under kills. The experiment with orders (orders.ts), with clients that add pets and ten readers of the feed beside it:
// after each round every reader must have seen the same, each acknowledged change once, and what follows from it is the store.
//
//   npm run endurance:events -- --sqlite 300 --postgres 40 --failovers 30 --report

import { faultsLine, print, runCommand } from './command.ts'
import { EventCompany } from './event-company.ts'
import type { Tally } from './order-stores.ts'
import { failOver, killOnPostgres, killOnSqlite } from './orders.ts'

type Kind = 'sqlite' | 'postgres' | 'failovers'
const KINDS: Record<Kind, [title: string, rounds: number, run: typeof failOver]> = {
  sqlite: ['SQLite, two servers on one file: one or both are killed with SIGKILL', 50, killOnSqlite],
  postgres: ['PostgreSQL, two servers: one or both, or the database, are killed', 10, killOnPostgres],
  failovers: ['PostgreSQL, two servers: the primary is killed and its synchronous standby promoted', 5, failOver],
}

export interface EventTally extends Tally {
  events: number
  added: number
}

/** Rounds of one kind, with readers. */
export async function readEvents(
  kind: Kind,
  rounds: number,
  report: (tally: Tally) => void = () => {},
): Promise<EventTally> {
  const companies: EventCompany[] = []
  const [, , experiment] = KINDS[kind]
  const tally = await experiment(rounds, report, (site) => {
    const company = new EventCompany(site)
    companies.push(company)
    return company
  })
  const sum = (of: (company: EventCompany) => number) => companies.reduce((total, company) => total + of(company), 0)
  return { ...tally, events: sum(({ events }) => events), added: sum(({ added }) => added) }
}

async function run(asked: Record<Kind, number>) {
  const kinds = Object.keys(KINDS) as Kind[]
  const none = kinds.every((kind) => asked[kind] === 0)
  const parts: string[] = []
  let passed = true
  for (const kind of kinds) {
    const [title, preset] = KINDS[kind]
    const rounds = none ? preset : asked[kind]
    if (rounds === 0) continue
    const startedAt = performance.now()
    const tally = await readEvents(kind, rounds, ({ rounds, faults }) => {
      if (rounds % 10 === 0) print(`${kind}: ${rounds} rounds, ${faults.length} faults`)
    })
    passed &&= tally.faults.length === 0
    parts.push(describe(title, tally, (performance.now() - startedAt) / 60_000))
  }
  const text = `16 clients move orders of 8 pets, 2 add pets, and 10 read the feed of events: with and without waiting, with filters and small limits, on
changing servers, some of whose answers are lost. After each round every reader has seen the same events, each change once and in one order; they
are the pets, orders, transitions and counts of the database.

${parts.join('\n\n')}`
  return { text, passed }
}

function describe(
  title: string,
  { rounds, kills, counts, events, added, faults }: EventTally,
  minutes: number,
): string {
  return `${title}. ${rounds} rounds in ${minutes.toFixed(1)} minutes, ${kills} processes killed.

- ${events} events: ${added} pets were added and ${counts.done} requests of orders were acknowledged; ${counts.unknown} got no answer or 503.
${faultsLine(faults)}`
}

if (import.meta.main) {
  const said = (what: string, kind: Kind): [string, number] => [
    `${what}; without any option: ${KINDS[kind][1]} rounds`,
    0,
  ]
  const status = await runCommand({
    name: 'events',
    title: 'Events under kills',
    description:
      'Reads the feed of events while servers and databases are killed, and compares all readers and the store.',
    options: {
      sqlite: said('how many rounds of kills on SQLite', 'sqlite'),
      postgres: said('how many rounds of kills on PostgreSQL', 'postgres'),
      failovers: said('how often the primary of PostgreSQL is killed', 'failovers'),
    },
    run,
  })
  process.exit(status)
}
