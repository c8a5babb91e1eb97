// A failover that loses what was shown: three servers on a primary whose standby does not count. In each round the standby stops taking
// changes in, reservations end at once on the primary, one server shows it and is frozen, the primary is killed and the standby promoted.
// The other servers write, and end the same reservations once more, before that one looks again. Then readers go on from every place,
// on every server: each sees each event that is there, and none twice or under another's id, or its cursor has expired (410).
//
//   npm run endurance -- lossy-failover --rounds 5 --report

import { generateKey } from '../packages/service/src/domain/keys.ts'
import { Cluster } from '../test/support/postgres.ts'
import { type Running, serve } from '../test/support/process.ts'
import { experiment, faultsLine, print } from './command.ts'
import { type Answer, type Place, type Seen, Shop } from './lossy-clients.ts'

const SERVERS = 3
/** What readers follow. */
const FOLLOWED = ['', 'type=order.expired', 'petId=1'] as const
/** What the others write before the frozen server looks again. */
const WRITTEN = 5
/** Until the reservations end, at first. */
const ENDS_AFTER_MS = 5_000

export interface Round {
  /** Events that were shown and are lost. */
  lost: number
  /** Cursors that went on, and that had expired. */
  wentOn: number
  expired: number
  faults: string[]
}

export async function lossyFailover(rounds: number, reservations: number, report: (round: Round) => void = () => {}) {
  const all: Round[] = []
  for (let number = 0; number < rounds; number++) {
    let round: Round | undefined
    // On a slow machine the reservations may end before the standby has stopped: then once more, with more time.
    for (let afterMs = ENDS_AFTER_MS; !round; afterMs *= 2) round = await loseOnce(reservations, afterMs)
    all.push(round)
    report(round)
  }
  return all
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
  const [shower, ...others] = servers.map(({ url }) => new Shop(url, key)) as [Shop, ...Shop[]]
  try {
    await Promise.all(Array.from({ length: reservations }, () => shower.add()))
    const expiresAt = new Date(Date.now() + afterMs).toISOString()
    await Promise.all(Array.from({ length: reservations }, (_, n) => shower.reserve(n + 1, expiresAt)))
    await taken(primary)
    await standby.down('SIGQUIT')
    if (Date.now() > Date.parse(expiresAt)) return undefined
    const ended = async (shop = shower) => (await shop.whole('type=order.expired')).length === reservations
    while (!(await ended())) await Bun.sleep(20)
    const places = (await Promise.all(FOLLOWED.map((followed) => shower.placesOf(followed)))).flat()
    const atEnd = places.findLast(({ followed }) => followed === '') as Place
    const waiting = shower.read(atEnd.cursor, 'wait=25')
    freeze(servers[0] as Running, 'SIGSTOP')
    await primary.down('SIGKILL')
    await standby.up()
    await standby.promote()
    const added = await Promise.all(others.map((shop) => shop.addMany(WRITTEN)))
    // The reservations end once more; whatever comes first gets the lost ids.
    while (!(await ended(others[0]))) await Bun.sleep(20)
    freeze(servers[0] as Running, 'SIGCONT')
    return await judge([shower, ...others], places, added.flat(), { place: atEnd, answer: waiting })
  } finally {
    freeze(servers[0] as Running, 'SIGCONT')
    await Promise.all(servers.map((server) => server.stop('SIGKILL')))
    await Promise.all([primary.remove(), standby.remove()])
  }
}

/** Resolves when the standby has what the primary has. */
async function taken(primary: Cluster): Promise<void> {
  await primary.asAdmin(async (sql) => {
    const upToDate = 'SELECT FROM pg_stat_replication WHERE replay_lsn >= pg_current_wal_lsn()'
    while ((await sql.unsafe(upToDate)).length === 0) await Bun.sleep(20)
  })
}

function freeze({ pid }: Running, signal: 'SIGSTOP' | 'SIGCONT'): void {
  process.kill(pid, signal)
}

/** Every place, on every server, the one that showed what is lost first. */
async function judge(
  shops: readonly Shop[],
  places: readonly Place[],
  added: readonly number[],
  { place, answer }: { place: Place; answer: Promise<Answer> },
): Promise<Round> {
  const now = new Map<string, Seen[]>()
  for (const followed of FOLLOWED) now.set(followed, await (shops[1] as Shop).whole(followed))
  const all = now.get('') as Seen[]
  const there = new Set(all.map((event) => JSON.stringify(event)))
  const lost = places
    .findLast(({ followed }) => followed === '')
    ?.read.filter((event) => !there.has(JSON.stringify(event)))
  const round: Round = { lost: lost?.length ?? 0, wentOn: 0, expired: 0, faults: [] }
  if (round.lost === 0) round.faults.push('nothing was lost: the round shows nothing')
  for (const id of added) {
    const told = all.filter((event) => 'petId' in event && event.petId === id)
    if (told.length !== 1) round.faults.push(`pet ${id}, which was acknowledged, is told ${told.length} times`)
  }
  const check = (where: string, { followed, read, cursor }: Place, rest: readonly Seen[] | undefined) => {
    const isLost = read.some((event) => !there.has(JSON.stringify(event)))
    if (rest === undefined) round.expired++
    else round.wentOn++
    const what = `${where}, ${followed || 'all events'}, behind ${read.length} events (${cursor})`
    if (rest === undefined && !isLost)
      round.faults.push(`${what}: nothing that was read is lost, and yet it has expired`)
    if (rest && JSON.stringify([...read, ...rest]) !== JSON.stringify(now.get(followed))) {
      round.faults.push(`${what}: what was read and what followed are not the feed`)
    }
  }
  for (const [index, shop] of shops.entries()) {
    for (const one of places) check(`server ${index + 1}`, one, await shop.rest(one.cursor))
  }
  // Who waited on the frozen server goes on as any other.
  const { status, events, next } = await answer
  if (status === 410) check('who waited', place, undefined)
  else if (status === 200) {
    const rest = await (shops[0] as Shop).rest(next)
    if (rest) check('who waited', place, [...events, ...rest])
  }
  return round
}

async function run({ rounds: count, reservations }: { rounds: number; reservations: number }) {
  const rounds = await lossyFailover(count, reservations, ({ lost, wentOn, expired, faults }) =>
    print(`${lost} events lost; of the cursors ${wentOn} went on, ${expired} had expired; ${faults.length} faults`),
  )
  const sum = (of: (round: Round) => number) => rounds.reduce((total, round) => total + of(round), 0)
  const faults = rounds.flatMap((round) => round.faults)
  const text = `${count} failovers to a standby that had not taken in what was shown: ${reservations} reservations that ended at once. ${SERVERS} servers; the one that had shown it was frozen until the others had written.

- ${sum(({ lost }) => lost)} events were shown and lost.
- Readers went on from every place, on every server, following all events, those of one type and those of one pet: ${sum(({ wentOn }) => wentOn)} saw each event that is there, ${sum(({ expired }) => expired)} were told that their cursor has expired.
${faultsLine(faults)}`
  return { text, passed: faults.length === 0 }
}

export const main = experiment({
  name: 'lossy-failover',
  title: 'A failover that loses what was shown',
  description: 'Promotes a standby that lacks events which were shown, and reads on from every place.',
  options: { rounds: ['how often the primary is killed', 3], reservations: ['how many end at once', 60] },
  run,
})
