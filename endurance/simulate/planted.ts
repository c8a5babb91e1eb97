// Ordering faults to plant in simulated servers, such as an await between read and write or a forgotten waiter. They prove that the
// simulator can find such faults.

import type { Edit } from './bundle.ts'
import { IN_POSTGRES } from './postgres/planted.ts'

const HTTP = 'packages/service/src/http'
const SQLITE = 'packages/service/src/store/sqlite'
const CACHE = `${HTTP}/response/answer-cache.ts`
const SHARED = `${HTTP}/shared-reads.ts`
const FEED = `${HTTP}/feed.ts`
const KEYS = `${HTTP}/request/authentication.ts`
const GROUP = 'packages/service/src/store/shared/group-commit.ts'
const COMMITS = `${SQLITE}/write/commits.ts`
const FORGET = `${SQLITE}/write/commits.ts`
const WRITER = `${SQLITE}/write/row-writer.ts`
const TRANSACTION = `${SQLITE}/connect/statements.ts`
const VERSION = `${SQLITE}/connect/wal-index.ts`
const SWEEP = `${HTTP}/expiry.ts`
const ORDERS = 'packages/service/src/domain/decisions/decision.ts'
const PIPELINE = `${HTTP}/pipeline.ts`
const RUNNING_KEYS = `${HTTP}/limits.ts`
const REPORTS = `${HTTP}/reports.ts`
const RATE = `${HTTP}/limits.ts`
const WORK = `${HTTP}/limits.ts`
const SERVER = `${HTTP}/server.ts`
const STORE_KEYS = `${SQLITE}/keys.ts`
const PERIODIC = 'packages/cli/src/periodic-backups.ts'
const BACKUP = `${SQLITE}/file/backup.ts`
const FORWARDER = 'packages/cli/src/forward/forwarder.ts'
const CURSOR = 'packages/cli/src/forward/saved-cursor.ts'
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
    'const isOne = error instanceof PetstoreError || calls.length === 1',
    'const isOne = (error instanceof PetstoreError && error.code !== "unavailable") || calls.length === 1',
  ],
  'events of a batch are written in reverse': [WRITER, 'writeEvents(events)', 'writeEvents(events.toReversed())'],
  'a decision sees rows as they were before its batch': [
    COPY,
    'if (entry) return entry.now',
    'if (entry) return entry.before ?? entry.now',
  ],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a piece of source text.
  'two API keys share an idempotency key in a batch': [COPY, '`${by} ${key}`', '`${by < 0n} ${key}`'],
  'reservations that are over are completed': [
    ORDERS,
    "isOverdue(order, copy.now) ? transition(copy, order, 'expired', null) : order",
    'order',
  ],
  'a reservation that is over is extended': [
    ORDERS,
    'const order = unlessOverdue(copy, id)\n      const reference',
    'const stored = copy.orders.get(id)\n      const order = stored && copy.withPetName(stored)\n      const reference',
  ],
  'a reservation that is over is cancelled': [
    ORDERS,
    'const order = unlessOverdue(copy, id)\n      if (!order) return noSuchOrder(id)\n      if (isDone',
    `const stored = copy.orders.get(id)
      const order = to === 'cancelled' && stored ? copy.withPetName(stored) : unlessOverdue(copy, id)
      if (!order) return noSuchOrder(id)
      if (isDone`,
  ],
  'the time of an order goes back with the clock': [ORDERS, 'Math.max(copy.now, order.changedAt)', 'copy.now'],
  'a server looks for commits of others only every 5 ms': [
    [
      PIPELINE,
      '    context.version = this.options.store.version()\n    // Rejects',
      `    if (request.method !== 'GET' || monotonicMs() > this.lookedAt + 5) {
      this.version = this.options.store.version()
      this.lookedAt = monotonicMs()
    }
    context.version = this.version
    // Rejects`,
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
  // What runs after a failure.
  'a rejected request keeps its place': [
    PIPELINE,
    '      return answer\n    } finally {\n      this.admission.leave()\n    }\n',
    '      this.admission.leave()\n      return answer\n    } finally {\n    }\n',
  ],
  'a failed look at the end stops all looks': [
    FEED,
    '    } finally {\n      this.looking = false\n    }\n',
    '    } finally {\n      this.looking = this.end === undefined\n    }\n',
  ],
  'an idempotency key of a failed request stays in flight': [
    RUNNING_KEYS,
    '    } finally {\n      this.running.delete(name)\n    }\n',
    '    } catch (error) {\n      throw error\n    } finally {\n    }\n',
  ],
  'a look-up of a key that failed is kept': [
    KEYS,
    '      return await finding\n    } finally {\n      this.finding.delete(hash)\n    }',
    '      const key = await finding\n      this.finding.delete(hash)\n      return key\n    } finally {\n    }',
  ],
  'a commit with an unknown outcome keeps the version': [
    [TRANSACTION, '      afterCommit()\n', '      afterCommit()\n      version.changed(options)\n'],
    [TRANSACTION, '    } finally {\n      version.changed(options)\n    }', '    } finally {\n    }'],
  ],
  'a failed transaction is not rolled back': [
    TRANSACTION,
    'if (database.inTransaction) database',
    'if (!database) database',
  ],
  'uses of keys and deprecated calls that could not be saved are forgotten': [
    REPORTS,
    'count.saved -= unsaved[n]?.calls ?? 0',
    'count.saved -= 0 * (unsaved[n]?.calls ?? 0)',
  ],
  'calls of a failed batch have no result': [
    GROUP,
    'if (isOne) for (const { reject } of calls) reject(error)\n',
    'if (isOne) for (const { reject } of calls.slice(1)) reject(error)\n',
  ],
  'a failed sweep is the last one': [SWEEP, '      failing = true\n', '      failing = true\n      stopped = true\n'],
  'failures are not in the log': [REPORTS, "    this.log.error({ ...request(), code, err: thrown }, 'failed')\n", ''],
  // What limits something over hours.
  'a bucket grows without a limit': [RATE, 'Math.min(this.rate.requests, ', 'Math.max(0, '],
  'a reader that has left keeps its place': [FEED, '      this.readers.delete(waiting)\n', ''],
  'overloads are not in the log': [REPORTS, "if (this.shed > 0) log.warn({ shed: this.shed }, 'overloaded')", ''],
  'a request that has ended is still counted': [
    WORK,
    '    const last = running.pop() as Work\n',
    '    const last = running.at(-1) as Work\n',
  ],
  'the last use of a key never changes': [REPORTS, 'Math.max(count.lastAt, at)', 'count.lastAt'],
  'an Idempotency-Key expires early': [FORGET, 'latest.at >= keptMs)', 'latest.at >= keptMs / 8)'],
  'an Idempotency-Key expires with the clock': [FORGET, '- keptMs - CLOCK_ERROR_MS_MAX', '- keptMs'],
  // The order of two effects.
  'counts are saved before the last responses': [
    [SERVER, '      pipeline.feed.stop()\n', '      pipeline.feed.stop()\n      await pipeline.close()\n'],
    [SERVER, 'await Promise.all([swept, pipeline.close()])', 'await swept'],
  ],
  'the version of a look is read after its end': [
    [FEED, '      this.version = data\n', ''],
    [FEED, '.findEnd()\n', '.findEnd()\n      this.version = this.store.version().data\n'],
  ],
  'the newest version is noted by the first caller': [
    [CACHE, '    if (version.data !== undefined && version.data > this.newest) this.newest = version.data\n', ''],
    [
      CACHE,
      '      const { newest } = this\n',
      '      if (version.data !== undefined && version.data > this.newest) this.newest = version.data\n      const { newest } = this\n',
    ],
  ],
  'a server is ready while it stops': [
    SERVER,
    "return pipeline.draining ? 'The service is shutting down.' : undefined",
    '',
  ],
  'connections stay open while a server stops': [
    SERVER,
    '      pipeline.draining = true\n',
    '      pipeline.draining = false\n',
  ],
  'requests in flight are cut when a server stops': [
    SERVER,
    '      await atMost(answered, graceMs - DRAIN_MS - ACCEPT_MS)\n',
    '',
  ],
  'the last uses of keys are not saved when a server stops': [
    REPORTS,
    'await this.report(true)',
    'await this.report()',
  ],
  'waiting readers get an error when a server stops': [
    FEED,
    'for (const { end } of this.readers) end(false)\n',
    "for (const { fail } of this.readers) fail(new Error('stopped'))\n",
  ],
  'a timer runs after a stop': [REPORTS, '    stopTimer(this.reporting)\n', ''],
  'sweeps continue after a stop': [SWEEP, '      stopped = true\n      stopTimer(timer)\n', ''],
  // What another server sees later.
  'readers with different sorts share a page': [FEED, 'from, to, sort, after?.epoch', 'from, to, after?.epoch'],
  'an older use of a key replaces a newer one': [
    STORE_KEYS,
    'last_used_at = max(ifnull(last_used_at, 0), ?)',
    'last_used_at = min(ifnull(last_used_at, 9e18), ?)',
  ],
  'deprecated calls of another server are replaced': [
    STORE_KEYS,
    'calls = calls + excluded.calls',
    'calls = excluded.calls',
  ],
  'a look at the end misses commits of other servers': [
    FEED,
    'if (data !== undefined && data === this.version) return',
    'if (this.version !== undefined) return',
  ],
  // Backups and forwarded events.
  'old backups are removed before the new one exists': [
    PERIODIC,
    '      const taken = await this.take(name)\n',
    '      for (const old of this.ours().slice(backupKeep - 1)) rmSync(join(folder, old))\n      const taken = await this.take(name)\n',
  ],
  'old backups stay': [PERIODIC, 'ours().slice(backupKeep)', 'ours().slice(backupKeep + 1)'],
  'unfinished backups stay': [PERIODIC, 'NAME.test(target)', '!target'],
  'a backup gets its name before it is complete': [
    [BACKUP, '    copyTo(partial, store)\n', '    giveName(partial, to)\n    copyTo(partial, store)\n'],
    [BACKUP, '    syncFile(partial)\n    giveName(partial, to)\n', '    syncFile(partial)\n'],
  ],
  'a backup gets its name before it is synced': [
    BACKUP,
    '    syncFile(partial)\n    giveName(partial, to)\n',
    '    giveName(partial, to)\n    syncFile(to)\n',
  ],
  'a backup is not synced after its last change': [BACKUP, '    syncFile(partial)\n', ''],
  'the folder of a backup is not synced': [BACKUP, '      syncFolderOf(to)\n', '      to.at(0)\n'],
  'a position is saved before the receiver has the event': [
    FORWARDER,
    '        if (!(await this.deliver(item, epoch))) return\n        this.saved.keep(encodeEventCursor({ epoch, id: item.id, mark: item.mark }))\n',
    '        this.saved.keep(encodeEventCursor({ epoch, id: item.id, mark: item.mark }))\n        if (!(await this.deliver(item, epoch))) return\n',
  ],
  'a page is saved before its events are forwarded': [
    FORWARDER,
    '      for (const item of items) {\n',
    '      this.saved.keep(next)\n      for (const item of items) {\n',
  ],
  'an event that the receiver rejected is skipped': [FORWARDER, "outcome === 'accepted'", "outcome !== 'removed'"],
  'the position is saved only with each page': [
    FORWARDER,
    '        this.saved.keep(encodeEventCursor({ epoch, id: item.id, mark: item.mark }))\n',
    '',
  ],
  'a position gets its name before it is synced': [CURSOR, '        fsyncSync(descriptor)\n', ''],
  'the folder of the position is not synced': [CURSOR, '      syncFolderOf(this.file)\n', ''],
  'a position is overwritten': [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a piece of source text.
    [CURSOR, 'const whole = `${this.file}.new`', 'const whole = this.file'],
    [CURSOR, '      renameSync(whole, this.file)\n', ''],
  ],
  'each position leaves an open file': [CURSOR, '        closeSync(descriptor)\n', ''],
  'no sweep ends reservations': [SWEEP, 'more = (await orders.expireOrders()).length > 0', 'more = false'],
}

export function editsOf(name: string): readonly Edit[] {
  const planted = PLANTED[name] ?? IN_POSTGRES[name]?.edits ?? []
  return typeof planted[0] === 'string' ? [planted as Edit] : (planted as readonly Edit[])
}
