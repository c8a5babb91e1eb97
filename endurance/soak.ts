// Runs a steady mixed load for hours, with backups, key rotations, slow clients and hostile clients. Samples the server's memory and open
// descriptors, the size of the store and the latency of lists. A leak shows as a rising trend.
//
//   npm run endurance -- soak --minutes 60

import { experiment, faultsLine, print } from './command.ts'
import { chores } from './load/chores.ts'
import { figuresOf, growthOf } from './load/figures.ts'
import { type Figures, runLoad } from './load/generator.ts'
import { list, mixed } from './load/requests.ts'
import { type Kind, NAMES, newStore, startServer } from './load/stores.ts'

const PETS = 1_000
const PER_SECOND = 400
const LISTS_PER_SECOND = 50
/** Each slice of the load uses the current key and the newest ids. */
const SLICE_SECONDS_MAX = 10
const SLICES_MIN = 40
/** The largest growth after the warm-up, as a share of the mean. The bound on latency is loose because other work of the machine affects it. */
const GROWTH_MAX = { memoryMb: 0.1, descriptors: 0.1, bytesPerPet: 0.1, latencyMs: 0.5 }
const CHORES_EVERY_MS_MAX = 60_000

/** Reports unexpected responses and missing ones as faults. */
export async function soak(minutes: number, kind: Kind = 'sqlite', report: (line: string) => void = () => {}) {
  const store = await newStore(kind, PETS)
  const server = await startServer(store)
  const served = { url: server.url, database: store.database, key: store.key }
  const samples: (typeof GROWTH_MAX)[] = []
  const statuses: Record<number, number> = {}
  const faults: string[] = []
  const endsAt = performance.now() + minutes * 60_000
  const seconds = Math.min(SLICE_SECONDS_MAX, (minutes * 60) / SLICES_MIN)
  let [last, rounds] = [{ pet: PETS, order: 1 }, 0]

  async function slice(): Promise<void> {
    const load = { port: Number(new URL(server.url).port), seconds, connectionsMax: 32 }
    const [mix, lists] = await Promise.all([
      runLoad({ ...load, requests: mixed(served.key, last, PER_SECOND * seconds), perSecond: PER_SECOND }),
      runLoad({ ...load, requests: [list(served.key)], perSecond: LISTS_PER_SECOND }),
    ])
    for (const [status, count] of Object.entries(mix.statuses))
      statuses[Number(status)] = (statuses[Number(status)] ?? 0) + count
    faults.push(...wrongAnswers(mix), ...wrongAnswers(lists))
    const [row] = await store.query(`SELECT count(*) AS pets, max(id) AS pet,
      (SELECT coalesce(max(id), 1) FROM orders) AS "order" FROM pets`)
    last = { pet: Number(row?.pet), order: Number(row?.order) }
    const bytesPerPet = (await store.bytes()) / Number(row?.pets)
    const sample = { ...figuresOf(server.pid), bytesPerPet, latencyMs: lists.p99 }
    samples.push(sample)
    report(
      Object.entries(sample)
        .map(([name, value]) => `${name} ${value.toFixed(1)}`)
        .join(', '),
    )
  }
  async function choring(): Promise<void> {
    for (; performance.now() < endsAt; rounds++) {
      const pause = Bun.sleep(Math.min(CHORES_EVERY_MS_MAX, minutes * 15_000))
      faults.push(...(await chores(served, endsAt)))
      await pause
    }
  }
  async function sampling(): Promise<void> {
    while (performance.now() < endsAt) await slice()
  }
  try {
    await Promise.all([sampling(), choring()])
    const status = await server.stop()
    if (status !== 0) faults.push(`the server exited with status ${status} after SIGTERM`)
  } finally {
    await server.stop('SIGKILL')
    await store.remove()
  }
  return { samples, statuses, rounds, faults }
}

export const main = experiment<'minutes', 'store'>({
  name: 'soak',
  title: 'Soak',
  description: 'Runs a mixed load for a long time, and measures memory, descriptors, store size and latency.',
  options: { minutes: ['duration for each store', 60] },
  choices: { store: ['the kinds of stores', Object.keys(NAMES)] },
  async run({ minutes, store }) {
    const kinds = (store.length > 0 ? store : Object.keys(NAMES)) as Kind[]
    const results = await Promise.all(
      kinds.map(async (kind) => {
        const { samples, statuses, rounds, faults } = await soak(minutes, kind, (line) => print(`${kind}: ${line}`))
        const answers = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`)
        const { rows, grown } = growthOf(samples, GROWTH_MAX)
        const text = `${NAMES[kind]}. Responses by status: ${answers.join(', ')}; ${rounds} rounds of backup, key rotation, slow clients and hostile clients.

| | lowest | highest | growth after the first quarter | limit |
|---|---|---|---|---|
${rows.join('\n')}

${faultsLine([...faults, ...grown])}`
        return { text, passed: faults.length + grown.length === 0 }
      }),
    )
    const text = `${minutes} minutes of ${PER_SECOND} requests a second on each store, in parallel: all operations, and malformed, unauthorised and oversized requests.

${results.map((result) => result.text).join('\n\n')}`
    return { text, passed: results.every(({ passed }) => passed) }
  },
})

function wrongAnswers({ wrong, broken }: Figures): string[] {
  const all = Object.entries({ ...wrong, 'broken connections': broken })
  return all.filter(([, count]) => count > 0).map(([what, count]) => `${count} × ${what}`)
}
