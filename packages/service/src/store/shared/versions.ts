// The numbers of the schema, the same for both stores: which of them this version opens, what it says of the others, and of the step to the first.

import { StartError } from '../../domain/start-error.ts'
import type { SchemaState } from '../../domain/store.ts'

/** The schema of 1.0.0. Every version since then opens a store of each version before it. */
export const FIRST_VERSION = 21
/** The one before it from which a step leads there: that of commit 60c4a71. */
export const STEP_VERSION = 17

/** Completes a sentence about a store: "… has schema 3 …". `undefined` where this version opens it, or brings it to its own schema. */
export function refusedVersion(version: number, newest: number): string | undefined {
  if (version > newest) return `was written by a newer petstore (schema ${version}; this version knows ${newest})`
  if (version === 0 || version === STEP_VERSION || version >= FIRST_VERSION) return undefined
  const known = `has schema ${version}, from before the first release`
  if (version > STEP_VERSION) return `${known}, which no version brings to schema ${FIRST_VERSION}`
  return `${known}. Open it once with commit 60c4a71 (there: petstore migrate --apply), which brings it to schema ${STEP_VERSION}; then with this version`
}

export class StepNeeded extends StartError {
  constructor(store: string) {
    super(`${store} has schema ${STEP_VERSION}: run petstore migrate --apply first`)
  }
}

export interface StepNeeds {
  pets: number
  orders: number
  seconds: number
  bytes: number
}

/** As measured: docs/operations.md, Versions. */
export function needsOf(pets: number, orders: number, storedBytes: number): StepNeeds {
  const rows = pets + 2 * orders
  return { pets, orders, seconds: Math.ceil(rows / ROWS_PER_SECOND), bytes: storedBytes + BYTES_PER_ROW * rows }
}
const ROWS_PER_SECOND = 20_000
const BYTES_PER_ROW = 250

/** For people, before it begins. */
export function needsSentence({ pets, orders, seconds, bytes }: StepNeeds): string {
  const room = `${Math.ceil(bytes / 1e6)} MB of room`
  return `the step from schema ${STEP_VERSION} to ${FIRST_VERSION}, with ${pets} pets and ${orders} orders, takes about ${seconds} s and ${room}`
}

/** How many events were written, or at most for how many rows of both lists the words. */
export interface StepProgress {
  what: 'events' | 'words'
  done: number
}

const REPORT_MS = 5_000

/** `needs`: as it has to be found out. */
export function schemaState(version: number, newest: number, needs?: StepNeeds): SchemaState {
  return { version, newest, refused: refusedVersion(version, newest), needs: needs && needsSentence(needs) }
}

/** Tells people of the progress, at once and every few seconds. */
export function stepReport(
  report: (sentence: string) => void,
  { pets, orders }: StepNeeds,
): (progress: StepProgress) => void {
  const rows = pets + orders
  let at = Number.NEGATIVE_INFINITY
  return ({ what, done }) => {
    if (performance.now() < at + REPORT_MS) return
    at = performance.now()
    const written = what === 'events' ? `${done} events` : `the words of ${Math.min(done, rows)} of ${rows} rows`
    report(`step to schema ${FIRST_VERSION}: ${written} written`)
  }
}
