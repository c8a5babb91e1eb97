// How long a request may be worked on. The runtime ends a connection on which nothing arrives and nothing is read for some seconds, also
// while its request is worked on. So that limit is lifted for the requests that need it, until they have their answer; and there is
// another, after which the caller gets 503.

import { PetstoreError } from '../../domain/petstore-error.ts'
import type { Context } from '../context.ts'

/** The time is counted in looks: a pause of the whole process is not held against a request. */
const LOOK_EVERY_MS = 1_000
/** Less than the 8 s after which the runtime ends a connection at the earliest. */
const LIFTED_AFTER_LOOKS = 4
const WORKED_SECONDS_MAX = 30

const TOO_LONG = new PetstoreError('unavailable', 'The service could not answer in time; try again.')

interface Work {
  readonly context: Context
  /** Its index in the list. */
  index: number
  /** Since the request arrived. */
  looks: number
  /** Without those during which it waited for events. */
  worked: number
  end(response: Response): void
}

interface WorkTimeOptions {
  /** Whether the connection is ended when it is idle. */
  readonly limitIdle: (request: Request, limited: boolean) => void
  /** The answer to an error. */
  readonly fail: (error: PetstoreError, context: Context) => Response
  readonly secondsMax?: number | undefined
}

export class WorkTime {
  /** In no order. A Set would cost each request 2 µs, a tenth of a create. */
  private readonly running: Work[] = []
  private timer: ReturnType<typeof setInterval> | undefined

  constructor(private readonly options: WorkTimeOptions) {}

  /** Resolves with the answer, or with that to an error after the time. The work goes on all the same. */
  within(answer: Promise<Response>, context: Context): Promise<Response> {
    return new Promise((resolve) => {
      const work: Work = {
        context,
        index: this.running.length,
        looks: 0,
        worked: 0,
        end: (response) => {
          this.remove(work)
          resolve(response)
        },
      }
      this.running.push(work)
      this.timer ??= setInterval(() => this.look(), LOOK_EVERY_MS)
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
    if (work.looks >= LIFTED_AFTER_LOOKS) this.options.limitIdle(work.context.request, true)
  }

  private look(): void {
    const { limitIdle, fail, secondsMax = WORKED_SECONDS_MAX } = this.options
    if (this.running.length === 0) {
      clearInterval(this.timer)
      this.timer = undefined
    }
    for (const work of [...this.running]) {
      if (++work.looks === LIFTED_AFTER_LOOKS) limitIdle(work.context.request, false)
      if (!work.context.waits && ++work.worked > secondsMax) work.end(fail(TOO_LONG, work.context))
    }
  }
}
