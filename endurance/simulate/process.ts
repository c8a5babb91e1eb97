// A simulated process. The scheduler starts its continuations. All its promises settle before the next one.

import { isMainThread, parentPort, receiveMessageOnPort } from 'node:worker_threads'
import {
  monotonicMs,
  type Runtime,
  replaceRuntime,
  startTimer,
  stopTimer,
  wallMs,
} from '../../packages/service/src/system/runtime.ts'
import { type Call, IDLE, NOW, STARTED_AT, STATE, type Step } from './messages.ts'
import { serve } from './server.ts'
import { begin, beginStep, clocks, draw, port, send, waitWhile, words } from './step.ts'

const { setImmediate: realTurn } = globalThis
const timers = new Map<number, () => void>()
const requests = new Map<number, AbortController>()
const sizes = new Map<string, () => number>()
let starting: ReturnType<typeof serve>
let server: Awaited<typeof starting> | undefined
let receive: (message: unknown) => void = () => {}
let count = 0
let generation = 0

/** Connects simulated drivers to a simulated database. Returns a function that sends to it. */
export function connectDriver(onMessage: (message: unknown) => void): (message: unknown) => void {
  receive = onMessage
  return (sent) => send({ sent })
}

/** A runtime whose timers the scheduler starts. Those of an earlier start of the process never run. */
function newRuntime(): Runtime {
  const own = ++generation
  const add = (act: () => void, isInterval: boolean) => {
    const timer = ++count
    timers.set(timer, () => {
      if (!isInterval) timers.delete(timer)
      act()
    })
    return timer
  }
  const started = (act: () => void, ms: number, isInterval: boolean) => {
    const number = add(act, isInterval)
    if (own === generation) send({ timer: number, ms, isInterval })
    const timer = { number, unref: () => timer }
    return timer
  }
  return {
    wallMs: () => Math.floor((clocks[NOW] as number) + (clocks[STARTED_AT] as number)),
    monotonicMs: () => clocks[NOW] as number,
    startTimer: (act, ms) => started(act, ms, false),
    startInterval: (act, ms) => started(act, ms, true),
    stopTimer(timer) {
      const number = (timer as { number: number } | undefined)?.number
      if (number !== undefined && timers.delete(number)) send({ stopped: number })
    },
    atTurnEnd: (act) => send({ timer: add(act, false), isTurn: true }),
    watchSize(name, size) {
      const other = sizes.get(name)
      sizes.set(name, other ? () => other() + size() : size)
    },
    randomBytes: (length) => Uint8Array.from({ length }, () => Math.floor(draw() * 256)),
    randomUuid: () =>
      `00000000-0000-4000-8000-${Math.floor(draw() * 2 ** 48)
        .toString(16)
        .padStart(12, '0')}`,
  }
}

function start(call: Extract<Call, { call: 'start' }>): void {
  const own = generation
  server = undefined
  starting = serve(call, (logged) => send({ logged }))
  starting.then(
    (started) => {
      if (own !== generation) return
      server = started
      for (const crashed of started.files?.problems ?? []) send({ crashed })
    },
    (error) => {
      if (own === generation) send({ notStarted: Bun.inspect(error) })
    },
  )
}

function handle(call: Call): void {
  if (call.call === 'start') {
    timers.clear()
    requests.clear()
    sizes.clear()
    begin(call.seed)
    replaceRuntime(newRuntime())
    start(call)
  } else if (call.call === 'run') timers.get(call.timer)?.()
  else if (call.call === 'receive') receive(call.message)
  else if (call.call === 'abort') requests.get(call.number)?.abort()
  else answer(call.number, promised(call))
}

async function promised(call: Exclude<Call, { call: 'start' | 'run' | 'abort' | 'receive' }>): Promise<unknown> {
  if (call.call === 'stop') return server?.stop() ?? null
  if (call.call === 'store') return (await starting).store[call.method](call.argument as never)
  if (call.call === 'sizes') return Promise.resolve(sizesNow())
  if (call.call === 'stopForwarding') return Promise.resolve(server?.files?.stopForwarding())
  if (call.call === 'left') return Promise.resolve(server?.files?.left(call.hasFuture))
  const cut = new AbortController()
  requests.set(call.number, cut)
  if (!server) throw new Error('connection refused')
  return server.respond(new Request(call.url, { ...call.init, signal: cut.signal })).then(received)
}

function sizesNow(): Record<string, number> {
  return Object.fromEntries(sizes.entries().map(([name, size]) => [name, size()]))
}

async function received({ status, headers, body }: Response) {
  return { status, headers: [...headers], body: await new Response(body).arrayBuffer() }
}

function answer(number: number, promise: Promise<unknown>): void {
  const own = generation
  void promise
    .then(
      (result) => ({ number, result }),
      (error) => ({ number, failed: String(error) }),
    )
    .then((effect) => {
      requests.delete(number)
      if (own === generation) send(effect)
    })
}

export function run(call: Call): void {
  try {
    handle(call)
  } catch (error) {
    send({ crashed: String((error as Error).stack) })
  }
}

for (const event of ['unhandledRejection', 'uncaughtException'])
  process.on(event, (error) => send({ crashed: `${event}: ${error?.stack ?? error}` }))

if (!isMainThread) {
  // The client reads the clocks without the runtime.
  Object.assign(globalThis, {
    setTimeout: (act: () => void, ms: number) => startTimer(act, ms),
    clearTimeout: stopTimer,
  })
  Object.assign(Date, { now: wallMs })
  Object.assign(performance, { now: monotonicMs })
  Object.assign(Math, { random: draw })
  parentPort?.postMessage('ready')
  for (;;) {
    waitWhile(IDLE)
    const step = receiveMessageOnPort(port)?.message as Step
    beginStep(step)
    run(step.call)
    await new Promise<void>((resolve) => realTurn(resolve))
    Atomics.store(words, STATE, IDLE)
    Atomics.notify(words, STATE)
  }
}
