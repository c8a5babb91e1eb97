// What a service does wrong at its user's word, until the next reset.

import { LIES, lieThatBreaks } from './lies.ts'
import type { Behaviour } from './proxy.ts'

export class Practice {
  private lying: Behaviour | undefined

  readonly behave: Behaviour = (asked, pass) => this.lying?.(asked, pass) ?? pass(asked)

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
  }
}
