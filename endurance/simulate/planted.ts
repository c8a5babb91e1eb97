// Ordering faults to plant in simulated servers, such as an await between read and write or a forgotten waiter. They prove that the
// simulator can find such faults.

import type { Edit } from '../history/planted/code.ts'

const HTTP = 'packages/service/src/http'
const SQLITE = 'packages/service/src/store/sqlite'
const CACHE = `${HTTP}/response/answer-cache.ts`
const SHARED = `${HTTP}/response/shared-reads.ts`
const FEED = `${HTTP}/feed.ts`
const KEYS = `${HTTP}/request/authentication.ts`
const GROUP = 'packages/service/src/store/shared/group-commit.ts'
const COMMITS = `${SQLITE}/write/commits.ts`
const WRITER = `${SQLITE}/write/row-writer.ts`
const TRANSACTION = `${SQLITE}/connect/transaction.ts`
const VERSION = `${SQLITE}/connect/data-version.ts`
const SWEEP = `${HTTP}/expiry.ts`
const ORDERS = 'packages/service/src/domain/decisions/orders.ts'
const PIPELINE = `${HTTP}/pipeline.ts`
const COPY = 'packages/service/src/domain/decisions/working-copy.ts'

const TURNS: Edit = [COMMITS, 'import { monotonicMs }', 'import { endOfTurn, monotonicMs }']
const DECIDED = 'const decided = decide(snapshotOf(now, overdueIn(decisions)), decisions)'
const TRANSACT = 'const { outcomes, transitions } = await transact(() => {'

export const PLANTED: Readonly<Record<string, Edit | readonly Edit[]>> = {
  'an await between reading and writing': [
    TURNS,
    [
      COMMITS,
      TRANSACT,
      `const early = options.now()\n${DECIDED.replace('(now,', '(early,')}\ndecided.writes\nawait endOfTurn()\n${TRANSACT}`,
    ],
    [COMMITS, `      ${DECIDED}\n`, ''],
  ],
  'the lock is released between deciding and writing': [
    TURNS,
    [
      COMMITS,
      TRANSACT,
      `const early = options.now()
      const decided = await transact(() => ${DECIDED.replace('const decided = ', '').replace('(now,', '(early,')}, KEEPS_KEYS)
      await endOfTurn()
      ${TRANSACT}`,
    ],
    [COMMITS, `      ${DECIDED}\n`, ''],
  ],
  'the clock is read before the lock is taken': [
    TURNS,
    [COMMITS, TRANSACT, `const before = options.now()\nawait endOfTurn()\nawait endOfTurn()\n${TRANSACT}`],
    [COMMITS, 'const now = options.now()', 'const now = before'],
  ],
  'a cached list that is one commit old': [
    CACHE,
    'return version === this.version ?',
    'return version !== undefined && version - this.version <= 1 ?',
  ],
  'a cached list of any older version': [CACHE, 'return version === this.version ?', 'return version !== undefined ?'],
  'an answer cached under the next version': [
    CACHE,
    'this.cache(url, answer, newest)',
    'this.cache(url, answer, newest + 1)',
  ],
  'the version is noted after the reading': [
    CACHE,
    'this.cache(url, answer, newest)',
    'this.cache(url, answer, this.newest)',
  ],
  'a reading is shared with calls that arrive during it': [
    [SHARED, '    this.next.delete(name)\n', ''],
    [SHARED, '    } finally {\n', '    } finally {\n      this.next.delete(name)\n'],
  ],
  'own commits do not change the version': [TRANSACTION, '      version.changed(options)\n', ''],
  'changes of keys do not change the version of the keys': [
    VERSION,
    'keepsKeys ? keys : keys + 1',
    'keepsKeys ? keys : keys',
  ],
  'commits of other processes are not looked for': [VERSION, 'if (!this.isSeen()) this.refresh()', ''],
  'a wake is lost while the end is looked at': [
    FEED,
    'for (const { end } of woken) end(true)',
    'for (const { end } of woken.slice(1)) end(true)',
  ],
  'the key of a waiting reader is not verified again': [
    [FEED, '      await reader.verify()\n', ''],
    [FEED, 'for (const { reader, fail } of this.readers) reader.verify().catch(fail)', ''],
  ],
  'readers at different places share a page': [FEED, 'after?.epoch, after?.id, after?.mark, type', 'type'],
  'a waiting reader gets the first page, though it is empty': [
    FEED,
    'if (page.count > 0 || page.ended) return page',
    'return page',
  ],
  'a key is cached under another version': [KEYS, 'if (version.keys === this.version) {', 'if (key) {'],
  'a look-up of a key is shared across versions': [
    [KEYS, '      this.finding.delete(hash)\n', ''],
    [KEYS, '    this.finding.clear()\n', ''],
  ],
  'results of a batch go to the wrong callers': [GROUP, 'results[index] as', 'results[batch.length - 1 - index] as'],
  'a commit that failed is acknowledged': [
    TRANSACTION,
    '      commit.run()\n',
    '      try { commit.run() } catch {}\n',
  ],
  'a commit with an unknown outcome is tried again': [
    GROUP,
    'if (error instanceof PetstoreError || batch.length === 1)',
    'if (error instanceof PetstoreError && error.code !== "unavailable")',
  ],
  'events of a batch are written in reverse': [WRITER, 'writeEvents(events)', 'writeEvents(events.toReversed())'],
  'a decision sees rows as they were before its batch': [
    COPY,
    'if (entry) return entry.now',
    'if (entry) return entry.before ?? entry.now',
  ],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a piece of source text.
  'two API keys share an idempotency key in a batch': [COPY, 'return `${by} ${key}`', 'return `${by < 0n} ${key}`'],
  'reservations that are over are completed': [
    ORDERS,
    "isOverdue(order, copy.now) ? move(copy, order, 'expired', null) : order",
    'order',
  ],
  'a reservation that is over is extended': [
    ORDERS,
    'const order = unlessOverdue(copy, id)\n      const reference',
    'const stored = copy.orders.get(id)\n      const order = stored && copy.shown(stored)\n      const reference',
  ],
  'a reservation that is over is cancelled': [
    ORDERS,
    'const order = unlessOverdue(copy, id)\n      if (!order) return noSuchOrder(id)\n      if (isDone',
    `const stored = copy.orders.get(id)
      const order = to === 'cancelled' && stored ? copy.shown(stored) : unlessOverdue(copy, id)
      if (!order) return noSuchOrder(id)
      if (isDone`,
  ],
  'the time of an order goes back with the clock': [ORDERS, 'Math.max(copy.now, order.changedAt)', 'copy.now'],
  'a server looks for commits of others only every 5 ms': [
    [
      PIPELINE,
      '      context.version = store.version()\n      this.admission',
      `      if (request.method !== 'GET' || monotonicMs() > this.lookedAt + 5) {
        this.version = store.version()
        this.lookedAt = monotonicMs()
      }
      context.version = this.version
      this.admission`,
    ],
    [
      PIPELINE,
      '    context.answered = true\n',
      "    context.answered = true\n    if (request.method !== 'GET') this.lookedAt = -10\n",
    ],
    [
      PIPELINE,
      '  /** The message has the service',
      '  private lookedAt = -10\n  private version\n  /** The message has the service',
    ],
  ],
  'no sweep ends reservations': [SWEEP, 'more = (await orders.expireOrders()).length > 0', 'more = false'],
}

export function editsOf(name: string): readonly Edit[] {
  const planted = PLANTED[name] ?? []
  return typeof planted[0] === 'string' ? [planted as Edit] : (planted as readonly Edit[])
}
