// The step of a simulated process that runs now: its clocks and random numbers, and what it sends to the scheduler.

import { isMainThread, workerData } from 'node:worker_threads'
import { randomOf } from '../../test/support/search-rules.ts'
import { BETWEEN, type Effect, STATE, type Step, sharedWords } from './messages.ts'

/** If the process has no thread, host.ts sets a global variable and then loads this module. */
const here = globalThis as unknown as { simulatedProcess: { port: MessagePort; memory: SharedArrayBuffer } }
export const { port, memory } = isMainThread ? here.simulatedProcess : workerData
export const { words, clocks } = sharedWords(memory)
let random = randomOf(0)
let betweenShare = 0

/** Begins a new process. */
export function begin(seed: number): void {
  random = randomOf(seed)
}

export function beginStep(step: Step): void {
  betweenShare = step.betweenShare
}

export const draw = () => random()

export const send = (effect: Effect) => port.postMessage(effect)

/** The state is read again, because a late `notify` can end a wait too early. */
export function waitWhile(state: number): void {
  while (Atomics.load(words, STATE) === state) Atomics.wait(words, STATE, state)
}

/** Lets another process run a few whole steps. Call it before each statement. */
export function betweenStatements(): void {
  if (betweenShare === 0 || draw() >= betweenShare) return
  Atomics.store(words, STATE, BETWEEN)
  Atomics.notify(words, STATE)
  waitWhile(BETWEEN)
}
