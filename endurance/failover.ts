// Failover without loss, in rounds: three servers under load on a primary with a synchronous standby, all of them real
// processes. Each round the primary is killed, the standby promoted, and a new standby made in the place of the old
// primary. Every 201 that a client got must be there, exactly once, at the end of each round,
// also when it was asked for again and again until it came.
//
//   npm run endurance:failover -- --rounds 50

import { parseArgs } from 'node:util'
import { generateKey } from '../src/domain/keys.ts'
import { Cluster } from '../test/support/postgres.ts'
import { ask, type Running, serve } from '../test/support/process.ts'

const SERVERS = 3
const CLIENTS_PER_SERVER = 4
const LOAD_MS = 600
const STANDBY_GONE_MS = 200
const RECOVERY_MAX_MS = 30_000
const DATABASE = 'petstore'

export interface Round {
  /** Answers of the round, by status; 0 stands for no answer. */
  answers: Record<number, number>
  /** Acknowledged animals that are not there, or not as they were acknowledged. */
  lost: string[]
  /** Names that are there more than once. */
  doubled: string[]
  /** How long it took until every server had added an animal again, after the kill and after the promotion. */
  sinceKillMs: number
  sincePromotionMs: number
}

export interface Tally {
  rounds: Round[]
  acknowledged: number
  /** Asked for, never acknowledged, and there: allowed, since their clients were told that it is not known. */
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
      await load.everyServerAdds()
      await Bun.sleep(LOAD_MS * (0.5 + Math.random()))
      const killedAt = performance.now()
      // Every other time the standby is gone before the primary is: nothing may be acknowledged in between.
      const standbyFirst = number % 2 === 0
      if (standbyFirst) {
        await standby.down('SIGQUIT')
        await Bun.sleep(STANDBY_GONE_MS)
      }
      await primary.down('SIGKILL')
      if (standbyFirst) await standby.up()
      await standby.promote()
      const promotedAt = performance.now()
      // The new primary has its predecessor's settings, and no standby yet.
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
    const all = await animals(primary)
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
 * Clients that add animals, each under a name of its own, until they are stopped. Every other one sends what was not
 * acknowledged again, under its Idempotency-Key, until it is.
 */
class Load {
  /** The name of each animal that a 201 spoke of, and its id there. */
  readonly acknowledged = new Map<string, string>()
  answers: Record<number, number> = {}
  /** When the last animal that each server has acknowledged was asked for. */
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

  /** Resolves when each server has added an animal that was asked for from now on. */
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

/** Holds what is there against what was acknowledged before the look. */
async function check(primary: Cluster, load: Load): Promise<Pick<Round, 'lost' | 'doubled'>> {
  const acknowledged = [...load.acknowledged]
  const idsByName = Map.groupBy(await animals(primary), ({ name }) => name)
  const lost = acknowledged.filter(([name, id]) => !idsByName.get(name)?.some((animal) => animal.id === id))
  const doubled = [...idsByName].filter(([, all]) => all.length > 1)
  return { lost: lost.map(([name]) => name), doubled: doubled.map(([name]) => name) }
}

interface Animal {
  id: string
  name: string
}

function animals(primary: Cluster): Promise<Animal[]> {
  return primary.asAdmin(
    async (sql) => Array.from(await sql<Animal[]>`SELECT id::text, name FROM pets ORDER BY pets.id`),
    DATABASE,
  )
}

/** Every server's pages, followed from the first to the last, show exactly what is there. */
async function checkPages(servers: readonly Running[], key: string, expected: readonly Animal[]): Promise<void> {
  for (const { url } of servers) {
    const seen: string[] = []
    for (let path: string | undefined = '/v1/pets?limit=100'; path; ) {
      const { text, headers } = await ask('GET', new URL(path, url).href, key)
      seen.push(...Array.from(text.matchAll(/"id":(\d+)/g), ([, id]) => id as string))
      path = /<([^>]+)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1]
    }
    if (seen.join() !== expected.map(({ id }) => id).join())
      throw new Error(`the pages of ${url} differ from the table`)
  }
}

function idIn(text: string): string {
  return /"id":(\d+)/.exec(text)?.[1] as string
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '50' } } })
  const count = Number(values.rounds)
  if (!Number.isInteger(count) || count < 1) throw new Error('--rounds must be a whole number from 1')
  const { rounds, acknowledged, unacknowledged } = await failover(
    count,
    ({ answers, sinceKillMs, ...round }, number) => {
      const said = Object.entries(answers).map(([status, times]) => `${times} × ${status}`)
      const back = `adding again ${Math.round(round.sincePromotionMs)} ms after the promotion, ${Math.round(sinceKillMs)} ms after the kill`
      say(`round ${number}: ${said.join(', ')}; ${back}; ${round.lost.length} lost, ${round.doubled.length} doubled`)
    },
  )
  const sorted = rounds.map(({ sincePromotionMs }) => Math.round(sincePromotionMs)).sort((a, b) => a - b)
  const failures = rounds.reduce((sum, { lost, doubled }) => sum + lost.length + doubled.length, 0)
  say(
    `${rounds.length} rounds: ${acknowledged} acknowledged, ${failures} of them lost or doubled; ${unacknowledged} there unacknowledged`,
  )
  say(`adding again after the promotion: median ${sorted[sorted.length >> 1]} ms, worst ${sorted.at(-1)} ms`)
  process.exit(failures > 0 ? 1 : 0)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
