// The load of the machine at the start of a run. Time limits are multiplied by it. As a program, prints it.

/** The processor time of the measurement. */
const SAMPLE_MS = 200

/** Returns the slowdown by other work, at least 1. It is measured once per run and its child processes. */
export function machineLoad(): number {
  // At the priority of the tests (runner.ts).
  process.env.TEST_LOAD ??= Bun.spawnSync(['nice', process.execPath, import.meta.path]).stdout.toString()
  return Number(process.env.TEST_LOAD)
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
