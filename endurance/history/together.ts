// Finds faults that no single response shows: changes that took effect twice, and reservations that do not expire.

import { type Commit, shownOrders } from './commits.ts'
import { identityOf, longestOf, type Operation } from './operations.ts'
import { EXPIRY_MS } from './windows.ts'
import type { World } from './world.ts'

type Contradiction = [reason: string, operations: Operation[], commits?: Commit[]]

/**
 * Every use of an Idempotency-Key gets the same response. No two requests create or delete the same pet or order, and no request takes
 * effect twice.
 */
export function* doneTwice({ operations, commits }: World): Generator<Contradiction> {
  const [answers, things] = [new Map<string, Operation>(), new Map<string, Operation>()]
  for (const operation of operations) {
    const { ask, status, text, replayed } = operation
    if (status === 201) {
      const identity = identityOf(operation)
      const before = answers.get(identity)
      if (before && before.text !== text) yield ['the same request had a different response', [before, operation]]
      else if (before && !before.replayed && !replayed) yield ['it was done a second time', [before, operation]]
      if (!before || !replayed) answers.set(identity, operation)
    }
    const deleted = ask.kind === 'delete' && status === 204 ? ask.id : undefined
    const thing = status === 201 ? /"id":(\d+)/.exec(text)?.[1] : deleted
    if (thing === undefined) continue
    const owner = things.get(`${ask.kind} ${thing}`)
    if (owner && identityOf(owner) !== identityOf(operation))
      yield ['two requests created or deleted the same one', [owner, operation]]
    things.set(`${ask.kind} ${thing}`, owner ?? operation)
  }
  const made = new Map<string, Commit>()
  for (const commit of commits) {
    const [asker] = commit.askers
    const isNew = /^(pet\.added|order\.placed)$/.test(commit.event.type)
    if (!isNew || !asker || commit.askers.some(({ body }) => body !== asker.body)) continue
    const before = made.get(`${asker.key} ${asker.body}`)
    if (before) yield ['it was done twice', [asker], [before, commit]]
    made.set(`${asker.key} ${asker.body}`, commit)
  }
}

/**
 * Yields responses with a pending order that should have expired. Without failures, the allowance for a busy machine is the longest duration
 * of other requests.
 */
export function* overdue({ operations, windows, circumstances }: World): Generator<Contradiction> {
  for (const [operation, { status, expiresAt }] of shownOrders(operations)) {
    if (status !== 'pending' || expiresAt === undefined || operation.replayed) continue
    const end = windows.clock(Date.parse(expiresAt))
    const { startedAt } = operation
    if (startedAt <= end + EXPIRY_MS) continue
    const { lateMs, isSteady } = circumstances
    const late = isSteady ? Math.min(lateMs, 2 * longestOf(operations, end, startedAt)) : lateMs
    if (startedAt > end + EXPIRY_MS + late) yield [`its reservation should have expired at ${expiresAt}`, [operation]]
  }
}
