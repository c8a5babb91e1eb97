// The load of the machine. Time limits are multiplied by it. As a program, measures and prints it.

import { availableParallelism, loadavg } from 'node:os'

/** A test that hangs must end long before the run. */
const LOAD_MAX = 8
/** The processor time of the measurement. */
const SAMPLE_MS = 200

/**
 * Returns the slowdown by other work, from 1 to 8. It is measured at the start of a run, and grows with the number of
 * processes that wait for a processor.
 */
export function machineLoad(): number {
  // At the priority of the tests (runner.ts).
  process.env.TEST_LOAD ??= Bun.spawnSync(['nice', process.execPath, import.meta.path]).stdout.toString()
  const load = Math.max(Number(process.env.TEST_LOAD), (loadavg()[0] ?? 0) / availableParallelism())
  return Math.min(load, LOAD_MAX)
}

function measured(): number {
  const [startedAt, before] = [performance.now(), process.cpuUsage()]
  for (;;) {
    const { user, system } = process.cpuUsage(before)
    const usedMs = (user + system) / 1000
    if (usedMs >= SAMPLE_MS) return Math.max(1, (performance.now() - startedAt) / usedMs)
  }
}

if (import.meta.main) process.stdout.write(measured().toFixed(1))
