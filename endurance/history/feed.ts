// Checks the feed: each event must follow from the events before it, and have a correct time.

import { leadsFrom, petStatusOf } from '../../packages/service/src/domain/order-transitions.ts'
import type { OrderStatus } from '../../packages/service/src/domain/orders.ts'
import type { PetStatus } from '../../packages/service/src/domain/pets.ts'
import type { Commit } from './commits.ts'
import type { Operation, Seen } from './operations.ts'
import { ROUNDED_MS } from './windows.ts'
import type { World } from './world.ts'

/** Yields the faults of the feed. */
export function* feedFaults(world: World): Generator<{ reason: string; commit: Commit }> {
  const { events, commits, versions, circumstances } = world
  const [pets, orders, lastIds] = [new Map<number, Before>(), new Map<number, OrderStatus>(), new Map<string, number>()]
  for (const [n, event] of events.entries()) {
    const { id, type, petId, petStatus, orderId, orderStatus, at } = event
    const commit = commits[n] as Commit
    const { askers } = commit
    const before = events[n - 1]
    if (before && before.id >= id) yield { commit, reason: `it follows event ${before.id}` }
    if (before && before.at > at && circumstances.clockErrorMs === 0)
      yield { commit, reason: `it follows an event at ${before.at}` }
    if (type !== 'order.expired' && askers.length === 0)
      yield { commit, reason: 'no request caused it, or the request was refused' }
    if (type === 'order.expired' && event.by !== undefined)
      yield { commit, reason: 'it has an API key, although the service expires reservations' }
    const idOf = { 'pet.added': petId, 'order.placed': orderId }[type as string]
    if (idOf !== undefined && idOf <= (lastIds.get(type) ?? 0))
      yield { commit, reason: 'its id is not higher than the last one' }
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

/** Whether the change of a pet is valid: a pet that was ordered is never deleted, and only orders change its status. */
function isCorrected({ type, petStatus, pet }: Seen, before: Before | undefined): boolean {
  if (type === 'pet.added') return before === undefined && pet?.status === petStatus
  if (before?.petStatus === undefined) return false
  if (type === 'pet.deleted') return !before.isOrdered && petStatus === undefined && pet === undefined
  if (type !== 'pet.changed' || pet?.status !== petStatus) return false
  if (before.petStatus !== petStatus) return !before.isOrdered && petStatus === 'available'
  return before.pet?.name !== pet?.name || before.pet?.categoryId !== pet?.categoryId
}

/** Checks that the time of an event is within its request, an expiry comes after the reservation's end, and other changes come before it. */
function timeFault(
  { type, at }: Seen,
  before: ReturnType<World['versions']['order']>,
  { circumstances }: World,
  askers: readonly Operation[],
): string | undefined {
  if (before && at < before.changedAt) return `it is before the change that it follows, at ${before.changedAt}`
  const time = Date.parse(at)
  const isInTime = ({ from, to }: Operation) =>
    time >= from - circumstances.clockErrorMs - ROUNDED_MS && time <= to + circumstances.clockErrorMs + ROUNDED_MS
  // After a clock was moved back, a change has the time of the change before it.
  if (askers.length > 0 && !askers.some(isInTime) && at !== before?.changedAt) return 'its time is outside its request'
  const end = before?.terms.expiresAt
  // Skip a change that has the time of the change before it, because the server's clock may have been moved back.
  const isJudged = /^order\.(changed|completed|cancelled)$/.test(type) && at !== before?.changedAt
  if (isJudged && end !== undefined && at >= end) return `it is after the end of the reservation at ${end}`
  if (type === 'order.expired' && (end === undefined || at < end)) return `the reservation ends at ${end}`
  return undefined
}
