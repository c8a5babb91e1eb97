// Waits of tests for a condition: each has a bound, and says what it waited for.

import { machineLoad } from './load.ts'

/** Ends before the time of the test does, whose message would not say what it waited for. */
const WAIT_MS = 50_000 * machineLoad()

type Truthy<Value> = Exclude<Value, false | undefined | null | 0 | ''>

/** Resolves with the condition's value once that is truthy. Rejects after `ms` with the last value, or with `seen`. */
export async function until<Value>(
  what: string,
  condition: () => Value | Promise<Value>,
  { ms = WAIT_MS, everyMs = 10, seen }: { ms?: number; everyMs?: number; seen?: () => unknown } = {},
): Promise<Truthy<Value>> {
  const deadline = performance.now() + ms
  for (;;) {
    const value = await condition()
    if (value) return value as Truthy<Value>
    if (performance.now() > deadline) {
      throw new Error(`Waited ${ms / 1000} s until ${what}; last seen: ${Bun.inspect(seen ? seen() : value)}`)
    }
    await Bun.sleep(everyMs)
  }
}
