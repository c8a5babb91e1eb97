// Measures several servers together. They start once, and every response of the warm-up is checked. Each round then measures all of them, so
// that a slow minute of the machine affects all.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Contender, requestsTo } from './contenders.ts'
import { type Figure, number } from './figures.ts'
import { audit, type Load, measure, writeRequests } from './load.ts'
import { temporaryFolder } from './machine.ts'
import type { Work } from './requests.ts'
import { start, untilIdle } from './servers.ts'

export interface Pace {
  rounds: number
  /** The duration of each run in whole seconds. */
  seconds: number
}

/** The warm-up of all entries, which runs in parallel. */
const WARM_UP_SECONDS = 2
/** After this time without a request, a server starts deferred work. */
const PUT_OFF_MS = 3000

/** Throws an Error if a response is wrong. */
export async function measureTogether(
  work: Work,
  pets: number,
  contenders: readonly Contender[],
  { rounds, seconds }: Pace,
): Promise<Figure[]> {
  using root = temporaryFolder()
  await using stack = new AsyncDisposableStack()
  const loads: (Load & Figure)[] = []
  for (const contender of contenders) {
    const { name } = contender
    const folder = join(root.path, name)
    mkdirSync(folder)
    const server = stack.use(await start(await contender.prepare(folder, pets, work), folder))
    const requests = join(folder, 'requests')
    writeRequests(requests, await requestsTo(server, contender, work, pets), server.key)
    loads.push({ name, server, requests, status: work.status, sent: 0, runs: [] })
  }
  await Promise.all(loads.map((load) => audit(load, WARM_UP_SECONDS * contenders.length)))
  // Otherwise deferred work of one server would run on the core where the first one is measured.
  await Promise.all(loads.map(({ server }) => untilIdle(server.pid, PUT_OFF_MS)))
  for (let round = 0; round < rounds; round++) {
    // Reverse every other round, so that the order favours no entry.
    for (const load of round % 2 === 0 ? loads : loads.toReversed()) {
      const run = await measure(load, seconds)
      load.runs.push(run)
      say(
        `  ${load.name}: ${Object.entries(run)
          .map(([kind, value]) => `${kind} ${number(value)}`)
          .join(', ')}`,
      )
    }
  }
  return loads
}

/** Prints progress to stderr. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
