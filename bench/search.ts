// Every kind of search on one store, on one connection: how long an answer takes, what it costs the server in processor time, and how
// long somebody else waits meanwhile for one pet. Of several rounds the best counts: what else runs on the machine only adds.
//
//   npm run bench:search -- --millions 10
//   npm run bench:search -- --millions 10 --store FILE --key KEY

import { join } from 'node:path'
import { Command } from 'commander'
import { parsedBy } from '../src/cli/options.ts'
import { count } from '../src/config/setting-parsers.ts'
import { US } from './contenders.ts'
import { CORES, ROOT, stayOn, temporaryFolder } from './machine.ts'
import { WORK } from './requests.ts'
import { say } from './rounds.ts'
import { SEARCHES } from './rows.ts'
import { cpuSeconds, type Running, type Starting, start } from './servers.ts'

const STATUSES = ['', '&status=available', '&status=pending', '&status=sold']
const FILTERS = STATUSES.flatMap((status) => [status, `${status}&sort=newest`])
/** Over the names of seed.ts. `tenth`: of all, a twelfth, a sixth and two fifths, with any filter. */
const KINDS = {
  few: ['rare', 'rare&sort=newest', 'rare&status=sold', 'rare&categoryId=7', 'rare+1', 'xyzzy', 'z+rar'],
  tenth: [
    ...['z', 'b', '1'].flatMap((word) => FILTERS.map((filter) => word + filter)),
    ...['z&categoryId=7', 'b+17&status=sold', 'bella+1&sort=newest', 'lucy+250&categoryId=999'],
  ],
  none: ['b+1+c+2+d+3+l+m', 'bel+luc+coo+dai+mil+bud+lil+roc', 'b+c&status=sold', 'b+c&sort=newest'],
} satisfies Record<keyof typeof SEARCHES, string[]>

type Figures = Record<'p50' | 'p99' | 'max' | 'cpu' | 'other', number>

let asked = 0

/** In milliseconds. */
async function get({ port, key }: Running, target: string): Promise<number> {
  const startedAt = performance.now()
  const response = await fetch(`http://127.0.0.1:${port}/v1/pets${target}`, {
    headers: { Authorization: `Bearer ${key}` },
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${target} answered ${response.status}: ${text}`)
  return performance.now() - startedAt
}

/** No cache has the answer. */
const searchFor = (server: Running, search: string) => get(server, `?search=${search}&n=${asked++}`)

async function measure(server: Running, search: string, ms: number): Promise<Figures> {
  const waits: number[] = []
  const [until, cpuBefore] = [performance.now() + ms, cpuSeconds(server.pid)]
  while (performance.now() < until || waits.length < 3) waits.push(await searchFor(server, search))
  const cpu = ((cpuSeconds(server.pid) - cpuBefore) * 1000) / waits.length
  const others: number[] = []
  for (let searching = 20; searching > 0; ) {
    const found = searchFor(server, search).then(() => searching--)
    others.push(await get(server, '/1'))
    await found
  }
  const sorted = waits.sort((one, other) => one - other)
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] as number
  return { p50: at(0.5), p99: at(0.99), max: at(1), cpu, other: Math.max(...others) }
}

function best(one: Figures | undefined, other: Figures): Figures {
  const names = Object.keys(other) as (keyof Figures)[]
  return Object.fromEntries(names.map((name) => [name, Math.min(one?.[name] ?? Infinity, other[name])])) as Figures
}

interface Options {
  millions: number
  rounds: number
  ms: number
  store?: string
  key?: string
}

await new Command('npm run bench:search --')
  .option('--millions <number>', 'of pets in the store', parsedBy(count), 1)
  .option('--store <file>', 'a store that is there, filled by bench/seed.ts and indexed, instead of a new one')
  .option('--key <key>', 'an API key of it')
  .option('--rounds <number>', 'the best of them counts', parsedBy(count), 5)
  .option('--ms <number>', 'how long each search is repeated in a round', parsedBy(count), 500)
  .action(async ({ millions, rounds, ms, store, key = '' }: Options) => {
    stayOn(CORES.load)
    using folder = temporaryFolder()
    const starting: Starting = store
      ? { key, command: (port) => [join(ROOT, 'bin/petstore'), 'serve', '--port', port, '--database', store] }
      : await US.prepare(folder.path, millions * 1e6, [WORK.few])
    await using server = await start(starting, folder.path)
    const figures = new Map<string, Figures>()
    const searches = Object.values(KINDS).flat()
    for (let round = 0; round < rounds; round++) {
      for (const search of searches) figures.set(search, best(figures.get(search), await measure(server, search, ms)))
      say(`round ${round + 1} of ${rounds}`)
    }
    const place = millions > 1 ? 1 : 0
    for (const [kind, ofKind] of Object.entries(KINDS)) {
      say(`\n${kind}: p99 at most ${SEARCHES[kind as keyof typeof KINDS][place]} ms\n`)
      say(
        '| search | p50 ms | p99 ms | longest ms | processor ms | a pet beside it, longest ms |\n|---|---|---|---|---|---|',
      )
      for (const search of ofKind) {
        const row = Object.values(figures.get(search) as Figures).map((value) => value.toFixed(2))
        say(`| ${[search.replaceAll('+', ' '), ...row].join(' | ')} |`)
      }
    }
  })
  .parseAsync()
process.exit(0)
