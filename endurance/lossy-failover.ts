// Checks a failover that loses events which readers have seen. Three servers use a primary with an asynchronous standby. In each round the
// standby stops replicating, reservations expire on the primary, one server returns these events and is frozen, the primary is killed, and
// the standby is promoted. The other servers write, and expire the same reservations again, before the frozen server continues. Then a
// reader continues from every cursor on every server: either it sees each event of the feed exactly once and under one id, or its cursor
// has expired (410).

import { type Event, PetstoreApiError, PetstoreClient, toJson } from '../packages/client/src/petstore.ts'
import { generateKey } from '../packages/service/src/domain/keys.ts'
import { Cluster } from '../test/support/postgres.ts'
import { type Running, serve } from '../test/support/process.ts'
import { until } from '../test/support/until.ts'

const SERVERS = 3
/** The filters of the readers. */
const ALL: Followed = {}
const EXPIRED = { type: ['order.expired' as const] }
const FOLLOWED: readonly Followed[] = [ALL, EXPIRED, { petId: 1n }]
/** How many pets the other servers add before the frozen server continues. */
const WRITTEN = 5
/** Enough for a failover. */
const RETRIES = 100
/** The first try's time until the reservations expire. */
const ENDS_AFTER_MS = 5_000

type Asked = NonNullable<Parameters<PetstoreClient['listEvents']>[0]>
type Followed = Pick<Asked, 'type' | 'petId'>

/** The events that a reader has read, and its cursor. */
interface Place {
  followed: Followed
  read: readonly Event[]
  cursor: string
}

interface Round {
  /** Lost events that a reader had seen. */
  lost: number
  /** Cursors that are still valid. */
  valid: number
  expired: number
  faults: string[]
}

export async function lossyFailover(reservations: number): Promise<Round> {
  for (let afterMs = ENDS_AFTER_MS; ; afterMs *= 2) {
    const round = await loseOnce(reservations, afterMs)
    // On a slow machine, reservations can expire before the standby has stopped: try again with more time.
    if (round) return round
  }
}

/** Returns `undefined` if the standby can have the events that should be lost. */
async function loseOnce(reservations: number, afterMs: number): Promise<Round | undefined> {
  const primary = await Cluster.start()
  await primary.asAdmin((sql) => sql`CREATE DATABASE petstore`)
  const standby = await primary.startStandby('standby')
  const key = generateKey('production')
  const PETSTORE_DATABASE = `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/petstore`
  const env = { PETSTORE_DATABASE, PETSTORE_BOOTSTRAP_KEY: key }
  const servers = await Promise.all(Array.from({ length: SERVERS }, () => serve([], { env })))
  const clients = servers.map(({ url }) => new PetstoreClient({ baseUrl: url, apiKey: key, retries: RETRIES }))
  const signal = (name: NodeJS.Signals) => process.kill((servers[0] as Running).pid, name)
  const [shower, ...others] = clients as [PetstoreClient, PetstoreClient, PetstoreClient]
  try {
    await addMany(shower, reservations)
    const expiresAt = new Date(Date.now() + afterMs).toISOString()
    const reserve = (n: number) => shower.placeOrder({ petId: BigInt(n + 1), expiresAt })
    await Promise.all(Array.from({ length: reservations }, (_, n) => reserve(n)))
    const upToDate = 'SELECT FROM pg_stat_replication WHERE replay_lsn >= pg_current_wal_lsn()'
    const taken = () => primary.asAdmin(async (sql) => (await sql.unsafe(upToDate)).length > 0)
    await until('the standby is up to date', taken)
    await standby.down('SIGQUIT')
    if (Date.now() > Date.parse(expiresAt)) return undefined
    const ended = (client: PetstoreClient) =>
      until('the reservations have ended', async () => (await rest(client, EXPIRED))?.length === reservations)
    await ended(shower)
    const places = (await Promise.all(FOLLOWED.map((followed) => placesOf(shower, followed)))).flat()
    const atEnd = places.findLast(({ followed }) => followed === ALL) as Place
    const waiting = page(shower, { cursor: atEnd.cursor, wait: 25 })
    signal('SIGSTOP')
    await primary.down('SIGKILL')
    await standby.up()
    await standby.promote()
    const added = await Promise.all(others.map((client) => addMany(client, WRITTEN)))
    // The reservations expire again, and new events get the ids of the lost ones.
    await ended(others[0])
    signal('SIGCONT')
    return await judge(clients, places, added.flat(), { place: atEnd, answer: await waiting })
  } finally {
    signal('SIGCONT')
    await Promise.all(servers.map((server) => server.stop('SIGKILL')))
    await Promise.all([primary.remove(), standby.remove()])
  }
}

