// Lets long-running commands leave the processor to services on the same machine.

import { constants, setPriority } from 'node:os'
import { systemReason } from '../../contract/src/system-reason.ts'
import { ownsProcess } from '../../service/src/system/io.ts'
import { printNote } from './terminal/print.ts'

/** Only best effort: a system call filter, such as a systemd unit's, can refuse it. */
export function lowerPriority(): void {
  if (!ownsProcess()) return
  try {
    setPriority(constants.priority.PRIORITY_LOW)
  } catch (error) {
    const reason = systemReason((error as { info?: unknown }).info)
    printNote(`The system refuses a lower priority (${reason}). The command continues at normal priority.`)
  }
}
