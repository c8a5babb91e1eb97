// The scheduler's end of a simulated process (process.ts): it runs its continuations as tasks of the scheduler.

import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import {
  BETWEEN,
  type Call,
  DISK,
  DISK_FAULTS,
  type DiskFault,
  type Effect,
  FILE_CALLS,
  FILE_FAULT,
  FILE_FAULTS,
  type FileFault,
  NOW,
  type Received,
  RUNNING,
  type SentRequest,
  SHARED_BYTES,
  STARTED_AT,
  STATE,
  type Step,
  sharedWords,
} from './messages.ts'
import type { Scheduler, SimulatedProcess, Task } from './scheduler.ts'

/** No continuation takes longer in real time. */
const STEP_MS_MAX = 20_000
const STEPS_BETWEEN_MAX = 4

type Settle = (effect: { result: unknown } | { failed: string }) => void
type Start = Extract<Call, { call: 'start' }>
type Numbered = Extract<Call, { number: number }>
/** `ask` adds the number. */
type Unnumbered<Of> = Of extends Numbered ? Omit<Of, 'number'> : never

export class Host {
  /** Unhandled rejections and uncaught exceptions of this run. */
  readonly crashes: string[] = []
  /** The messages of warnings and errors of this run. */
  readonly warnings: string[] = []
  /** The events that a receiver got in this run. */
  readonly events: { event: number; isTaken: boolean }[] = []
  /** How likely the other server runs before a statement, and after it. */
  betweenShare = 0
  /** Called if the process ended at a call of the file system. */
  died: ((fault: FileFault) => void) | undefined
  /** Receives messages of the process to a simulated database. */
  onSent: (message: unknown) => void = () => {}
  /** Called if the server could not start. */
  onNotStarted: (reason: string) => void = (reason) => void this.crashes.push(reason)
  private process: SimulatedProcess | undefined
  private scheduler: Scheduler | undefined
  private tasks = new Map<number, Task>()
  private asked = new Map<number, Settle>()
  private count = 0

  private readonly memory = new SharedArrayBuffer(SHARED_BYTES)
  private worker: Worker | undefined
  private port: MessagePort | undefined
  /** Runs a continuation, if the process has no thread. */
  private run: ((call: Call) => void) | undefined

  /** Starts the process in its own thread, so that it can be interrupted between two statements. */
  static async start(path: string): Promise<Host> {
    const host = new Host()
    const { port1, port2 } = new MessageChannel()
    const worker = new Worker(path, { workerData: { memory: host.memory, port: port2 }, transferList: [port2] })
    await new Promise((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
    })
    worker.unref()
    host.worker = worker
    host.port = port1 as unknown as MessagePort
    return host
  }

  /** Starts the process in this thread, which is much faster. The module must not be loaded yet. */
  static async startHere(path: string): Promise<Host> {
    const host = new Host()
    const port = { postMessage: (effect: Effect) => host.apply(effect) }
    Object.assign(globalThis, { simulatedProcess: { memory: host.memory, port } })
    host.run = (await import(path)).run
    return host
  }

  async end(): Promise<void> {
    await this.worker?.terminate()
  }

  /** Starts the server. An earlier start must have been killed. */
  boot(scheduler: Scheduler, process: SimulatedProcess, options: Omit<Start, 'call'>): void {
    this.tasks = new Map()
    this.asked = new Map()
    this.scheduler = scheduler
    this.process = process
    this.failDisk('none')
    this.failFiles('error', 0)
    this.step({ call: 'start', ...options })
  }

  failDisk(fault: DiskFault | 'none'): void {
    Atomics.store(sharedWords(this.memory).words, DISK, DISK_FAULTS.indexOf(fault))
  }

  /** This call of the file system is the last one before the fault; 0 is none. */
  failFiles(fault: FileFault, calls: number): void {
    const { words } = sharedWords(this.memory)
    Atomics.store(words, FILE_FAULT, FILE_FAULTS.indexOf(fault))
    Atomics.store(words, FILE_CALLS, calls)
  }

