// Waits of tests for a condition: each has a bound, and says what it waited for.

/** Resolves with the condition's value once that is truthy. Rejects after `ms`, with the last value. */
export async function until<Value>(
  what: string,
  condition: () => Value | Promise<Value>,
  ms = 60_000,
): Promise<NonNullable<Value>> {
  const deadline = performance.now() + ms
  for (;;) {
    const value = await condition()
    if (value) return value
    if (performance.now() > deadline)
      throw new Error(`Waited ${ms / 1000} s until ${what}; it was ${Bun.inspect(value)}.`)
    await Bun.sleep(10)
  }
}
