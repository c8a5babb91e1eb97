// A store that outlives its machine: a service and Litestream beside it, under load. In each round one of them may be killed and started
// again; then both are killed and the disk is removed, and a new machine goes on from the copy.
//
//   npm run endurance -- replica --rounds 50 --report
//
// Everything acknowledged longer before than the bound is there, what is lost is what was acknowledged last, nothing is there twice, no id is
// given twice, and the events stand in the order of the ids.

import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { temporaryFile } from '../test/support/files.ts'
import { installLitestream } from '../test/support/litestream.ts'
import { experiment, faultsLine, type Outcome, print } from './command.ts'
import { between, pick } from './random.ts'
import { KILLED, Machines } from './replica-machines.ts'

const CLIENTS = 8
const PAUSE_MS = 10

export interface Lives {
  rounds: number
  acknowledged: number
  lost: number
  /** For how long what was lost in a round had been acknowledged: of each round the oldest. */
  lostMs: number[]
  /** From the kill until the new machine has answered. */
  backMs: number[]
  faults: string[]
}

interface Acknowledged {
  name: string
  at: number
}

/** Litestream's settings are those of the example, with its copy to a folder. */
export async function replica(
  rounds: number,
  boundMs: number,
  report: (lives: Lives) => void = () => {},
): Promise<Lives> {
  const lives: Lives = { rounds: 0, acknowledged: 0, lost: 0, lostMs: [], backMs: [], faults: [] }
  const folder = mkdtempSync(temporaryFile('replica-'))
  await installLitestream()
  const machines = new Machines(folder)
  /** Of all lives; those that are still there. */
  const [given, there] = [new Set<number>(), new Map<number, Acknowledged>()]
  await machines.start()
  for (; lives.rounds < rounds; lives.rounds++) {
    const fault = (text: string) => lives.faults.push(`round ${lives.rounds + 1}: ${text}`)
    let stopping = false
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let n = 0; !stopping; n++, await Bun.sleep(PAUSE_MS)) {
        const name = `${lives.rounds} ${client} ${n}`
        const id = await machines.add(name)
        if (id === undefined) continue
        if (given.has(id)) fault(`pet ${id} was given a second time`)
        given.add(id)
        there.set(id, { name, at: performance.now() })
        lives.acknowledged++
      }
    })
    await Bun.sleep(between(300, 1_500))
    await machines.disturb(pick(KILLED))
    await Bun.sleep(between(300, 2_500))
    const killedAt = performance.now()
    await machines.lose()
    stopping = true
    await Promise.all(clients)
    const copy = await machines.restoreCopy(fault)
    judge(copy, there, killedAt, boundMs, lives, fault)
    await machines.goOn(copy)
    lives.backMs.push(performance.now() - killedAt)
    await machines.copyAgain()
    report(lives)
  }
  await machines.lose()
  rmSync(folder, { recursive: true })
  return lives
}

/** Compares the copy with what was acknowledged, and forgets what is lost. */
function judge(
  path: string,
  there: Map<number, Acknowledged>,
  killedAt: number,
  boundMs: number,
  lives: Lives,
  fault: (text: string) => void,
): void {
  using copy = new Database(path, { readwrite: true, create: false })
  const pets = copy.query<{ id: number; name: string }, []>('SELECT id, name FROM pets').all()
  const names = new Map(pets.map(({ id, name }) => [id, name]))
  if (new Set(names.values()).size < pets.length) fault('a pet is there twice')
  const told = copy.query<{ pet_id: number }, []>('SELECT pet_id FROM events ORDER BY id').all()
  if (told.some(({ pet_id }, at) => at > 0 && pet_id <= (told[at - 1]?.pet_id as number))) fault('events out of order')
  const lost = [...there].filter(([id, { name }]) => names.get(id) !== name)
  for (const [id] of lost) there.delete(id)
  const last = [...there.keys()].reduce((one, other) => Math.max(one, other), 0)
  for (const [id] of lost) {
    if (id <= last) fault(`pet ${id} is lost, and later ones are there`)
    // Litestream may have sent a commit that the killed service had not finished: its ids are given to nobody else.
    if (names.has(id)) fault(`pet ${id} is another`)
  }
  const lostMs = Math.max(0, ...lost.map(([, { at }]) => killedAt - at))
  if (lostMs > boundMs) fault(`lost what was acknowledged ${Math.round(lostMs)} ms before the kill`)
  lives.lost += lost.length
  lives.lostMs.push(lostMs)
}

async function run({ rounds, bound }: { rounds: number; bound: number }, keep: (outcome: Outcome) => void) {
  const outcome = (lives: Lives) => ({ text: textOf(lives, bound), passed: lives.faults.length === 0 })
  const lives = await replica(rounds, bound, (lives) => {
    keep(outcome(lives))
    const [lost = 0, back = 0] = [lives.lostMs.at(-1), lives.backMs.at(-1)].map((ms) => Math.round(ms ?? 0))
    print(
      `round ${lives.backMs.length}: the last ${lost} ms lost, back after ${back} ms; ${lives.faults.length} faults`,
    )
  })
  keep(outcome(lives))
  return outcome(lives)
}

function textOf({ acknowledged, lost, lostMs, backMs, faults }: Lives, bound: number): string {
  const of = (all: readonly number[], share: number) => {
    const sorted = all.toSorted((one, other) => one - other)
    return `${((sorted[Math.ceil(share * sorted.length) - 1] ?? 0) / 1000).toFixed(1)} s`
  }
  return `${backMs.length} machines, one after the other, each with a service, Litestream 0.3.13 with the settings of \`deploy/litestream.yml\` and a copy in a folder, and
${CLIENTS} clients that create pets. In each round nothing, the service or Litestream was killed (SIGKILL) and started again; then both were killed, and the disk removed; a new machine went on from the copy.

- ${acknowledged} pets were acknowledged, ${lost} lost with their machine: in each round the last ones. None of their ids may be another pet's on the next machine. What was acknowledged ${bound / 1000} s before a kill has to be there.
- In half of the rounds at most the last ${of(lostMs, 0.5)} were lost, in the worst one ${of(lostMs, 1)}.
- The new machine answered after ${of(backMs, 0.5)} in half of the rounds, ${of(backMs, 1)} in the worst: the copy is fetched, checked twice and served.
- Each copy has to be good (\`petstore check-backup\`), no pet there twice, no id given twice, and the events in the order of the ids.
${faultsLine(faults)}`
}

export const main = experiment({
  name: 'replica',
  title: 'Machines that are lost, with a continuous copy',
  description: 'Kills a service and Litestream with their disk, again and again, and goes on from the copy.',
  options: {
    rounds: ['how many machines are lost', 10],
    bound: ['what was acknowledged so many milliseconds before a kill must be there', 5_000],
  },
  run,
})
