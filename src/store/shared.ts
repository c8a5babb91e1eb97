// Reads that arrive together ask the store once: an answer may be given to all who asked before the question was put.

/**
 * Wraps `read` so that calls of the same name share its next run. A run begins after the calls that it answers, so each
 * gets what a run of its own would have given; one that is under way answers nobody who comes later.
 */
export function shared<Result>(): (name: string, read: () => Promise<Result>) => Promise<Result> {
  const next = new Map<string, Promise<Result>>()
  const running = new Map<string, Promise<unknown>>()

  async function run(name: string, read: () => Promise<Result>): Promise<Result> {
    // One at a time of each name. After the poll phase: every request whose bytes have arrived shares this run.
    await running.get(name)
    await new Promise(setImmediate)
    next.delete(name)
    const reading = read()
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

  return (name, read) => {
    const waiting = next.get(name) ?? run(name, read)
    next.set(name, waiting)
    return waiting
  }
}
