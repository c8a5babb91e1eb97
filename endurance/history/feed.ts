// What the feed as a whole must be: each event follows from those before it, and has its time.

import { leadsFrom, petStatusOf } from '../../packages/service/src/domain/order-transitions.ts'
import type { OrderStatus } from '../../packages/service/src/domain/orders.ts'
import type { PetStatus } from '../../packages/service/src/domain/pets.ts'
import type { Commit } from './commits.ts'
import type { Operation, Seen } from './operations.ts'
import { ROUNDED_MS } from './windows.ts'
import type { World } from './world.ts'

/** What is wrong with the feed by itself. */
export function* feedFaults(world: World): Generator<{ reason: string; commit: Commit }> {
  const { events, commits, versions, circumstances } = world
  const [pets, orders, lastIds] = [new Map<number, Before>(), new Map<number, OrderStatus>(), new Map<string, number>()]
  for (const [n, event] of events.entries()) {
    const { id, type, petId, petStatus, orderId, orderStatus, at } = event
    const commit = commits[n] as Commit
    const { askers } = commit
    const before = events[n - 1]
    if (before && before.id >= id) yield { commit, reason: `it stands behind event ${before.id}` }
    if (before && before.at > at && circumstances.aheadMs === 0)
      yield { commit, reason: `it stands behind ${before.at}` }
    if (type !== 'order.expired' && askers.length === 0)
      yield { commit, reason: 'nobody asked for it, or who did was refused' }
    if (type === 'order.expired' && event.by !== undefined) yield { commit, reason: 'somebody expired it' }
    const idOf = { 'pet.added': petId, 'order.placed': orderId }[type as string]
    if (idOf !== undefined && idOf <= (lastIds.get(type) ?? 0)) yield { commit, reason: 'its id is not the next one' }
    if (idOf !== undefined) lastIds.set(type, idOf)
    const pet = pets.get(petId)
    pets.set(petId, {
      ...pet,
      ...event,
      pet: event.pet ?? pet?.pet,
      isOrdered: pet?.isOrdered || orderId !== undefined,
    })
    if (orderId === undefined) {
      if (!isCorrected(event, pet))
        yield { commit, reason: `it cannot follow ${JSON.stringify(pet?.pet)}, ${pet?.petStatus}` }
    } else {
      const status = orderStatus as OrderStatus
      const before = orders.get(orderId)
      const petBefore = before === undefined ? 'available' : petStatusOf(before)
      if (!follows(type, before, status) || pet?.petStatus !== petBefore || petStatus !== petStatusOf(status))
        yield {
          commit,
          reason: `it cannot follow an order that is ${orders.get(orderId)}, of a pet that is ${pet?.petStatus}`,
        }
      orders.set(orderId, status)
    }
    const time = timeFault(event, versions.order(orderId ?? 0, n), world, askers)
    if (time) yield { commit, reason: time }
  }
}

interface Before {
  readonly petStatus?: PetStatus
  readonly pet?: Seen['pet'] | undefined
  readonly isOrdered: boolean
}

function follows(type: string, before: OrderStatus | undefined, status: OrderStatus): boolean {
  if (type === 'order.changed') return before === 'pending'
  if (status === 'pending') return before === undefined
  return before !== undefined && leadsFrom(before, status)
}

/** A pet that was ordered is not deleted, and its status changes by orders alone. */
function isCorrected({ type, petStatus, pet }: Seen, before: Before | undefined): boolean {
  if (type === 'pet.added') return before === undefined && pet?.status === petStatus
  if (before?.petStatus === undefined) return false
  if (type === 'pet.deleted') return !before.isOrdered && petStatus === undefined && pet === undefined
  if (type !== 'pet.changed' || pet?.status !== petStatus) return false
  if (before.petStatus !== petStatus) return !before.isOrdered && petStatus === 'available'
  return before.pet?.name !== pet?.name || before.pet?.categoryId !== pet?.categoryId
}

/** An event has the time of its request, and an expiry comes after the end; nothing else of a reservation does. */
function timeFault(
  { type, at }: Seen,
  before: ReturnType<World['versions']['order']>,
  { circumstances }: World,
  askers: readonly Operation[],
): string | undefined {
  if (before && at < before.changedAt) return `it is before the change that it follows, at ${before.changedAt}`
  const time = Date.parse(at)
  const isInTime = ({ from, to }: Operation) =>
    time >= from - ROUNDED_MS && time <= to + circumstances.aheadMs + ROUNDED_MS
  // A clock that was set back does not date a change before the one that it follows.
  if (askers.length > 0 && !askers.some(isInTime) && at !== before?.changedAt)
    return 'its time is not that of its request'
  const end = before?.terms.expiresAt
  // Judged by the clock of the server, which may have been set back: then the change has the time of the one that
  // it follows.
  const isJudged = /^order\.(changed|completed|cancelled)$/.test(type) && at !== before?.changedAt
  if (isJudged && end !== undefined && at >= end) return `it is after the end of the reservation at ${end}`
  if (type === 'order.expired' && (end === undefined || at < end)) return `the reservation ends at ${end}`
  return undefined
}
