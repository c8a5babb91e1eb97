// What a service does wrong at its user's word, until the next reset.

import { Faults, strike } from './faults.ts'
import { LIES, lieThatBreaks } from './lies.ts'
import type { Behaviour, Pass } from './proxy.ts'

export class Practice {
  private lying: Behaviour | undefined
  private readonly faults = new Faults()

  readonly behave: Behaviour = (asked, pass) => {
    const lie: Pass = (request) => this.lying?.(request, pass) ?? pass(request)
    const fault = this.faults.next(asked)
    return fault ? strike(fault, asked, lie) : lie(asked)
  }

  /** Strikes requests from now on. Throws an Error for what is no `Fault`. */
  fail(fault: unknown): void {
    this.faults.add(fault)
  }

  /** From now on the service breaks the promise with this id, and no other. Throws an Error for a lie that there is not. */
  lie(breaks: string): void {
    this.lying = lieThatBreaks(breaks)
  }

  /** The ids of the promises that can be broken. */
  lies(): string[] {
    return Object.keys(LIES).sort()
  }

  /** Nothing is wrong any more. */
  reset(): void {
    this.lying = undefined
    this.faults.clear()
  }
}
