// How rows of the catalogue are written: most are one request and the status of its answer.

import type { Answer } from '../answer.ts'
import type { Asking, Probe } from '../probe.ts'
import type { Level, PromiseRow } from '../promise.ts'

export type Check = PromiseRow['check']
type More = Pick<PromiseRow, 'needs' | 'after' | 'alone'>

/** A row of the level. */
export function rowsOf(level: Level) {
  return (id: string, promise: string, source: string, check: Check, more: More = {}): PromiseRow => ({
    id,
    level,
    promise,
    source,
    check,
    ...more,
  })
}

/** Everything that the rows of one operation that writes need. */
export function writing(...after: string[]): More {
  return { needs: ['write'], after }
}

/** The request of `line`, whose answer has the status, and the code if it is an error. */
export function answers(line: string, status: number, code?: string, asking?: Asking): Check {
  return async (probe) => {
    ;(await probe.ask(line, asking)).expectError(status, code)
  }
}

/** What `ask` gives has the status, and the code if it is an error. */
export function refuses(ask: (probe: Probe) => Promise<Answer>, status: number, code?: string): Check {
  return async (probe) => {
    ;(await ask(probe)).expectError(status, code)
  }
}

/** A row of docs/interface.md. */
export function documented(heading: string, subject: string): string {
  return `docs/interface.md, ${heading}: ${subject}`
}

/** A place in openapi.yaml, as a JSON Pointer. */
export function contract(...steps: (string | number)[]): string {
  const pointer = steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  return `openapi.yaml#${pointer}`
}
