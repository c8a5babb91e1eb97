// How a running service stops: in steps after the first signal, at once after the second. Each step has a time limit, so that
// nothing that hangs (a reader of the log, a disk, a worker) keeps the process alive.

import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import type { Log } from '../observability/log.ts'
import { ownsProcess } from '../system/io.ts'
import { monotonicMs, sleep, startInterval } from '../system/runtime.ts'
import { isTerminal } from '../system/terminal.ts'
import { Interrupted } from './exit-codes.ts'

/** The same signal within this time counts once: a terminal sends it to npm and to this process, and npm passes it on. */
const SAME_SIGNAL_MS = 100

/**
 * Resolves with the first SIGTERM or SIGINT. The second, of either kind, ends the process with 128 plus its number. With the log of a service,
 * SIGHUP is the signal of a terminal that closes; without a terminal, or where it was ignored at the start (nohup), the service goes on.
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
    // A shell may send it once more: that is no second signal.
    process.on('SIGHUP', (signal) => {
      if (closes && !first) receive(signal)
      else if (!closes && !logged) log.info({ signal }, 'there is nothing to reload, the service goes on')
      logged = true
    })
  })
}

/** Whether this process was started so (Linux). */
function isHangUpIgnored(): boolean {
  try {
    const [, signals = ''] = /^SigIgn:\t(\w+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
    return (BigInt(`0x${signals}`) & 1n) === 1n
  } catch {
    return false
  }
}

/** Rejects with Interrupted at the first SIGINT or SIGTERM: `left` says what the work leaves behind. */
export async function unlessInterrupted<Result>(work: Promise<Result>, left: string): Promise<Result> {
  const interrupted = firstSignal().then(() => {
    throw new Interrupted(`Interrupted. ${left}`)
  })
  return Promise.race([work, interrupted])
}

/** How often a process that npx or Yarn 1 started checks that its parent is alive. */
const PARENT_EVERY_MS = 100

/**
 * Under npx: resolves when the parent has ended. It is a shell, which passes no signal on and ends at the first one that npx sends.
 * Yarn 1 ends at a signal, and passes none on.
 * Elsewhere it never resolves, because a service may outlive the process that started it.
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
  /** The next step begins after this time at the latest. */
  maxMs: number
  stop: () => Promise<unknown>
}

/** Runs the steps one after another. Resolves with the exit status: 0, or 1 when a step failed. */
export async function stopInOrder(steps: readonly StopStep[], log: Log): Promise<0 | 1> {
  let status: 0 | 1 = 0
  for (const { name, maxMs, stop } of steps) {
    try {
      if (!(await within(maxMs, stop()))) log.warn({ step: name }, 'stop step took too long')
    } catch (err) {
      log.error({ step: name, err }, 'stop step failed')
      status = 1
    }
  }
  return status
}

/** Whether `work` ended within `ms`. Rejects when it failed within that time. */
export function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  return Promise.race([work.then(() => true), sleep(ms).then(() => false)])
}
