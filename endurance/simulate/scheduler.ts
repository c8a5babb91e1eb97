// Decides when everything in a simulated run happens: it owns the clocks, the timers and the ends of turns of all simulated processes, and
// chooses from its seed which of the ready continuations runs next. Between two of them all promises settle.

import type { Runtime, Timer } from '../../packages/service/src/system/runtime.ts'
import { randomOf } from '../../test/support/search-rules.ts'

/** Milliseconds that a continuation takes, at most; the time between two of them. */
const STEP_MS_MAX = 0.1
/** How often a process pauses before it continues, and for how long at most: others run meanwhile. */
const PAUSE_SHARE = 0.01
const PAUSE_MS_MAX = 30
/** How often the next task is drawn, and not the one with the highest rank. */
const DRAWN_SHARE = 0.2

interface Task {
  /** Of the ready tasks, the one with the highest runs next. */
  rank?: number
  readonly process: SimulatedProcess
  readonly act: () => void
  /** On the scheduler's clock. */
  at: number
  readonly everyMs?: number
  /** The end of a turn: those of one process keep their order. */
  readonly isTurn?: boolean
  isStopped?: boolean
}

/** One process of a run, such as a server: it has its own turns, its own wall clock, and can be paused or ended. */
export class SimulatedProcess implements Runtime {
  /** Milliseconds by which its wall clock is ahead. */
  aheadMs = 0
  pausedUntil = 0
  isEnded = false

  constructor(
    private readonly scheduler: Scheduler,
    private readonly random: () => number,
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
  /** Milliseconds since the run began. */
  now = 0
  /** How many continuations ran. */
  steps = 0
  private tasks: Task[] = []
  private readonly timers = new WeakMap<Timer, Task>()
  private readonly random: () => number

  constructor(
    private readonly seed: number,
    /** The wall clock when the run begins, in milliseconds since 1970. */
    readonly startedAt: number,
  ) {
    this.random = randomOf(seed)
  }

  /** A new process, with random numbers of its own. */
  process(name: number): SimulatedProcess {
    return new SimulatedProcess(this, randomOf(this.seed * 1_000 + name))
  }

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

  /** Starts `begin` and runs continuations until it settles; settles as it does. Throws if nothing is left that could settle it. */
  async run<Result>(begin: () => Promise<Result>): Promise<Result> {
    // In a turn of its own: the order of ticks and promises depends on where a turn began.
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
      if (!task) throw new Error('every process waits, and nothing will happen')
      this.steps++
      task.act()
    }
  }

  private next(): Task | undefined {
    for (;;) {
      this.tasks = this.tasks.filter(({ isStopped, process }) => !isStopped && !process.isEnded)
      const due = ({ at, process }: Task) => Math.max(at, process.pausedUntil)
      const ready = this.tasks.filter((task) => due(task) <= this.now)
      if (ready.length === 0) {
        if (this.tasks.length === 0) return undefined
        this.now = this.tasks.reduce((least, task) => Math.min(least, due(task)), Number.POSITIVE_INFINITY)
        continue
      }
      // By rank, a task may wait while many others run, which draws alone would hardly ever do.
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
      this.now += this.random() * STEP_MS_MAX
      if (task.everyMs === undefined) this.tasks.splice(this.tasks.indexOf(task), 1)
      else task.at = this.now + task.everyMs
      return task
    }
  }
}
