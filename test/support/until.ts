// Waits for a condition, with a time limit and an error that shows the condition.

import { machineLoad } from './load.ts'

/** Shorter than the time limit of a test, whose message would not name the condition. */
const WAIT_MS = 50_000 * machineLoad()

type Truthy<Value> = Exclude<Value, false | undefined | null | 0 | ''>

/** Resolves with the first truthy value of the condition. Rejects after `ms` with the last value, or with `seen()`. */
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
      throw new Error(`Waited ${ms / 1000} s until ${what}; last value: ${Bun.inspect(seen ? seen() : value)}`)
    }
    await Bun.sleep(everyMs)
  }
}