/** Resolves to `undefined` if the cursor has expired. */
function page(client: PetstoreClient, asked: Asked) {
  return client.listEvents(asked).catch((error) => {
    if (error instanceof PetstoreApiError && error.code === 'cursor_expired') return undefined
    throw error
  })
}

/** Reads all events after a cursor, or from the start. Resolves to `undefined` if the cursor has expired. */
async function rest(client: PetstoreClient, followed: Followed, from?: string): Promise<Event[] | undefined> {
  const events: Event[] = []
  for (let cursor = from; ; ) {
    const found = await page(client, { ...followed, cursor, limit: 100 })
    if (!found) return undefined
    if (found.events.length === 0) return events
    events.push(...found.events)
    cursor = found.next
  }
}

/** Returns one place for each event: the place after it. */
async function placesOf(client: PetstoreClient, followed: Followed): Promise<Place[]> {
  const places: Place[] = []
  for (let last: Place | undefined; ; places.push(last)) {
    const { events, next } = await client.listEvents({ ...followed, cursor: last?.cursor, limit: 1 })
    if (events.length === 0) return places
    last = { followed, read: [...(last?.read ?? []), ...events], cursor: next }
  }
}

function addMany(client: PetstoreClient, count: number): Promise<bigint[]> {
  const add = async () => (await client.createPet({ name: 'Rex', categoryId: 1n })).id
  return Promise.all(Array.from({ length: count }, add))
}

/** Continues from every place on every server, first on the frozen one. */
async function judge(
  clients: readonly PetstoreClient[],
  places: readonly Place[],
  added: readonly bigint[],
  { place, answer }: { place: Place; answer: Awaited<ReturnType<typeof page>> },
): Promise<Round> {
  const [frozen, other] = clients as [PetstoreClient, PetstoreClient]
  const now = new Map<Followed, Event[]>()
  for (const followed of FOLLOWED) now.set(followed, (await rest(other, followed)) ?? [])
  const all = now.get(ALL) as Event[]
  const there = new Set(all.map((event) => toJson(event)))
  const isLost = (event: Event) => !there.has(toJson(event))
  const round: Round = { lost: place.read.filter(isLost).length, valid: 0, expired: 0, faults: [] }
  if (round.lost === 0) round.faults.push('the failover lost no event, so the round proves nothing')
  for (const id of added) {
    const events = all.filter((event) => 'petId' in event && event.petId === id)
    if (events.length !== 1) round.faults.push(`pet ${id} was acknowledged, and has ${events.length} events`)
  }
  const check = (where: string, { followed, read, cursor }: Place, rest: readonly Event[] | undefined) => {
    if (rest === undefined) round.expired++
    else round.valid++
    const what = `${where}, filter ${toJson(followed)}, after ${read.length} events (${cursor})`
    if (rest === undefined && !read.some(isLost))
      round.faults.push(`${what}: the cursor has expired, although no event that was read is lost`)
    if (rest && toJson([...read, ...rest]) !== toJson(now.get(followed))) {
      round.faults.push(`${what}: the events before and after the cursor do not make up the feed`)
    }
  }
  for (const [index, client] of clients.entries()) {
    for (const one of places) check(`server ${index + 1}`, one, await rest(client, one.followed, one.cursor))
  }
  // The reader that waited on the frozen server continues like any other.
  const following = answer && (await rest(frozen, ALL, answer.next))
  if (!answer || following) check('the waiting reader', place, following && [...answer.events, ...following])
  return round
}
