// Planted faults that edit the service's source: missing rules, missing locks, partial writes.

import { FAILOVER, type Kind } from '../sites.ts'

/** A text that occurs once in a file, and its replacement. */
export type Edit = readonly [file: string, from: string, to: string]

type Faults = Readonly<Record<string, Edit | readonly Edit[]>>

const CACHE = 'packages/service/src/http/response/answer-cache.ts'
const CONDITIONS = 'packages/service/src/http/response/conditions.ts'
const SWEEP = 'packages/service/src/http/expiry.ts'
const ORDERS = 'packages/service/src/domain/decisions/orders.ts'
const PETS = 'packages/service/src/domain/decisions/pets.ts'
const COPY = 'packages/service/src/domain/decisions/working-copy.ts'
const SQLITE = 'packages/service/src/store/sqlite'
const COMMITS = `${SQLITE}/write/commits.ts`
const ROWS = `${SQLITE}/write/row-writer.ts`
const SCHEMA = `${SQLITE}/schema/migrations/0021-schema.sql`
const POSTGRES = 'packages/service/src/store/postgres'

const MOVED = 'copy.pets.set(order.petId, { ...copy.petOf(order), status: TRANSITIONS[to].pet })'
const NOW = 'const now = options.now()'
const CHANGED = 'return { events: this.events, petsChanged'

const RULES: Faults = {
  'a pet is sold whatever its status': [ORDERS, "status !== 'available') return", "status === '') return"],
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

const IN_SQLITE: Faults = {
  // Only SQLite knows its version, so only it caches responses.
  'a cached list that is one commit old': [CACHE, 'version === this.version ?', 'version - this.version <= 1 ?'],
  'an answer cached under the next version': [CACHE, 'cache(url, answer, newest', 'cache(url, answer, newest + 1'],
  'the clock is read before the lock is taken': [
    [COMMITS, NOW, 'const now = before'],
    [COMMITS, 'const { outcomes, transitions } =', 'const before = options.now()\nconst { outcomes, transitions } ='],
  ],
  'a commit that is answered and rolled back': [
    `${SQLITE}/connect/transaction.ts`,
    '      commit.run()\n',
    "if (Math.random() < 0.05) connection.database.run('ROLLBACK')\nelse commit.run()\n",
  ],
  'an id of a pet that is given twice': [COPY, 'lastPetId()) + 1n', 'lastPetId()) + (Math.random() < 0.1 ? 0n : 1n)'],
  'events in a transaction of their own': [ROWS, '  writeEvents(events)\n', '  setTimeout(writeEvents, 5, events)\n'],
  'an order that is changed back has its time before': [
    ROWS,
    '    expectOne(setOrder.run(',
    `    if (status === before.status && reference === (before.reference ?? null) &&
      expiresAt === (before.expiresAt ?? null)) return
    expectOne(setOrder.run(`,
  ],
  'moves that the inventory does not count': [SCHEMA, 'WHEN OLD.status <> NEW.status', 'WHEN OLD.id IS NULL'],
  'deletions that the inventory does not count': [
    SCHEMA,
    'inventory_deleted AFTER DELETE ON pets BEGIN',
    'inventory_deleted AFTER DELETE ON pets WHEN OLD.id IS NULL BEGIN',
  ],
}

const COUNTED = `${POSTGRES}/schema/functions/count-inventory.sql`

const IN_POSTGRES: Faults = {
  'nobody takes the lock that orders the commits': [
    [`${POSTGRES}/write/commits.ts`, '[TAKE_WRITE_LOCK, ', "['1', "],
    [`${POSTGRES}/schema/functions/take-turns.sql`, 'PERFORM :take_write_lock;', ''],
  ],
  'moves that the inventory of PostgreSQL does not count': [COUNTED, 'AND n <> 0', 'AND n IS NULL'],
  'deletions that the inventory of PostgreSQL does not count': [COUNTED, 'pets = pets - n', 'pets = pets'],
}

const IN_FAILOVER: Faults = {
  'events that a failover empties': [
    `${POSTGRES}/schema/migrations/0021-schema.sql`,
    'CREATE TABLE events (',
    'CREATE UNLOGGED TABLE events (',
  ],
}

export const CODE = [
  ...listed(RULES, ['sqlite', 'postgres']),
  ...listed(IN_SQLITE, ['sqlite']),
  ...listed(IN_POSTGRES, ['postgres']),
  ...listed(IN_FAILOVER, ['postgres'], [FAILOVER]),
]

function listed(faults: Faults, stores: readonly Kind[], breaks: readonly string[] = []) {
  const editsOf = (edits: Edit | readonly Edit[]) => (typeof edits[0] === 'string' ? [edits as Edit] : edits) as Edit[]
  return Object.entries(faults).map(([name, edits]) => ({ name, stores, breaks, edits: editsOf(edits) }))
}
