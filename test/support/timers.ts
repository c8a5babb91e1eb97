// The timers that the service has started and that have not ended, its clock, and pauses that take no time.

import { spyOn } from 'bun:test'
import { type Runtime, replaceRuntime, type Timer } from '../../packages/service/src/system/runtime.ts'

/** Watches until `restore`. `intervalMs` replaces the time of each interval. */
export function watchTimers({ intervalMs }: { intervalMs?: number } = {}) {
  const open = new Set<Timer>()
  const real = replaceRuntime({} as Runtime)
  const started = (timer: Timer) => {
    open.add(timer)
    return timer
  }
  replaceRuntime({
    ...real,
    startTimer(act, ms) {
      const timer = real.startTimer(() => {
        open.delete(timer)
        act()
      }, ms)
      return started(timer)
    },
    startInterval: (act, ms) => started(real.startInterval(act, intervalMs ?? ms)),
    stopTimer(timer) {
      open.delete(timer as Timer)
      real.stopTimer(timer)
    },
  })
  return { open, restore: () => replaceRuntime(real) }
}

/** Makes time pass on the clock that measures durations. Timers are not affected. */
export function passTime(ms: number): void {
  const real = replaceRuntime({} as Runtime)
  replaceRuntime({ ...real, monotonicMs: () => real.monotonicMs() + ms })
}

/** Lets pauses before retries end immediately, until `mockRestore`. Only these have a random part. */
export function hurryPauses() {
  const start = setTimeout
  return spyOn(globalThis, 'setTimeout').mockImplementation(((act: () => void, ms: number) =>
    start(act, Number.isInteger(ms) ? ms : 0)) as typeof setTimeout)
}
