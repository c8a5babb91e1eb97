// Limits the time to process a request; after it, the caller gets 503. Together with the longest wait for events, the
// limit is shorter than the runtime's limit of the connection (connections.ts).

import { PetstoreError } from '../../domain/petstore-error.ts'
import { startInterval, stopTimer, type Timer, watchSize } from '../../system/runtime.ts'
import type { Context } from '../context.ts'

/** Time is counted in ticks, so that a pause of the whole process does not count. */
const LOOK_EVERY_MS = 1_000
const WORKED_SECONDS_MAX = 30

const TOO_LONG = new PetstoreError('unavailable', 'The service could not answer in time. Try again.')

interface Work {
  readonly context: Context
  /** The index in `running`. */
  index: number
  /** The ticks since the request arrived, except while it waited for events. */
  worked: number
  end(response: Response | Promise<Response>): void
}

export class WorkTime {
  /** Unordered. A Set would cost 2 µs per request, a tenth of a create. */
  private readonly running: Work[] = []
  private timer: Timer | undefined

  constructor(
    private readonly fail: (error: PetstoreError, context: Context) => Response | Promise<Response>,
    private readonly secondsMax = WORKED_SECONDS_MAX,
  ) {
    watchSize('requests in flight', () => this.running.length)
  }

  /** Resolves with the answer, or with the response to a timeout error. The work continues after a timeout. */
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
      this.timer ??= startInterval(() => this.endLateWork(), LOOK_EVERY_MS)
      void answer.then(work.end)
    })
  }

  private remove(work: Work): void {
    const { running } = this
    // Already answered.
    if (running[work.index] !== work) return
    const last = running.pop() as Work
    if (last !== work) {
      running[work.index] = last
      last.index = work.index
    }
  }

  private endLateWork(): void {
    if (this.running.length === 0) {
      stopTimer(this.timer)
      this.timer = undefined
    }
    for (const work of [...this.running]) {
      if (!work.context.waits && ++work.worked > this.secondsMax) work.end(this.fail(TOO_LONG, work.context))
    }
  }
}
