// Every kind of search on one store, on one connection: how long an answer takes, what it costs the server in processor time, and how long others
// wait meanwhile for one pet or for a create, beside one search and beside ten at once. Of several rounds the best counts: what else runs on the
// machine only adds. The first row says how long they wait beside no search.
//
//   npm run bench:search -- --millions 10
//   npm run bench:search -- --postgres

import { Command } from 'commander'
import { parsedBy } from '../packages/service/src/cli/options.ts'
import { count } from '../packages/service/src/config/setting-parsers.ts'
import { ON_POSTGRES, US } from './contenders.ts'
import { CORES, stayOn, temporaryFolder } from './machine.ts'
import { WORK } from './requests.ts'
import { say } from './rounds.ts'
import { SEARCHES } from './rows.ts'
import { cpuSeconds, type Running, start } from './servers.ts'

const STATUSES = ['', '&status=available', '&status=pending', '&status=sold']
const FILTERS = STATUSES.flatMap((status) => [status, `${status}&sort=newest`])
/** Over the names of seed.ts. `tenth`: of all, a twelfth, a sixth and two fifths, with any filter. `none`: frequent, and never together. */
const KINDS = {
  few: ['rare', 'rare&sort=newest', 'rare&status=sold', 'rare&categoryId=7', 'rare+1', 'xyzzy', 'z+rar'],
  tenth: [
    ...['z', 'b', '1'].flatMap((word) => FILTERS.map((filter) => word + filter)),
    ...['z&categoryId=7', 'b+17&status=sold', 'bella+1&sort=newest', 'lucy+250&categoryId=999'],
  ],
  none: [
    ...['b+1+c+2+d+3+l+m', 'bel+luc+coo+dai+mil+bud+lil+roc', 'b+c', 'b+c&sort=newest', 'b+c&status=sold'],
    ...['luna+max', 'luna&categoryId=1000', 'luna&categoryId=1000&sort=newest', 'luna+max&categoryId=1000'],
  ],
} satisfies Record<keyof typeof SEARCHES, string[]>
/** So many pets have one category, which no other has. */
const BELLAS = "UPDATE pets SET category_id = 1000 WHERE name LIKE 'Bella %'"
const AT_ONCE = 10

type Figures = Record<'p50' | 'p99' | 'max' | 'cpu' | 'petBeside' | 'createBeside' | 'petOfTen' | 'createOfTen', number>

let asked = 0

/** In milliseconds. */
async function send({ port, key }: Running, target: string, init?: RequestInit): Promise<number> {
  const startedAt = performance.now()
  const response = await fetch(`http://127.0.0.1:${port}/v1/pets${target}`, {
    ...init,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${target} answered ${response.status}: ${text}`)
  return performance.now() - startedAt
}

/** No cache has the answer. */
const searchFor = (server: Running, search: string) => send(server, `?search=${search}&n=${asked++}`)
const getPet = (server: Running) => send(server, '/1')
const createPet = (server: Running) =>
  send(server, '', { method: 'POST', body: '{"name":"Rex","categoryId":1,"status":"available"}' })

/** The longest that a request takes while so many clients search. */
async function longest(
  server: Running,
  request: typeof getPet,
  search: string,
  clients: number,
  ms: number,
): Promise<number> {
  const until = performance.now() + ms
  const searching = Array.from({ length: clients }, async () => {
    do await searchFor(server, search)
    while (performance.now() < until)
  })
  let most = 0
  for (let n = 0; n < 3 || performance.now() < until; n++) most = Math.max(most, await request(server))
  await Promise.all(searching)
  return most
}

async function measure(server: Running, search: string, ms: number): Promise<Figures> {
  const waits: number[] = []
  const [until, cpuBefore] = [performance.now() + ms, cpuSeconds(server.pid)]
  while (performance.now() < until || waits.length < 3) waits.push(await searchFor(server, search))
  const cpu = ((cpuSeconds(server.pid) - cpuBefore) * 1000) / waits.length
  const sorted = waits.sort((one, other) => one - other)
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] as number
  const beside = (request: typeof getPet, clients: number) => longest(server, request, search, clients, ms)
  return {
    ...{ p50: at(0.5), p99: at(0.99), max: at(1), cpu },
    ...{ petBeside: await beside(getPet, 1), createBeside: await beside(createPet, 1) },
    ...{ petOfTen: await beside(getPet, AT_ONCE), createOfTen: await beside(createPet, AT_ONCE) },
  }
}

function best(one: Figures | undefined, other: Figures): Figures {
  const names = Object.keys(other) as (keyof Figures)[]
  return Object.fromEntries(names.map((name) => [name, Math.min(one?.[name] ?? Infinity, other[name])])) as Figures
}

interface Options {
  millions: number
  postgres?: true
  rounds: number
  ms: number
}

const shown = (value: number) => value.toFixed(value < 10 ? 1 : 0)

await new Command('npm run bench:search --')
  .option('--millions <number>', 'of pets in the store', parsedBy(count), 1)
  .option('--postgres', 'in PostgreSQL')
  .option('--rounds <number>', 'the best of them counts', parsedBy(count), 5)
  .option('--ms <number>', 'how long each search is repeated in a round', parsedBy(count), 500)
  .action(async ({ millions, postgres, rounds, ms }: Options) => {
    stayOn(CORES.load)
    using folder = temporaryFolder()
    const contender = postgres ? ON_POSTGRES : US
    const starting = await contender.prepare(folder.path, millions * 1e6, [{ ...WORK.few, prepare: BELLAS }])
    await using server = await start(starting, folder.path)
    const figures = new Map<string, Figures>()
    const searches = Object.values(KINDS).flat()
    const alone = { pet: Infinity, create: Infinity }
    for (let round = 0; round < rounds; round++) {
      alone.pet = Math.min(alone.pet, await longest(server, getPet, '', 0, ms))
      alone.create = Math.min(alone.create, await longest(server, createPet, '', 0, ms))
      for (const search of searches) figures.set(search, best(figures.get(search), await measure(server, search, ms)))
      say(`round ${round + 1} of ${rounds}`)
    }
    say(`beside no search: a pet ${shown(alone.pet)} ms at most, a create ${shown(alone.create)}`)
    const place = millions > 1 ? 1 : 0
    for (const [kind, ofKind] of Object.entries(KINDS)) {
      say(`\n${kind}: p99 at most ${SEARCHES[kind as keyof typeof KINDS][place]} ms\n`)
      say('| search | p50 ms | p99 | longest | processor | a pet beside one | a create | a pet beside ten | a create |')
      say('|---|---|---|---|---|---|---|---|---|')
      for (const search of ofKind) {
        const row = Object.values(figures.get(search) as Figures).map(shown)
        say(`| ${[search.replaceAll('+', ' '), ...row].join(' | ')} |`)
      }
    }
  })
  .parseAsync()
process.exit(0)
