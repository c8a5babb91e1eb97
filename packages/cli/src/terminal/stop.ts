// Stops a service: in steps after the first signal, immediately after the second. The steps share a time limit, so that
// a blocked log reader, disk or worker cannot keep the process alive.

import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import type { Log } from '../../../service/src/observability/log.ts'
import { isTerminal, ownsProcess } from '../../../service/src/system/io.ts'
import { monotonicMs, sleep, startInterval } from '../../../service/src/system/runtime.ts'
import { Interrupted } from './exit-codes.ts'

/**
 * A repeated signal within this time is ignored: a terminal sends it to npm and to this process, and npm forwards it.
 */
const SAME_SIGNAL_MS = 100

/**
 * Resolves with the first SIGTERM or SIGINT. A second one ends the process with 128 plus its number. With the log of
 * a service, SIGHUP from a closing terminal counts as well; without a terminal, or if SIGHUP was ignored at the start
 * (nohup), the service continues.
 */
export function firstSignal(log?: Log): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    if (!ownsProcess()) return
    let first: { signal: NodeJS.Signals; at: number } | undefined
    const receive = (signal: NodeJS.Signals) => {
      const at = monotonicMs()
      if (first?.signal === signal && at < first.at + SAME_SIGNAL_MS) return
      if (first) process.exit(128 + constants.signals[signal])
      first = { signal, at }
      resolve(signal)
    }
    process.on('SIGTERM', receive)
    process.on('SIGINT', receive)
    if (!log) return
    const closes = !isHangUpIgnored() && [0, 1, 2].some(isTerminal)
    let logged = false
    // A shell may send SIGHUP twice, so it never counts as the second signal.
    process.on('SIGHUP', (signal) => {
      if (closes && !first) receive(signal)
      else if (!closes && !logged) log.info({ signal }, 'there is nothing to reload, the service goes on')
      logged = true
    })
  })
}

/** Returns whether this process started with SIGHUP ignored (Linux). */
function isHangUpIgnored(): boolean {
  try {
    const [, signals = ''] = /^SigIgn:\t(\w+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
    return (BigInt(`0x${signals}`) & 1n) === 1n
  } catch {
    return false
  }
}

/** Rejects with Interrupted at the first SIGINT or SIGTERM. `left`: the state after the interruption. */
export async function unlessInterrupted<Result>(work: Promise<Result>, left: string): Promise<Result> {
  const interrupted = firstSignal().then(() => {
    throw new Interrupted(`Interrupted. ${left}`)
  })
  return Promise.race([work, interrupted])
}

/** How often to check that npx's or Yarn's process is alive. */
const PARENT_EVERY_MS = 100

/**
 * Under npx and Yarn 1, resolves when the parent process has ended: npx starts a shell that forwards no signals and
 * ends at the first one, and Yarn 1 does the same. Otherwise never resolves, because a service can outlive the
 * process that started it.
 */
export function npxEnds(): Promise<'SIGTERM'> {
  return new Promise((resolve) => {
    const { npm_command, npm_config_user_agent } = process.env
    if (npm_command !== 'exec' && !npm_config_user_agent?.startsWith('yarn/1.')) return
    const parent = process.ppid
    startInterval(() => process.ppid !== parent && resolve('SIGTERM'), PARENT_EVERY_MS).unref()
  })
}

export interface StopStep {
  name: string
  /** The next step starts at most this long after the first one: all steps share one budget. */
  untilMs: number
  /** Whether the exit status is 1 if the step takes too long. */
  mustEnd?: boolean
  stop: () => Promise<unknown>
}

/** Runs the steps in order. Resolves with exit status 0, or 1 if a step failed or did not end although it must. */
export async function stopInOrder(steps: readonly StopStep[], log: Log): Promise<0 | 1> {
  const begunAt = monotonicMs()
  let status: 0 | 1 = 0
  for (const { name, untilMs, mustEnd, stop } of steps) {
    try {
      if (await within(Math.max(0, begunAt + untilMs - monotonicMs()), stop())) continue
      log.warn({ step: name }, 'stop step took too long')
      if (mustEnd) status = 1
    } catch (err) {
      log.error({ step: name, err }, 'stop step failed')
      status = 1
    }
  }
  return status
}

/** Resolves with whether `work` ended within `ms`. Rejects if it failed within that time. */
export function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  return Promise.race([work.then(() => true), sleep(ms).then(() => false)])
}
