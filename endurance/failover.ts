// Failover without loss: three servers under load on a primary with a synchronous standby, all of them real processes. In each round
// the primary is killed, the standby promoted, and a new standby started in the place of the old primary. Then every pet that was
// acknowledged with 201 must exist exactly once, also when its create was sent several times.
//
//   npm run endurance:failover -- --rounds 50 --report

import { generateKey } from '../src/domain/keys.ts'
import { Cluster } from '../test/support/postgres.ts'
import { type Running, serve } from '../test/support/process.ts'
import { faultsLine, print, runCommand } from './command.ts'
import { listedPets } from './pages.ts'

const SERVERS = 3
const CLIENTS_PER_SERVER = 4
const LOAD_MS = 600
/** So many pets are acknowledged before the first kill, on a slow machine, too. */
const PETS_BEFORE_KILLS = 100
const STANDBY_GONE_MS = 200
const RECOVERY_MAX_MS = 30_000
const DATABASE = 'petstore'

export interface Round {
  /** Responses by status; 0 stands for no response. */
  answers: Record<number, number>
  /** Acknowledged pets that do not exist, or have another id. */
  lost: string[]
  /** Names that exist more than once. */
  doubled: string[]
  /** The time until every server had added a pet again, from the kill and from the promotion. */
  sinceKillMs: number
  sincePromotionMs: number
}

export interface Tally {
  rounds: Round[]
  acknowledged: number
  /** Pets that exist and were never acknowledged. This is allowed: their clients got an error that says so. */
  unacknowledged: number
}

export async function failover(
  count: number,
  report: (round: Round, number: number) => void = () => {},
): Promise<Tally> {
  let primary = await Cluster.start()
  await primary.asAdmin((sql) => sql`CREATE DATABASE petstore`)
  let standby = await primary.startStandby('standby')
  await primary.setSynchronous(true)
  const address = `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/petstore`
  const key = generateKey('production')
  const env = { PETSTORE_DATABASE: address, PETSTORE_BOOTSTRAP_KEY: key }
  const servers = await Promise.all(Array.from({ length: SERVERS }, () => serve([], { env })))
  const load = new Load(servers, key)
  const rounds: Round[] = []
  try {
    for (let number = 1; number <= count; number++) {
      load.answers = {}
      do await load.everyServerAdds()
      while (load.acknowledged.size < PETS_BEFORE_KILLS)
      await Bun.sleep(LOAD_MS * (0.5 + Math.random()))
      const killedAt = performance.now()
      // In every other round the standby stops first: then nothing may be acknowledged until it is back.
      const standbyFirst = number % 2 === 0
      if (standbyFirst) {
        await standby.down('SIGQUIT')
        await Bun.sleep(STANDBY_GONE_MS)
      }
      await primary.down('SIGKILL')
      if (standbyFirst) await standby.up()
      await standby.promote()
      const promotedAt = performance.now()
      // The new primary has the settings of the old one, but no standby yet.
      await standby.setSynchronous(false)
      await load.everyServerAdds()
      const sinceKillMs = performance.now() - killedAt
      const sincePromotionMs = performance.now() - promotedAt
      const { port } = primary
      await primary.remove()
      primary = standby
      standby = await primary.startStandby('standby', port)
      await primary.setSynchronous(true)
      const round = { answers: load.answers, ...(await check(primary, load)), sinceKillMs, sincePromotionMs }
      rounds.push(round)
      report(round, number)
    }
    await load.stop()
    const all = await pets(primary)
    const unacknowledged = all.filter(({ name }) => !load.acknowledged.has(name)).length
    await checkPages(servers, key, all)
    return { rounds, acknowledged: load.acknowledged.size, unacknowledged }
  } finally {
    await load.stop()
    await Promise.all(servers.map((server) => server.stop('SIGKILL')))
    await Promise.all([primary.remove(), standby.remove()])
  }
}

/**
 * Clients that add pets, each with its own name, until they are stopped. Every other client sends a create again, with the same
 * Idempotency-Key, until it is acknowledged.
 */
class Load {
  /** Name → id of every pet that a 201 acknowledged. */
  readonly acknowledged = new Map<string, string>()
  answers: Record<number, number> = {}
  /** For each server: when the create that it acknowledged last was sent. */
  private readonly addedAt: number[]
  private readonly clients: Promise<void>[]
  private stopping = false

  constructor(
    servers: readonly Running[],
    private readonly key: string,
  ) {
    this.addedAt = servers.map(() => 0)
    this.clients = servers.flatMap(({ url }, server) =>
      Array.from({ length: CLIENTS_PER_SERVER }, (_, client) => this.run(url, server, client)),
    )
  }

