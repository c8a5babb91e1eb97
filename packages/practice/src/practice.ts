// What a service does wrong when its user says so, until the next reset.

import type { Report } from '../../testing/testing.ts'
import { Clock } from './clock.ts'
import { header } from './contract-faults/shared/answer-changes.ts'
import { headerOf } from './messages.ts'
import { Faults } from './network-faults/faults.ts'
import { injectFault } from './network-faults/inject.ts'
import type { Behaviour, Pass } from './proxy.ts'
import { Recorder } from './record.ts'
import { reportOf } from './report.ts'

/** Loaded when one is switched on: they take longer than the rest of practice. */
const contractFaults = () => import('./contract-faults/all.ts')

export class Practice {
  /** The service has to run by it. */
  readonly clock = new Clock()
  private wrong: Behaviour | undefined
  private readonly faults = new Faults()
  private readonly recorder: Recorder
  /** The API keys whose requests are in no report. */
  private readonly unreported = new Set<string>()

  /** `monotonic` measures how long clients wait. */
  constructor(monotonic: () => number = () => performance.now()) {
    this.recorder = new Recorder(monotonic)
  }

  readonly behave: Behaviour = async (request, pass, client) => {
    const service: Pass = (request) => this.wrong?.(request, inTime, client) ?? inTime(request)
    // The runtime of the service writes Date by the machine's clock.
    const inTime: Pass = async (request) => {
      const response = await pass(request)
      const date = () => new Date(this.clock.now()).toUTCString()
      return this.clock.isMoved ? header('Date', date)(response, request) : response
    }
    if (this.unreported.has(headerOf(request.headers, 'Authorization') ?? '')) return service(request)
    const fault = this.faults.next(request)
    const exchange = this.recorder.begin(request, client, fault)
    if (!fault) return this.recorder.answer(exchange, await service(request))
    const { response, applied } = await injectFault(fault, request, service)
    exchange.fault = applied
    if (!applied) this.faults.giveBack(fault)
    return this.recorder.answer(exchange, response)
  }

  /** Adds a network fault for the next requests. Throws an Error for what is no `Fault`. */
  fail(fault: unknown): void {
    this.faults.add(fault)
  }

  /** From now on the service breaks the promise with this id, and no other. Rejects with an Error where no fault does. */
  async lie(breaks: string): Promise<void> {
    const { faultThatBreaks } = await contractFaults()
    this.wrong = faultThatBreaks(breaks)
  }

  /** The ids of the promises that can be broken. */
  async lies(): Promise<string[]> {
    const { CONTRACT_FAULTS } = await contractFaults()
    return Object.keys(CONTRACT_FAULTS).sort()
  }

  /** Requests with this API key get no network fault and are in no report, until the reset. */
  leaveOut(apiKey: string): void {
    this.unreported.add(`Bearer ${apiKey}`)
  }

  /** What its clients have done since the start, or the reset. */
  report(): Report {
    return reportOf(this.recorder, this.recorder.now())
  }

  /** Nothing is wrong any more, nothing recorded, and the time is the machine's. */
  reset(): void {
    this.wrong = undefined
    this.faults.clear()
    this.unreported.clear()
    this.recorder.clear()
    this.clock.reset()
  }
}
