// Schedules a simulated run. It owns the clocks, timers and turn ends of all simulated processes, and chooses by its seed which ready
// continuation runs next. All promises settle between two continuations.

import type { Runtime, Timer } from '../../packages/service/src/system/runtime.ts'
import { randomOf } from '../../test/support/search-rules.ts'

/** The longest time that a continuation takes. */
const STEP_MS_MAX = 0.1
/** How often a process pauses while others run, and for how long at most. */
const PAUSE_SHARE = 0.01
const PAUSE_MS_MAX = 30
/** The share of steps that run a random task instead of the one with the highest rank. */
const DRAWN_SHARE = 0.2

export interface Task {
  /** The ready task with the highest rank usually runs next. */
  rank?: number
  readonly process: SimulatedProcess
  readonly act: () => void
  /** On the scheduler's clock. */
  at: number
  readonly everyMs?: number
  /** Whether it is the end of a turn. The turn ends of one process keep their order. */
  readonly isTurn?: boolean
  isStopped?: boolean
}

/** A process of a run, such as a server. It has its own turns and wall clock, and can be paused or killed. */
export class SimulatedProcess implements Runtime {
  /** How far its wall clock is ahead, in milliseconds. */
  aheadMs = 0
  pausedUntil = 0
  isEnded = false

  constructor(
    private readonly scheduler: Scheduler,
    private readonly random: () => number,
    /** A server runs in its own thread (host.ts), and the clients in this one. */
    readonly isServer: boolean,
  ) {}

  wallMs = () => Math.floor(this.scheduler.startedAt + this.scheduler.now + this.aheadMs)
  monotonicMs = () => this.scheduler.now

  startTimer(act: () => void, ms: number): Timer {
    return this.scheduler.add({ process: this, act, at: this.scheduler.now + Math.max(0, ms) })
  }

  startInterval(act: () => void, ms: number): Timer {
    return this.scheduler.add({ process: this, act, at: this.scheduler.now + ms, everyMs: ms })
  }

  stopTimer(timer: Timer | undefined): void {
    if (timer) this.scheduler.stop(timer)
  }

  atTurnEnd(act: () => void): void {
    this.scheduler.add({ process: this, act, at: this.scheduler.now, isTurn: true })
  }

  randomBytes(length: number): Uint8Array<ArrayBuffer> {
    return Uint8Array.from({ length }, () => Math.floor(this.random() * 256))
  }

  randomUuid(): string {
    return `00000000-0000-4000-8000-${Buffer.from(this.randomBytes(6)).toString('hex')}`
  }
}

const { setImmediate: realTurn } = globalThis

export class Scheduler {
  /** Milliseconds since the start of the run. */
  now = 0
  /** How many continuations ran. */
  steps = 0
  /** Whether a process waits between two statements while others run. */
  isBetween = false
  private tasks: Task[] = []
  private readonly timers = new WeakMap<Timer, Task>()
  private readonly random: () => number

  constructor(
    readonly seed: number,
    /** The wall clock at the start of the run, in milliseconds since 1970. */
    readonly startedAt: number,
  ) {
    this.random = randomOf(seed)
  }

  /** Adds a process with its own random numbers. */
  process(name: number, isServer = false): SimulatedProcess {
    return new SimulatedProcess(this, randomOf(this.seed * 1_000 + name), isServer)
  }

  /** The wall clock of a process whose clock is right. */
  readonly wallMs = () => Math.floor(this.startedAt + this.now)

  add(task: Task): Timer {
    task.rank = this.random()
    this.tasks.push(task)
    const timer: Timer = { unref: () => timer }
    this.timers.set(timer, task)
    return timer
  }

  stop(timer: Timer): void {
    const task = this.timers.get(timer)
    if (task) task.isStopped = true
  }

  /** Runs continuations until the promise of `begin` settles, and returns it. Throws if no task is left. */
  async run<Result>(begin: () => Promise<Result>): Promise<Result> {
    // Start in a new turn, because the start of a turn determines the order of ticks and promises.
    await new Promise<void>((resolve) => realTurn(resolve))
    const work = begin()
    let isSettled = false
    const settled = () => {
      isSettled = true
    }
    work.then(settled, settled)
    for (;;) {
      await new Promise<void>((resolve) => realTurn(resolve))
      if (isSettled) return work
      const task = this.next()
      if (!task) throw new Error('Deadlock: every process waits, and no task is left.')
      this.steps++
      task.act()
    }
  }

  /** Runs up to this number of continuations of other servers that are ready. Call it while `process` waits between two statements. */
  runOthers(process: SimulatedProcess, most: number): void {
    this.isBetween = true
    for (let left = 1 + Math.floor(this.random() * most); left > 0; left--) {
      const ready = this.ready().filter((task) => task.process.isServer && task.process !== process)
      if (ready.length === 0) break
      // The end of a turn often commits.
      const task = ready.find(({ isTurn }) => isTurn) ?? (ready[Math.floor(this.random() * ready.length)] as Task)
      this.begin(task)
      this.steps++
      task.act()
    }
    this.isBetween = false
  }

  private ready(): Task[] {
    this.tasks = this.tasks.filter(({ isStopped, process }) => !isStopped && !process.isEnded)
    return this.tasks.filter((task) => due(task) <= this.now)
  }

  private begin(task: Task): void {
    this.now += this.random() * STEP_MS_MAX
    if (task.everyMs === undefined) this.tasks.splice(this.tasks.indexOf(task), 1)
    else task.at = this.now + task.everyMs
  }

  private next(): Task | undefined {
    for (;;) {
      const ready = this.ready()
      if (ready.length === 0) {
        if (this.tasks.length === 0) return undefined
        this.now = this.tasks.reduce((least, task) => Math.min(least, due(task)), Number.POSITIVE_INFINITY)
        continue
      }
      // With ranks, a task can wait while many others run, which is very unlikely with random draws alone.
      const drawn =
        this.random() < DRAWN_SHARE
          ? (ready[Math.floor(this.random() * ready.length)] as Task)
          : ready.reduce((first, one) => ((one.rank ?? 0) > (first.rank ?? 0) ? one : first))
      if (this.random() < PAUSE_SHARE) {
        drawn.process.pausedUntil = this.now + this.random() * PAUSE_MS_MAX
        continue
      }
      const task = drawn.isTurn
        ? (ready.find(({ isTurn, process }) => isTurn && process === drawn.process) as Task)
        : drawn
      this.begin(task)
      return task
    }
  }
}

function due({ at, process }: Task): number {
  return Math.max(at, process.pausedUntil)
}
