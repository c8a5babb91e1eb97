// Commands for which nobody waits by the millisecond leave the processor to the services of the machine.

import { constants, setPriority } from 'node:os'
import { systemReason } from '../domain/system-reason.ts'
import { ownsProcess } from '../system/io.ts'
import { printNote } from '../terminal/print.ts'

/** A favour, not a condition: a filter of system calls may refuse it, as that of a systemd unit. */
export function lowerPriority(): void {
  if (!ownsProcess()) return
  try {
    setPriority(constants.priority.PRIORITY_LOW)
  } catch (error) {
    const reason = systemReason((error as { info?: unknown }).info)
    printNote(`The system refuses a lower priority (${reason}). The work goes on at the usual one.`)
  }
}
