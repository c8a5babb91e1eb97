// Coalesces equal reads: calls that arrive before a read starts can all share its result.

/**
 * Wraps `read` so that calls with an equal argument share its next run. A run starts after the calls that share it, so each gets
 * what a run of its own would have returned. A call that arrives during a run waits for the next one. The argument is plain data.
 */
export function shared<Argument extends object, Result>(
  read: (argument: Argument) => Promise<Result>,
): (argument: Argument) => Promise<Result> {
  const next = new Map<string, Promise<Result>>()
  const running = new Map<string, Promise<unknown>>()

  async function run(name: string, argument: Argument): Promise<Result> {
    // One run at a time for each argument. After the poll phase, every request that has arrived shares it.
    await running.get(name)
    await new Promise(setImmediate)
    next.delete(name)
    const reading = read(argument)
    const done = reading.then(
      () => {},
      () => {},
    )
    running.set(name, done)
    done.then(() => {
      if (running.get(name) === done) running.delete(name)
    })
    return reading
  }

  return (argument) => {
    const name = nameOf(argument)
    const waiting = next.get(name) ?? run(name, argument)
    next.set(name, waiting)
    return waiting
  }
}

/** Different data have different names. Members in another order give another name, which only costs another run. */
function nameOf(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null) return String(value)
  let name = '{'
  for (const member in value) name += `${member}:${nameOf(value[member as never])},`
  return `${name}}`
}