  /** Resolves when each server has acknowledged a create that was sent after this call. */
  async everyServerAdds(): Promise<void> {
    const since = performance.now()
    while (this.addedAt.some((at) => at < since)) {
      if (performance.now() > since + RECOVERY_MAX_MS) throw new Error('a server does not find the primary')
      await Bun.sleep(2)
    }
  }

  async stop(): Promise<void> {
    this.stopping = true
    await Promise.all(this.clients)
  }

  private async run(url: string, server: number, client: number): Promise<void> {
    const again = client % 2 === 0
    let number = 1
    while (!this.stopping) {
      const name = `${again ? 'again' : 'once'}-${server}-${client}-${number}`
      const askedAt = performance.now()
      const { status, text } = await add(url, this.key, name, again)
      this.answers[status] = (this.answers[status] ?? 0) + 1
      if (status === 201) {
        this.acknowledged.set(name, idIn(text))
        this.addedAt[server] = askedAt
      } else await Bun.sleep(20)
      if (status === 201 || !again) number++
    }
  }
}

async function add(url: string, key: string, name: string, again: boolean): Promise<{ status: number; text: string }> {
  const headers = { Authorization: `Bearer ${key}`, ...(again ? { 'Idempotency-Key': `"${name}"` } : {}) }
  try {
    const answer = await fetch(`${url}/pets`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name, categoryId: 1 }),
    })
    return { status: answer.status, text: await answer.text() }
  } catch {
    return { status: 0, text: '' }
  }
}

/** Compares the pets that exist with those that were acknowledged before. */
async function check(primary: Cluster, load: Load): Promise<Pick<Round, 'lost' | 'doubled'>> {
  const acknowledged = [...load.acknowledged]
  const idsByName = Map.groupBy(await pets(primary), ({ name }) => name)
  const lost = acknowledged.filter(([name, id]) => !idsByName.get(name)?.some((pet) => pet.id === id))
  const doubled = [...idsByName].filter(([, all]) => all.length > 1)
  return { lost: lost.map(([name]) => name), doubled: doubled.map(([name]) => name) }
}

interface Pet {
  id: string
  name: string
}

function pets(primary: Cluster): Promise<Pet[]> {
  return primary.asAdmin(
    async (sql) => Array.from(await sql<Pet[]>`SELECT id::text, name FROM pets ORDER BY pets.id`),
    DATABASE,
  )
}

/** Throws unless the list of every server is the same as the table. */
async function checkPages(servers: readonly Running[], key: string, expected: readonly Pet[]): Promise<void> {
  for (const { url } of servers) {
    const listed = await Array.fromAsync(listedPets(url, key), ({ id }) => id)
    if (listed.join() !== expected.map(({ id }) => id).join())
      throw new Error(`the list of ${url} differs from the table`)
  }
}

function idIn(text: string): string {
  return /"id":(\d+)/.exec(text)?.[1] as string
}

async function run({ rounds: count }: { rounds: number }) {
  const { rounds, acknowledged, unacknowledged } = await failover(count, ({ answers, lost, doubled }, number) => {
    const statuses = Object.entries(answers).map(([status, times]) => `${times} × ${status}`)
    print(`round ${number}: ${statuses.join(', ')}; ${lost.length} lost, ${doubled.length} doubled`)
  })
  const sorted = rounds.map(({ sincePromotionMs }) => Math.round(sincePromotionMs)).sort((a, b) => a - b)
  const faults = rounds.flatMap(({ lost, doubled }, index) => [
    ...lost.map((name) => `round ${index + 1}: ${name} is lost`),
    ...doubled.map((name) => `round ${index + 1}: ${name} exists twice`),
  ])
  const text = `${count} failovers: ${SERVERS} servers with ${CLIENTS_PER_SERVER} clients each on a primary that is killed, and a synchronous standby that is promoted.

- ${acknowledged} creates were acknowledged with 201; each of these pets existed exactly once. ${unacknowledged} more pets exist whose creates got no 201.
- From the promotion until every server added pets again: ${sorted[sorted.length >> 1]} ms (median), ${sorted.at(-1)} ms (longest).
${faultsLine(faults)}`
  return { text, passed: faults.length === 0 }
}

if (import.meta.main) {
  const status = await runCommand({
    name: 'failover',
    title: 'Failover',
    description:
      'Kills the PostgreSQL primary under load, promotes its standby, and checks that nothing acknowledged is lost.',
    options: { rounds: ['how often the primary is killed', 50] },
    run,
  })
  process.exit(status)
}