  /** The request arrives as a task of the server. */
  async respond(url: string, init: SentRequest, signal?: AbortSignal | null): Promise<Received> {
    const number = ++this.count
    signal?.addEventListener('abort', () => this.later({ call: 'abort', number }))
    return (await this.ask({ call: 'respond', number, url, init })) as Received
  }

  /** Resolves with the result of a call, which is a task of the server. */
  call<Result>(call: Unnumbered<Numbered>): Promise<Result> {
    return this.ask({ ...call, number: ++this.count } as Numbered) as Promise<Result>
  }

  /** Passes the next message of a simulated database to the process. */
  deliver(process: SimulatedProcess, next: () => unknown, at: number): void {
    this.scheduler?.add({ process, act: () => this.step({ call: 'receive', message: next() }), at })
  }

  /** The timers that run. */
  get timers(): number {
    return this.tasks.size
  }

  private ask(call: Numbered): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.asked.set(call.number, (effect) =>
        'failed' in effect ? reject(new Error(effect.failed)) : resolve(effect.result),
      )
      this.later(call)
    })
  }

  private later(call: Call): void {
    const { scheduler, process } = this
    if (scheduler && process) scheduler.add({ process, act: () => this.step(call), at: scheduler.now })
  }

  /** Runs one continuation. Between two of its statements, the other processes can run whole continuations. */
  private step(call: Call): void {
    const scheduler = this.scheduler as Scheduler
    const process = this.process as SimulatedProcess
    const { words, clocks } = sharedWords(this.memory)
    const betweenShare = call.call === 'start' || scheduler.isBetween ? 0 : this.betweenShare
    clocks[NOW] = scheduler.now
    clocks[STARTED_AT] = scheduler.startedAt + process.aheadMs
    if (this.run) return void this.run(call)
    this.port?.postMessage({ call, betweenShare } satisfies Step)
    Atomics.store(words, STATE, RUNNING)
    Atomics.notify(words, STATE)
    for (;;) {
      while (Atomics.load(words, STATE) === RUNNING) {
        if (Atomics.wait(words, STATE, RUNNING, STEP_MS_MAX) === 'timed-out')
          throw new Error(`A step takes more than ${STEP_MS_MAX / 1000} s: ${call.call}`)
      }
      if (Atomics.load(words, STATE) !== BETWEEN) break
      scheduler.runOthers(process, STEPS_BETWEEN_MAX)
      clocks[NOW] = scheduler.now
      Atomics.store(words, STATE, RUNNING)
      Atomics.notify(words, STATE)
    }
    for (let one = this.received(); one; one = this.received()) this.apply(one)
  }

  private received(): Effect | undefined {
    return receiveMessageOnPort(this.port as never)?.message
  }

  private apply(effect: Effect): void {
    const scheduler = this.scheduler as Scheduler
    const process = this.process as SimulatedProcess
    if ('sent' in effect) return void this.onSent(effect.sent)
    if ('notStarted' in effect) return void this.onNotStarted(effect.notStarted)
    if ('crashed' in effect) return void this.crashes.push(effect.crashed)
    if ('logged' in effect) {
      const { level, msg } = JSON.parse(effect.logged)
      if (level !== 'info') this.warnings.push(msg)
      return
    }
    if ('event' in effect) return void this.events.push(effect)
    if ('died' in effect) {
      process.isEnded = true
      this.died?.(effect.died)
      return
    }
    if ('stopped' in effect) {
      const task = this.tasks.get(effect.stopped)
      if (task) task.isStopped = true
      return void this.tasks.delete(effect.stopped)
    }
    if ('number' in effect) {
      const settle = this.asked.get(effect.number)
      this.asked.delete(effect.number)
      settle?.(effect)
      return
    }
    const { timer } = effect
    const act = () => {
      if (!task.everyMs) this.tasks.delete(timer)
      this.step({ call: 'run', timer })
    }
    const at = scheduler.now
    const task: Task =
      'isTurn' in effect
        ? { process, act, at, isTurn: true }
        : { process, act, at: at + Math.max(0, effect.ms), ...(effect.isInterval ? { everyMs: effect.ms } : {}) }
    this.tasks.set(timer, task)
    scheduler.add(task)
  }
}
