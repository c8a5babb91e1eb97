// Injects failures while a history is recorded, and measures how long a server could not write.

import { randomOf } from '../../test/support/search-rules.ts'
import type { Operation } from './operations.ts'
import type { Faults } from './sites.ts'

/** The most operations between two failures. Counting operations gives the same density on a busy and on a quiet machine. */
const QUIET_OPERATIONS_MAX = 4_000
export const LOOK_EVERY_MS = 20

/** A failure with its start and end on the clock of the operations. */
export interface Broken {
  readonly name: string
  readonly from: number
  readonly to: number
}

/** `breaks` limits the kinds of failures. Resolves at the end of the history. */
export async function breakAtRandom(
  faults: Faults,
  { seed, operations, breaks }: { seed: number; operations: number; breaks?: readonly string[] | undefined },
  recorded: () => number,
  isOver: () => boolean,
): Promise<Broken[]> {
  const random = randomOf(seed + 1)
  const quiet = Math.min(QUIET_OPERATIONS_MAX, operations / 4)
  const chosen = Object.entries(faults).filter(([name]) => breaks?.includes(name) ?? true)
  const broken: Broken[] = []
  while (chosen.length > 0) {
    const quietUntil = recorded() + random() * quiet
    while (!isOver() && recorded() < quietUntil) await Bun.sleep(LOOK_EVERY_MS)
    if (isOver()) break
    const [name, happen] = chosen[Math.floor(random() * chosen.length)] as (typeof chosen)[number]
    const from = performance.now()
    await happen()
    broken.push({ name, from, to: performance.now() })
  }
  return broken
}

/** Returns, for each kind of failure, the longest gaps between two writes of one server during or right after the failures. */
export function silences(broken: readonly Broken[], operations: readonly Operation[]): Map<string, number[]> {
  const written = operations.filter(({ method, status }) => !/GET|HEAD/.test(method) && status >= 200 && status < 300)
  const servers = [...Map.groupBy(written, ({ server }) => server).values()].map((done) =>
    done.map(({ endedAt }) => endedAt).sort((one, other) => one - other),
  )
  const longest = ({ from, to }: Broken) =>
    Math.max(
      ...servers.flatMap((times) =>
        times.map((time, n) => {
          const before = times[n - 1] ?? time
          return time > from && before < to ? time - before : 0
        }),
      ),
      0,
    )
  const byName = Map.groupBy(broken, ({ name }) => name)
  return new Map(Array.from(byName, ([name, each]) => [name, each.map(longest)]))
}
