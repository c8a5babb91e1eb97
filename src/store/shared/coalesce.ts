// Reads that arrive together ask the store once: an answer may be given to all who asked before the question was put.

/**
 * Wraps `read` so that calls with the same question share its next run. A run begins after the calls that it answers, so
 * each gets what a run of its own would have given; one that is under way answers nobody who comes later. A question is
 * plain data, and every member of it counts.
 */
export function shared<Question extends object, Result>(
  read: (question: Question) => Promise<Result>,
): (question: Question) => Promise<Result> {
  const next = new Map<string, Promise<Result>>()
  const running = new Map<string, Promise<unknown>>()

  async function run(name: string, question: Question): Promise<Result> {
    // One at a time of each name. After the poll phase: every request whose bytes have arrived shares this run.
    await running.get(name)
    await new Promise(setImmediate)
    next.delete(name)
    const reading = read(question)
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

  return (question) => {
    const name = nameOf(question)
    const waiting = next.get(name) ?? run(name, question)
    next.set(name, waiting)
    return waiting
  }
}

/** Different data have different names; the same in another order has two, which costs no more than a run of its own. */
function nameOf(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null) return String(value)
  let name = '{'
  for (const member in value) name += `${member}:${nameOf(value[member as never])},`
  return `${name}}`
}
