// The audit of a feed of events: what it says, held against the tables of the store.

import { leadsFrom, petStatusOf } from '../src/domain/order-transitions.ts'
import type { OrderStatus } from '../src/domain/orders.ts'
import type { PetStatus } from '../src/domain/pets.ts'
import type { Seen } from './event-readers.ts'
import type { Tables } from './order-audit.ts'

/** Broken promises, each in a sentence. `events`: all of them. No client may be active. */
export function auditFeed(events: readonly Seen[], tables: Tables): string[] {
  return [...auditIds(events), ...auditContents(events, tables), ...auditOrder(events), ...auditFold(events, tables)]
}

function* auditIds(events: readonly Seen[]): Generator<string> {
  for (const [n, event] of events.entries()) {
    const before = events[n - 1]
    if (before && before.id >= event.id) yield `event ${event.id} comes after ${before.id}`
  }
  for (const [type, idOf] of [
    ['pet.added', ({ petId }: Seen) => petId],
    ['order.placed', ({ orderId }: Seen) => orderId ?? 0],
  ] as const) {
    const ids = events.filter((event) => event.type === type).map(idOf)
    if (ids.some((id, n) => n > 0 && id <= (ids[n - 1] as number))) yield `${type} is not in the order of the ids`
  }
}

/** Every pet, also one that is deleted, and every transition has one event, and no other is there: corrections aside (correction-audit.ts). */
function* auditContents(events: readonly Seen[], { pets, transitions }: Tables): Generator<string> {
  const told = Map.groupBy(events, ({ type, petId, orderId }) => `${type} ${orderId ?? petId}`)
  const deleted = events.filter(({ type }) => type === 'pet.deleted').map(({ petId }) => petId)
  const expected = new Map<string, number | undefined>()
  for (const id of deleted) expected.set(`pet.deleted ${id}`, undefined)
  for (const id of [...deleted, ...pets.map((pet) => pet.id)]) expected.set(`pet.added ${id}`, undefined)
  for (const { orderId, status, at } of transitions) {
    expected.set(`order.${status === 'pending' ? 'placed' : status} ${orderId}`, at)
  }
  for (const [name, at] of expected) {
    const found = told.get(name) ?? []
    if (found.length !== 1) yield `${name} is told ${found.length} times`
    else if (at !== undefined && Date.parse(found[0]?.at ?? '') !== at) yield `${name} is told with another time`
  }
  for (const name of told.keys())
    if (!expected.has(name) && !/\.changed /.test(name)) yield `${name} is told, and did not happen`
}

interface Before {
  readonly petStatus?: PetStatus
  readonly pet: Seen['pet'] | undefined
}

/** Each event follows from what its pet and its order were before. */
function* auditOrder(events: readonly Seen[]): Generator<string> {
  const pets = new Map<number, Before>()
  const orders = new Map<number, OrderStatus>()
  const ordered = new Set<number>()
  for (const event of events) {
    const { id, type, petId, petStatus, orderId, orderStatus } = event
    const [before, order] = [pets.get(petId), orders.get(orderId ?? 0)]
    pets.set(petId, { pet: before?.pet, ...event })
    if (orderId === undefined) {
      if (!isCorrected(event, before, ordered.has(petId)))
        yield `event ${id} (${type}) makes ${JSON.stringify(event)} of ${JSON.stringify(before)}`
      continue
    }
    const status = orderStatus as OrderStatus
    ordered.add(petId)
    orders.set(orderId, status)
    const pet = order === undefined ? 'available' : petStatusOf(order)
    if (!follows(type, order, status) || before?.petStatus !== pet)
      yield `event ${id} (${type}) finds order ${order} and pet ${before?.petStatus}`
    if (petStatus !== petStatusOf(status)) yield `event ${id} (${type}) leaves pet ${petId} ${petStatus}`
  }
}

function follows(type: string, before: OrderStatus | undefined, status: OrderStatus): boolean {
  if (type === 'order.changed') return before === 'pending'
  if (status === 'pending') return before === undefined
  return before !== undefined && leadsFrom(before, status)
}

/** A pet that was ordered is not deleted, and its status changes by orders alone. */
function isCorrected({ type, petStatus, pet }: Seen, before: Before | undefined, isOrdered: boolean): boolean {
  if (type === 'pet.added') return before === undefined && pet?.status === petStatus
  if (before?.petStatus === undefined) return false
  if (type === 'pet.deleted') return !isOrdered && petStatus === undefined && pet === undefined
  const isFreed = before.petStatus !== petStatus
  if (isFreed ? isOrdered || petStatus !== 'available' : before.pet?.name === pet?.name) return false
  return type === 'pet.changed' && pet?.status === petStatus
}

/** The last event of each pet and order is what the tables say. */
function* auditFold(events: readonly Seen[], { pets, orders, inventory }: Tables): Generator<string> {
  const lastOfPet = new Map(events.map((event) => [event.petId, event]))
  const names = new Map(events.flatMap(({ petId, pet }) => (pet ? [[petId, pet.name] as const] : [])))
  for (const { id, name, status } of pets) {
    const told = lastOfPet.get(id)?.petStatus
    if (told !== status) yield `pet ${id} is ${status}, and told as ${told}`
    if (names.get(id) !== name) yield `pet ${id} is called ${name}, and told as ${names.get(id)}`
  }
  const lastOfOrder = new Map(events.filter(({ orderId }) => orderId).map((event) => [event.orderId, event]))
  for (const { id, status, changedAt } of orders) {
    const told = lastOfOrder.get(id)
    if (told?.orderStatus !== status) yield `order ${id} is ${status}, and told as ${told?.orderStatus}`
    else if (Date.parse(told.at) !== changedAt) yield `order ${id} was changed at another time than is told`
  }
  for (const { status, pets: count } of inventory) {
    const told = [...lastOfPet.values()].filter(({ petStatus }) => petStatus === status).length
    if (told !== count) yield `${count} pets are ${status}, and ${told} are told`
  }
}
