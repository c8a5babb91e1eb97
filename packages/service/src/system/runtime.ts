// Clocks, timers, the event loop and random bytes. The service uses them only through this module, so that a test can
// replace all of them. test/layout.test.ts enforces it.

/** Stops with `stopTimer`. */
export interface Timer {
  /** Stops the timer from keeping the process alive. */
  unref(): Timer
}

export interface Runtime {
  wallMs(): number
  monotonicMs(): number
  startTimer(act: () => void, ms: number): Timer
  startInterval(act: () => void, ms: number): Timer
  stopTimer(timer: Timer | undefined): void
  atTurnEnd(act: () => void): void
  randomBytes(length: number): Uint8Array<ArrayBuffer>
  randomUuid(): string
  /** Only in a simulation. */
  watchSize?(name: string, size: () => number): void
}

let runtime: Runtime = {
  wallMs: Date.now,
  monotonicMs: () => performance.now(),
  startTimer: setTimeout,
  startInterval: setInterval,
  stopTimer: (timer) => clearTimeout(timer as Parameters<typeof clearTimeout>[0]),
  atTurnEnd: setImmediate,
  randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  randomUuid: () => crypto.randomUUID(),
}
let turnEnd: Promise<void> | undefined

/** Replaces the runtime for the whole process. Returns the previous one. */
export function replaceRuntime(other: Runtime): Runtime {
  const before = runtime
  runtime = other
  turnEnd = undefined
  return before
}

/** The system clock, in milliseconds since 1970. It can be set, also back. */
export const wallMs = (): number => runtime.wallMs()

/** A clock that never goes back, in milliseconds from an arbitrary zero. */
export const monotonicMs = (): number => runtime.monotonicMs()

/** Calls `act` once, after `ms` milliseconds. A negative time, which would print a warning, counts as 0. */
export const startTimer = (act: () => void, ms: number): Timer => runtime.startTimer(act, Math.max(0, ms))

/** Calls `act` every `ms` milliseconds, the first time after `ms`. */
export const startInterval = (act: () => void, ms: number): Timer => runtime.startInterval(act, ms)

export const stopTimer = (timer: Timer | undefined): void => runtime.stopTimer(timer)

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => void runtime.startTimer(resolve, ms))

/** Resolves with the result of `work`, or with `undefined` if it takes longer than `ms`. */
export function atMost<Result>(work: Promise<Result>, ms: number): Promise<Result | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const timer = startTimer(() => resolve(undefined), ms)
  return Promise.race([work, promise]).finally(() => stopTimer(timer))
}

/** Calls `act` at the end of this turn of the event loop, after all arrived input was read. */
export const atTurnEnd = (act: () => void): void => runtime.atTurnEnd(act)

/**
 * Resolves at the end of this turn. All callers of a turn share one promise, so that everything that arrived together
 * is handled together.
 */
export function endOfTurn(): Promise<void> {
  turnEnd ??= new Promise((resolve) => {
    runtime.atTurnEnd(() => {
      turnEnd = undefined
      resolve()
    })
  })
  return turnEnd
}

/** Bytes that an attacker cannot guess. */
export const randomBytes = (length: number): Uint8Array<ArrayBuffer> => runtime.randomBytes(length)

/** A random UUID (RFC 9562, version 4). */
export const randomUuid = (): string => runtime.randomUuid()

/** Lets a simulation check that nothing remains of requests that have ended: `size` is 0 then. */
export const watchSize = (name: string, size: () => number): void => runtime.watchSize?.(name, size)
