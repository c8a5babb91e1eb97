// Faults of order, each planted into a copy of the source tree by a few edits. The checker has to find every one of them: that shows
// that it can fail.

import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFile } from '../../test/support/files.ts'
import { root } from '../../test/support/process.ts'
import { CLOCK, DATABASE_CLOCK, type Kind } from './sites.ts'

export interface Planted {
  readonly name: string
  readonly store: Kind
  /** In each file, a text that is there once, and what stands in its place. */
  readonly edits: readonly (readonly [file: string, from: string, to: string])[]
  /** What else breaks, without which it does not show. */
  readonly breaks?: readonly string[]
}

const CACHE = 'src/http/response/answer-cache.ts'
const CONDITIONS = 'src/http/response/conditions.ts'
const VERSION = 'src/store/sqlite/version.ts'
const ORDERS = 'src/store/sqlite/orders.ts'
const CHANGES = 'src/store/sqlite/order-changes.ts'
const PETS = 'src/store/sqlite/pet-changes.ts'
const KEYS = 'src/store/sqlite/idempotency.ts'
const LISTS = 'src/store/shared/lists.ts'
const EVENTS = 'src/store/shared/events.ts'
const FUNCTIONS = 'src/store/postgres/functions'

const sqlite = (name: string, ...[file, from, to]: Planted['edits'][number]): Planted => ({
  name,
  store: 'sqlite',
  edits: [[file, from, to]],
})
const postgres = (name: string, ...edits: Planted['edits']): Planted => ({ name, store: 'postgres', edits })

/** Instead of `name(`: the call 50 ms later, in a transaction of its own; again where another process writes. */
function later(name: string): string {
  return `((...values) => {
      const later = () => { try { ${name}(...values) } catch { setTimeout(later, 5) } }
      setTimeout(later, 50)
    })(`
}

