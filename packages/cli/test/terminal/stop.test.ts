// The steps of a stop run within their time limits, and failures change the exit status.

import { expect, test } from 'bun:test'
import { createLog } from '../../../service/src/observability/log.ts'
import { type StopStep, stopInOrder } from '../../src/terminal/stop.ts'

const SOON_MS = 20
const steps: Record<string, () => Promise<unknown>> = {
  works: async () => {},
  fails: () => Promise.reject(new Error('full')),
  hangs: () => new Promise(() => {}),
  'hangs, but must end': () => new Promise(() => {}),
}

test.each([
  [['works', 'works'], 0, []],
  [['hangs', 'works'], 0, ['hangs: stop step took too long']],
  [['hangs, but must end', 'works'], 1, ['hangs, but must end: stop step took too long']],
  [['fails', 'hangs', 'works'], 1, ['fails: stop step failed', 'hangs: stop step took too long']],
] as const)('%j: status %d', async (names, status, told) => {
  const lines: string[] = []
  const run: string[] = []
  const log = createLog('info', { destination: { write: (line) => lines.push(line) } })
  const stepOf = (name: string): StopStep => ({
    name,
    untilMs: SOON_MS,
    mustEnd: name === 'hangs, but must end',
    stop: () => {
      run.push(name)
      return steps[name]?.() as Promise<unknown>
    },
  })
  expect(await stopInOrder(names.map(stepOf), log)).toBe(status)
  expect(run).toEqual([...names])
  expect(lines.map((line) => JSON.parse(line)).map(({ step, msg }) => `${step}: ${msg}`)).toEqual([...told])
})
