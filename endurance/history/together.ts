// What no single answer shows: that something was done twice, and that a reservation does not end.

import { type Commit, shownOrders } from './commits.ts'
import { identityOf, longestOf, type Operation } from './operations.ts'
import { EXPIRY_MS } from './windows.ts'
import type { World } from './world.ts'

type Told = [reason: string, operations: Operation[], commits?: Commit[]]

/**
 * Whoever sends an Idempotency-Key gets one answer; no two requests get one pet, order or deletion, and no request
 * two.
 */
export function* doneTwice({ operations, commits }: World): Generator<Told> {
  const [answers, things] = [new Map<string, Operation>(), new Map<string, Operation>()]
  for (const operation of operations) {
    const { ask, status, text, replayed } = operation
    if (status === 201) {
      const identity = identityOf(operation)
      const before = answers.get(identity)
      if (before && before.text !== text) yield ['the same request had another answer', [before, operation]]
      else if (before && !before.replayed && !replayed) yield ['it was done a second time', [before, operation]]
      if (!before || !replayed) answers.set(identity, operation)
    }
    const deleted = ask.kind === 'delete' && status === 204 ? ask.id : undefined
    const thing = status === 201 ? /"id":(\d+)/.exec(text)?.[1] : deleted
    if (thing === undefined) continue
    const owner = things.get(`${ask.kind} ${thing}`)
    if (owner && identityOf(owner) !== identityOf(operation))
      yield ['both were told that it is theirs', [owner, operation]]
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
 * Orders that are shown as pending after the time within which they expire. Where nothing broke, a busy machine is
 * late by what others waited.
 */
export function* overdue({ operations, windows, circumstances }: World): Generator<Told> {
  for (const [operation, { status, expiresAt }] of shownOrders(operations)) {
    if (status !== 'pending' || expiresAt === undefined || operation.replayed) continue
    const end = windows.clock(Date.parse(expiresAt))
    const { startedAt } = operation
    if (startedAt <= end + EXPIRY_MS) continue
    const { lateMs, isSteady } = circumstances
    const late = isSteady ? Math.min(lateMs, 2 * longestOf(operations, end, startedAt)) : lateMs
    if (startedAt > end + EXPIRY_MS + late)
      yield [`its reservation has not ended, and should have at ${expiresAt}`, [operation]]
  }
}
