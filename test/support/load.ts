// How busy the machine is when a run starts: limits of tests are multiplied by it.

/** For how much processor time the load is measured. */
const SAMPLE_MS = 200

/** Returns by what factor this process computes more slowly than it would alone, at least 1. It is measured once for a run and its processes. */
export function machineLoad(): number {
  process.env.TEST_LOAD ??= measured().toFixed(1)
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
