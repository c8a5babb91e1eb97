// The structured log: one JSON object a line on standard error. Never a key, never a body.

import { type DestinationStream, pino } from 'pino'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]
export type Log = ReturnType<typeof createLog>

/** Writes to standard error unless told otherwise; lines of one turn of the event loop may be written together. */
export function createLog(level: LogLevel, destination: DestinationStream = pino.destination({ fd: 2, sync: false })) {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  )
}
