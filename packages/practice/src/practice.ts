// The faults, clock and report of a service in practice, until the next reset.

import type { Report } from '../../testing/testing.ts'
import { Clock } from './clock.ts'
import { header } from './contract-faults/shared/changes.ts'
import { authorizationOf } from './contract-faults/shared/requests.ts'
import { Recorder } from './exchange.ts'
import { Faults } from './network-faults/faults.ts'
import { injectFault } from './network-faults/inject.ts'
import type { Behaviour, Pass } from './proxy.ts'
import { reportOf } from './report.ts'

/** Loaded on first use, because they take longer to load than the rest of practice. */
const contractFaults = () => import('./contract-faults/all.ts')

export class Practice {
  /** The service must use this clock. */
  readonly clock = new Clock()
  private wrong: Behaviour | undefined
  private readonly faults = new Faults()
  private readonly recorder: Recorder
  /** The API keys whose requests are not reported. */
  private readonly unreported = new Set<string>()

  /** `monotonic` measures how long clients wait. */
  constructor(monotonic: () => number = () => performance.now()) {
    this.recorder = new Recorder(monotonic)
  }

  readonly behave: Behaviour = async (request, pass, client) => {
    const service: Pass = (request) => this.wrong?.(request, inTime, client) ?? inTime(request)
    // The runtime sets Date from the machine's clock.
    const inTime: Pass = async (request) => {
      const response = await pass(request)
      const date = () => new Date(this.clock.now()).toUTCString()
      return this.clock.isMoved ? header('Date', date)(response) : response
    }
    if (this.unreported.has(authorizationOf(request) ?? '')) return service(request)
    const fault = this.faults.next(request)
    const exchange = this.recorder.begin(request, client, fault)
    if (!fault) return this.recorder.answer(exchange, await service(request))
    const { response, applied } = await injectFault(fault, request, service)
    exchange.fault = applied
    if (!applied) this.faults.giveBack(fault)
    return this.recorder.answer(exchange, response)
  }

  /** Adds a network fault for the next requests. Throws an Error for an invalid fault. */
  fail(fault: unknown): void {
    this.faults.add(fault)
  }

  /** Makes the service break this promise, and no other. Rejects with an Error if no fault breaks it. */
  async lie(breaks: string): Promise<void> {
    const { faultThatBreaks } = await contractFaults()
    this.wrong = faultThatBreaks(breaks)
  }

  /** Resolves with the ids of the promises that can be broken. */
  async lies(): Promise<string[]> {
    const { CONTRACT_FAULTS } = await contractFaults()
    return Object.keys(CONTRACT_FAULTS).sort()
  }

  /** Requests with this API key get no network fault and are not reported, until the reset. */
  leaveOut(apiKey: string): void {
    this.unreported.add(`Bearer ${apiKey}`)
  }

  /** Returns what clients did since the start or the last reset. */
  report(): Report {
    return reportOf(this.recorder, this.recorder.now())
  }

  /** Removes all faults and records, and returns to the machine's time. */
  reset(): void {
    this.wrong = undefined
    this.faults.clear()
    this.unreported.clear()
    this.recorder.clear()
    this.clock.reset()
  }
}
