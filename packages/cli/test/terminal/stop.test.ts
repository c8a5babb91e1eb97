// The signals that stop a service. The steps of a stop run within their time limits, and failures change the exit status.

import { expect, spyOn, test } from 'bun:test'
import { createLog } from '../../../service/src/observability/log.ts'
import { type Runtime, replaceRuntime } from '../../../service/src/system/runtime.ts'
import { firstSignal, type StopStep, stopInOrder } from '../../src/terminal/stop.ts'

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

test.each([
  // A terminal sends SIGINT to npm and to the service, and npm forwards it.
  ['SIGINT', 'SIGINT', 99, undefined],
  ['SIGINT', 'SIGINT', 100, 130],
  ['SIGTERM', 'SIGTERM', 100, 143],
  ['SIGINT', 'SIGTERM', 0, 143],
  ['SIGTERM', 'SIGINT', 0, 130],
] as const)('%s, then %s %d ms later: status %p', async (first, second, pauseMs, status) => {
  let nowMs = 1_000
  const real = replaceRuntime({} as Runtime)
  replaceRuntime({ ...real, monotonicMs: () => nowMs })
  const listeners = new Map<string | symbol, (signal: NodeJS.Signals) => void>()
  const on = spyOn(process, 'on').mockImplementation(((name: string, listener: () => void) => {
    listeners.set(name, listener)
    return process
  }) as typeof process.on)
  const exit = spyOn(process, 'exit').mockImplementation((() => undefined) as never)
  try {
    const stopped = firstSignal()
    listeners.get(first)?.(first)
    expect(await stopped).toBe(first)
    nowMs += pauseMs
    listeners.get(second)?.(second)
    expect(exit.mock.calls[0]?.[0]).toBe(status)
  } finally {
    on.mockRestore()
    exit.mockRestore()
    replaceRuntime(real)
  }
})
