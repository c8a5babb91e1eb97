// A failover that loses what was shown: three servers on a primary whose standby does not count. In each round the standby stops taking
// changes in, reservations end at once on the primary, one server shows it and is frozen, the primary is killed and the standby promoted.
// The other servers write, and end the same reservations once more, before that one looks again. Then readers go on from every place,
// on every server: each sees each event that is there, and none twice or under another's id, or its cursor has expired (410).

import { type Event, PetstoreApiError, PetstoreClient, toJson } from '../packages/client/src/petstore.ts'
import { generateKey } from '../packages/service/src/domain/keys.ts'
import { Cluster } from '../test/support/postgres.ts'
import { type Running, serve } from '../test/support/process.ts'
import { until } from '../test/support/until.ts'

const SERVERS = 3
/** What readers follow. */
const ALL: Followed = {}
const EXPIRED = { type: ['order.expired' as const] }
const FOLLOWED: readonly Followed[] = [ALL, EXPIRED, { petId: 1n }]
/** What the others write before the frozen server looks again. */
const WRITTEN = 5
/** Until a failover is over. */
const RETRIES = 100
/** Until the reservations end, at first. */
const ENDS_AFTER_MS = 5_000

type Asked = NonNullable<Parameters<PetstoreClient['listEvents']>[0]>
type Followed = Pick<Asked, 'type' | 'petId'>

/** The events that a reader has read, and the cursor at which it continues. */
interface Place {
  followed: Followed
  read: readonly Event[]
  cursor: string
}

export interface Round {
  /** Events that were shown and are lost. */
  lost: number
  /** Cursors that went on, and that had expired. */
  wentOn: number
  expired: number
  faults: string[]
}

export async function lossyFailover(reservations: number): Promise<Round> {
  for (let afterMs = ENDS_AFTER_MS; ; afterMs *= 2) {
    const round = await loseOnce(reservations, afterMs)
    // On a slow machine the reservations may end before the standby has stopped: then once more, with more time.
    if (round) return round
  }
}

/** `undefined`: the standby may have what was to be lost. */
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
    await until('the standby has everything', taken)
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
    // The reservations end once more; whatever comes first gets the lost ids.
    await ended(others[0])
    signal('SIGCONT')
    return await judge(clients, places, added.flat(), { place: atEnd, answer: await waiting })
  } finally {
    signal('SIGCONT')
    await Promise.all(servers.map((server) => server.stop('SIGKILL')))
    await Promise.all([primary.remove(), standby.remove()])
  }
}

/** `undefined`: the cursor has expired. */
function page(client: PetstoreClient, asked: Asked) {
  return client.listEvents(asked).catch((error) => {
    if (error instanceof PetstoreApiError && error.code === 'cursor_expired') return undefined
    throw error
  })
}

/** The events from a place, or from the beginning, to the end; `undefined` if its cursor has expired. */
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

/** The places behind each event. */
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

/** Every place, on every server, the one that showed what is lost first. */
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
  const round: Round = { lost: place.read.filter(isLost).length, wentOn: 0, expired: 0, faults: [] }
  if (round.lost === 0) round.faults.push('nothing was lost: the round shows nothing')
  for (const id of added) {
    const told = all.filter((event) => 'petId' in event && event.petId === id)
    if (told.length !== 1) round.faults.push(`pet ${id}, which was acknowledged, is told ${told.length} times`)
  }
  const check = (where: string, { followed, read, cursor }: Place, rest: readonly Event[] | undefined) => {
    if (rest === undefined) round.expired++
    else round.wentOn++
    const what = `${where}, following ${toJson(followed)}, behind ${read.length} events (${cursor})`
    if (rest === undefined && !read.some(isLost))
      round.faults.push(`${what}: nothing that was read is lost, and yet it has expired`)
    if (rest && toJson([...read, ...rest]) !== toJson(now.get(followed))) {
      round.faults.push(`${what}: what was read and what followed are not the feed`)
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