export const PLANTED: readonly Planted[] = [
  sqlite(
    'a list that is one commit old',
    CACHE,
    'return version !== undefined && version === this.version ?',
    'return version !== undefined && this.version !== undefined && version - this.version <= 1 ?',
  ),
  sqlite(
    'an answer cached under the next version',
    CACHE,
    'this.cache(url, answer, version)',
    'this.cache(url, answer, version + 1)',
  ),
  sqlite('commits of the other server unseen', VERSION, 'if (ofOthers !== this.ofOthers) this.changed()', ''),
  sqlite('own commits unseen', VERSION, '{ data: data + 1,', '{ data,'),
  sqlite('a 304 for a changed list', CONDITIONS, 'hash(body + links', 'hash(body.length + links'),
  sqlite('a tag without the links', CONDITIONS, 'hash(body + links', 'hash(body'),
  sqlite('If-Match ignored', CONDITIONS, 'if (ifMatch === undefined && ifNoneMatch === undefined)', 'if (true)'),
  sqlite(
    'the inventory of the commit before',
    'src/store/sqlite/inventory.ts',
    'return () => Object.fromEntries(inventory.values()) as Inventory',
    `let [before, now] = ['', '']
  return () => {
    const read = JSON.stringify(inventory.values().map(([status, pets]) => [status, Number(pets)]))
    if (read !== now) [before, now] = [now || read, read]
    return Object.fromEntries(JSON.parse(before).map(([status, pets]) => [status, BigInt(pets)]))
  }`,
  ),
  sqlite(
    'an order as it was when it was last read',
    ORDERS,
    'getOrder: (id) => read(() => orders.read(id)),',
    `getOrder: (id) => read(() => {
      const seen = (globalThis.seenOrders ??= new Map())
      const order = orders.read(id)
      const before = seen.get(id) ?? order
      seen.set(id, order)
      return before
    }),`,
  ),
  sqlite(
    'an expiry seen before it is committed',
    ORDERS,
    'getOrder: (id) => read(() => orders.read(id)),',
    `getOrder: (id) => read(() => {
      const order = orders.read(id)
      return order?.status === 'pending' && order.expiresAt <= clock() ? { ...order, status: 'expired' } : order
    }),`,
  ),
  sqlite(
    'completed after its end',
    CHANGES,
    "if (order?.status !== 'pending' || !isOverdue(",
    'if (true || !isOverdue(',
  ),
  sqlite('a cancel that is only answered', CHANGES, 'if (isDone(to,', "if (to === 'cancelled' || isDone(to,"),
  sqlite(
    'a rename that no event tells',
    PETS,
    "this.events.add(transaction, { type: 'pet.changed'",
    "void ({ type: 'pet.changed'",
  ),
  sqlite('an event before its commit', PETS, 'this.sql.update.run(', later('this.sql.update.run')),
  sqlite('an event after its commit', 'src/store/sqlite/events.ts', 'this.insert.run(', later('this.insert.run')),
  sqlite('a key that is not kept', KEYS, 'if (key !== undefined) keep.run(', 'if (false) keep.run('),
  sqlite(
    'keys forgotten too soon',
    'src/store/shared/idempotency.ts',
    'export const KEPT_MS = 24 * 3600_000',
    'export const KEPT_MS = 100',
  ),
  sqlite(
    'a replay that shows the pet as it is now',
    KEYS,
    'if (first) return replay(operation, first, text)',
    `if (first) {
        const again = replay(operation, first, text)
        const name = 'SELECT name FROM pets WHERE id = ?'
        if (!('petId' in again.value)) Object.assign(again.value, statements.query(name).get(again.value.id))
        return again
      }`,
  ),
  sqlite(
    'a link where nothing follows',
    LISTS,
    'const [follows, precedes] = back ?',
    'const [follows, precedes] = !back && rows ? [true, beyond] : back ?',
  ),
  sqlite('a cursor one too far', LISTS, '(last ?? after) : before(last))', '((last ?? after) + 1n) : before(last))'),
  sqlite('a place in the feed one too far', EVENTS, 'last = eventId', 'last = eventId + 1n'),
  sqlite(
    'a search that lacks the newest',
    'src/store/search/search.ts',
    'const view = await memory.read()',
    `const view = Date.now() < (globalThis.viewedAt ?? 0) + 100 ? globalThis.viewed : { ...(await memory.read()) }
    if (view !== globalThis.viewed) [globalThis.viewed, globalThis.viewedAt] = [view, Date.now()]`,
  ),
  {
    ...sqlite(
      'keys forgotten by the clock of one server',
      KEYS,
      '\n  return (now) => {\n',
      `
  const old = statements.query('DELETE FROM idempotency_answers WHERE created_at <= ?')
  return (now) => {
    old.run(now - 1800_000)
`,
    ),
    breaks: [CLOCK],
  },
  {
    ...sqlite(
      'a change dated before the one that it follows',
      CHANGES,
      'const at = Math.max(transaction.now, changedAt)',
      'const at = transaction.now',
    ),
    breaks: [CLOCK],
  },
  postgres('an answer shared with whoever asks while it is read', [
    'src/http/response/shared-answers.ts',
    `this.next.delete(name)
    const reading = read()`,
    // Reading takes longer, so that somebody asks meanwhile on any machine.
    `const reading = read().then((answer) => Bun.sleep(20).then(() => answer))
    reading.finally(() => this.next.delete(name)).catch(() => {})`,
  ]),
  postgres('a read from the standby', [
    'src/store/postgres/link.ts',
    'new Pool(sessions(address.connections), READ_QUEUE_MS, noneFree)',
    `new Pool(
      Array.from({ length: address.connections }, () => {
        const standby = address.hosts.find(({ port }) => port !== host.port)
        return new Session(openClient(address, { ...host, ...standby }))
      }), READ_QUEUE_MS, noneFree)`,
  ]),
  {
    ...postgres('a change in PostgreSQL dated before the one that it follows', [
      `${FUNCTIONS}/move-orders.sql`,
      'changed_at = greatest(at, changed_at)',
      'changed_at = at',
    ]),
    breaks: [DATABASE_CLOCK],
  },
  postgres('deletions that the inventory does not follow', [
    `${FUNCTIONS}/count-inventory.sql`,
    'SET pets = pets - n',
    'SET pets = pets',
  ]),
  postgres(
    'commits in no order',
    ...['take-turns', 'order-events', 'change-orders', 'corrections', 'add-pets'].map(
      (file) => [`${FUNCTIONS}/${file}.sql`, 'pg_advisory_xact_lock(', 'pg_advisory_xact_lock_shared('] as const,
    ),
  ),
]

/** A copy of the source tree with the fault; the folder. Throws where a text is not there once. */
export function plant({ edits }: Planted): string {
  const folder = mkdtempSync(temporaryFile('planted-'))
  for (const part of ['bin', 'docs', 'openapi.yaml', 'package.json', 'src', 'tsconfig.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const [file, from, to] of edits) writeFileSync(join(folder, file), edited(file, from, to))
  return folder
}

export function edited(file: string, from: string, to: string): string {
  const [before, after, ...more] = readFileSync(join(root, file), 'utf8').split(from)
  if (after === undefined || more.length > 0) throw new Error(`${file} has not once: ${from}`)
  return `${before}${to}${after}`
}
