// Reads that arrive together: who asks the same shares one run, and nobody who asks anything else.

import { expect, test } from 'bun:test'
import { shared } from '../src/store/shared/coalesce.ts'

test('equal calls share a run; a call that differs in any member does not', async () => {
  const runs: object[] = []
  const read = shared(async (question: Record<string, unknown>) => runs.push(question))
  const questions = [
    { limit: 5 },
    { limit: 6 },
    { limit: 5, after: 1n },
    { limit: 5, after: 2n },
    { limit: 5, colour: 'brown' },
    { limit: 5, colour: 'brown;after=1' },
    { limit: 5, colour: 'brown', after: 1n },
    { limit: 5, colour: '1' },
    { limit: 5, colour: 1 },
    { limit: 5, colours: ['brown', 'white'] },
    { limit: 5, colours: ['brown'] },
    { limit: 5, between: { least: 1n, most: 2n } },
    { limit: 5, between: { least: 1n, most: 3n } },
  ]
  const asked = questions.flatMap((question) => [read(question), read({ ...question })])
  const answers = await Promise.all(asked)
  expect(runs.length).toBe(questions.length)
  for (let n = 0; n < answers.length; n += 2) expect(answers[n + 1]).toBe(answers[n] as number)
})

test('a run answers only the calls made before it started', async () => {
  let runs = 0
  const began: (() => void)[] = []
  const read = shared(async () => {
    const run = ++runs
    await new Promise<void>((resolve) => began.push(resolve))
    return run
  })
  const first = read({})
  while (began.length < 1) await Bun.sleep(1)
  const late = [read({}), read({})]
  began[0]?.()
  expect(await first).toBe(1)
  while (began.length < 2) await Bun.sleep(1)
  began[1]?.()
  expect(await Promise.all(late)).toEqual([2, 2])
})
