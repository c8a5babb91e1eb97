// Known faults, planted as edits in a copy of the source tree: missing rules, missing locks, partial writes. They prove that the checker can
// find such faults.

import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFile } from '../../test/support/files.ts'
import { root } from '../../test/support/process.ts'
import { FAILOVER } from './sites.ts'

/** A text that occurs once in a file, and its replacement. */
export type Edit = readonly [file: string, from: string, to: string]

type Faults = Readonly<Record<string, Edit | readonly Edit[]>>

export interface Planted {
  readonly name: string
  readonly edits?: readonly Edit[]
  /** Failures without which the fault does not show. */
  readonly breaks?: readonly string[]
  /** `false` if commits do not wait for the standby. */
  readonly isSynchronous?: false
}

const CONDITIONS = 'packages/service/src/http/response/response.ts'
const SWEEP = 'packages/service/src/http/expiry.ts'
const ORDERS = 'packages/service/src/domain/decisions/decision.ts'
const PETS = 'packages/service/src/domain/decisions/decision.ts'
const COPY = 'packages/service/src/domain/decisions/working-copy.ts'
const POSTGRES = 'packages/service/src/store/postgres'

const MOVED = 'copy.pets.set(order.petId, { ...copy.petOf(order), status: TRANSITIONS[to].pet })'
const CHANGED = 'return { events: this.events, petsChanged'

const RULES: Faults = {
  'a pet is sold whatever its status': [ORDERS, "status !== 'available') return petNotAvailable", "status === '') return petNotAvailable"],
  'the end of a reservation is not looked at': [ORDERS, 'isOverdue(order, copy.now) ?', 'false ?'],
  'nobody ends reservations': [SWEEP, 'more = (await orders.expireOrders()).length > 0', 'more = false'],
  'a cancelled order stays as it was': [
    ORDERS,
    'copy.orders.set(order.id, after)',
    "if (after.status !== 'cancelled') copy.orders.set(order.id, after)",
  ],
  'a return leaves the pet sold': [ORDERS, MOVED, `if (to !== 'returned') ${MOVED}`],
  'keys are kept with nothing': [COPY, 'if (key !== undefined) this.answers', 'if (!this) this.answers'],
  'a pet that was ordered is deleted': [PETS, 'copy.wasOrdered(id) ? petHasOrders(id) : check?.(pet)', 'check?.(pet)'],
  'a pet that an order holds is freed': [PETS, 'if (holder) return petHeld(pet, holder.id)', ''],
  'a corrected pet is not written': [
    COPY,
    CHANGED,
    `${CHANGED}: petsChanged.filter((one) => one.before.status !== one.after.status)`,
  ],
  'the pet does not follow its order': [COPY, CHANGED, `${CHANGED}: []`],
  'If-Match is ignored in the code': [CONDITIONS, 'ifMatch === undefined && ifNoneMatch === undefined', 'true'],
}

const FUNCTIONS = `${POSTGRES}/schema/functions.sql`

const IN_POSTGRES: Faults = {
  'nobody takes the lock that orders the commits': [
    [`${POSTGRES}/write/commits.ts`, '[TAKE_WRITE_LOCK, ', "['1', "],
    [FUNCTIONS, 'BEGIN\n  PERFORM :take_write_lock;\n  RETURN NULL;', 'BEGIN\n  RETURN NULL;'],
  ],
  'moves that the inventory of PostgreSQL does not count': [FUNCTIONS, 'AND n <> 0', 'AND n IS NULL'],
  'deletions that the inventory of PostgreSQL does not count': [FUNCTIONS, 'pets = pets - n', 'pets = pets'],
}

const IN_FAILOVER: Faults = {
  'events that a failover empties': [
    `${POSTGRES}/schema/migrations/0021-schema.sql`,
    'CREATE TABLE events (',
    'CREATE UNLOGGED TABLE events (',
  ],
}

export const PLANTED: readonly Planted[] = [
  { name: 'commits that do not wait for the standby', breaks: [FAILOVER], isSynchronous: false },
  ...listed(RULES),
  ...listed(IN_POSTGRES),
  ...listed(IN_FAILOVER, [FAILOVER]),
]

function listed(faults: Faults, breaks: readonly string[] = []): Planted[] {
  const editsOf = (edits: Edit | readonly Edit[]) => (typeof edits[0] === 'string' ? [edits as Edit] : edits) as Edit[]
  return Object.entries(faults).map(([name, edits]) => ({ name, breaks, edits: editsOf(edits) }))
}

/** Copies the source tree with the edits and returns its folder. Throws if an edit's text does not occur exactly once in its file. */
export function plant(edits: readonly Edit[]): string {
  const folder = mkdtempSync(temporaryFile('planted-'))
  for (const part of ['bin', 'docs', 'openapi.yaml', 'package.json', 'packages', 'tsconfig.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const edit of edits) {
    const path = join(folder, edit[0])
    writeFileSync(path, edited(readFileSync(path, 'utf8'), edit))
  }
  return folder
}

/** Applies the edit to the text of its file. Throws if the edit's text does not occur exactly once. */
export function edited(text: string, [file, from, to]: Edit): string {
  const [before, after, ...more] = text.split(from)
  if (after === undefined || more.length > 0) throw new Error(`${file} must have this exactly once: ${from}`)
  return `${before}${to}${after}`
}
