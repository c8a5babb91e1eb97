// How this process stands to the others of the machine.

import { constants, setPriority } from 'node:os'

/** For work that nobody waits for by the millisecond. The services here need the processor more: their requests would wait for it. */
export function yieldToServices(): void {
  setPriority(constants.priority.PRIORITY_LOW)
}
