// How long after a commit a reader who waits for events has it: the time between two answers, that to a create and that to the reader.

import { requestsTo } from './contenders.ts'
import type { Figure, Run } from './figures.ts'
import { temporaryFolder } from './machine.ts'
import { type BenchRequest, cursorOf, events } from './requests.ts'
import { type Entry, type Measured, type Pace, said } from './rounds.ts'
import { answerOf, type Running, start } from './servers.ts'

const CREATES = 200
/** Longer than the service takes between two looks at what other processes have done. */
const PAUSE_MS_MAX = 100

/** Throws an Error for a failure. */
export async function measureDelivery(entries: readonly Entry[], { rounds }: Pace): Promise<Measured> {
  const figures: Figure[] = []
  for (const { name, contender, work, pets, cores, elsewhere } of entries) {
    using folder = temporaryFolder()
    const starting = await contender.prepare(folder.path, pets, [work])
    await using writer = await start(starting, folder.path, cores)
    await using other = elsewhere && (await start({ ...starting, stopped: undefined }, folder.path, cores))
    const [create] = (await requestsTo(writer, contender, work, pets)) as [BenchRequest]
    const runs: Run[] = []
    for (let round = 0; round < rounds; round++) runs.push(said(name, await deliver(writer, other ?? writer, create)))
    figures.push({ name, runs })
  }
  return { figures }
}

async function deliver(writer: Running, reader: Running, create: BenchRequest): Promise<Run> {
  const times: number[] = []
  let last = await answerOf(reader, events('from=now'))
  for (let n = 0; n < CREATES; n++) {
    const waiting = answerOf(reader, events(`wait=10&cursor=${cursorOf(last.headers.link)}`)).then((answer) => ({
      answer,
      at: performance.now(),
    }))
    await Bun.sleep(PAUSE_MS_MAX * Math.random())
    await answerOf(writer, create)
    const committedAt = performance.now()
    const { answer, at } = await waiting
    if (answer.body === '[]') throw new Error('a reader who waited has no event')
    // The reader may have its answer first.
    times.push(Math.max(0, at - committedAt))
    last = answer
  }
  times.sort((one, other) => one - other)
  const quantile = (share: number) => times[Math.floor(share * times.length)] as number
  return { p50Ms: quantile(0.5), p99Ms: quantile(0.99) }
}
