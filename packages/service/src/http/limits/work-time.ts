// Limits how long a request may be worked on: then the caller gets 503. With the longest wait for events, this is less than the time after which
// the runtime ends the connection (connections.ts).

import { PetstoreError } from '../../domain/petstore-error.ts'
import { startInterval, stopTimer, type Timer } from '../../system/runtime.ts'
import type { Context } from '../context.ts'

/** The time is counted in looks: a pause of the whole process is not held against a request. */
const LOOK_EVERY_MS = 1_000
const WORKED_SECONDS_MAX = 30

const TOO_LONG = new PetstoreError('unavailable', 'The service could not answer in time; try again.')

interface Work {
  readonly context: Context
  /** Its index in the list. */
  index: number
  /** The looks since the request arrived, without those during which it waited for events. */
  worked: number
  end(response: Response): void
}

interface WorkTimeOptions {
  /** The answer to an error. */
  readonly fail: (error: PetstoreError, context: Context) => Response
  readonly secondsMax?: number | undefined
}

export class WorkTime {
  /** In no order. A Set would cost each request 2 µs, a tenth of a create. */
  private readonly running: Work[] = []
  private timer: Timer | undefined

  constructor(private readonly options: WorkTimeOptions) {}

  /** Resolves with the answer, or with that to an error after the time. The work goes on all the same. */
  within(answer: Promise<Response>, context: Context): Promise<Response> {
    return new Promise((resolve) => {
      const work: Work = {
        context,
        index: this.running.length,
        worked: 0,
        end: (response) => {
          this.remove(work)
          resolve(response)
        },
      }
      this.running.push(work)
      this.timer ??= startInterval(() => this.look(), LOOK_EVERY_MS)
      answer.then(work.end)
    })
  }

  private remove(work: Work): void {
    const { running } = this
    // It was answered before.
    if (running[work.index] !== work) return
    const last = running.pop() as Work
    if (last !== work) {
      running[work.index] = last
      last.index = work.index
    }
  }

  private look(): void {
    const { fail, secondsMax = WORKED_SECONDS_MAX } = this.options
    if (this.running.length === 0) {
      stopTimer(this.timer)
      this.timer = undefined
    }
    for (const work of [...this.running]) {
      if (!work.context.waits && ++work.worked > secondsMax) work.end(fail(TOO_LONG, work.context))
    }
  }
}
