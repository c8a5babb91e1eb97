// Whether one order of all operations explains every answer, in real time. The feed of events gives the order of the commits; so each
// operation has to fit between two of them: not before what somebody had seen when it began, and not after a commit that was
// asked for only when it had ended. Taking the earliest version that explains an answer leaves the most to those that follow, so one pass decides.

import type { Seen } from '../event-readers.ts'
import { type Condition, conditionOf } from './explain.ts'
import { type Ask, isUnanswered, type Operation } from './operations.ts'
import { countUpTo, Versions } from './versions.ts'

export interface Fault {
  readonly operation?: Operation
  readonly reason: string
  /** The versions between which it has to fit. */
  readonly between?: readonly [number, number]
}

export interface Verdict {
  readonly checked: number
  readonly versions: Versions
  readonly faults: Fault[]
}

export function check(operations: readonly Operation[], events: readonly Seen[]): Verdict {
  const versions = new Versions(events, operations)
  const faults: Fault[] = []
  const pets = new Map<string, number>()
  for (const [n, { type, pet }] of events.entries()) {
    if (type !== 'pet.added' || !pet) continue
    if (pets.has(pet.name)) faults.push({ reason: `${pet.name} was added twice` })
    pets.set(pet.name, n + 1)
  }
  const upTo = latestVersion(events, operations, faults)
  const answered = operations.filter((one) => !isUnanswered(one))
  const byEnd = answered.toSorted((one, other) => one.endedAt - other.endedAt)
  const found = new Map<Operation, number>()
  let [floor, ended, checked] = [0, 0, 0]
  for (const operation of answered.toSorted((one, other) => one.startedAt - other.startedAt)) {
    for (; (byEnd[ended] as Operation).endedAt < operation.startedAt; ended++)
      floor = Math.max(floor, found.get(byEnd[ended] as Operation) ?? 0)
    const last = Math.max(floor, upTo(operation.endedAt))
    const condition = conditionOf(operation, versions, { pets }, [floor, last])
    checked++
    const version = typeof condition === 'function' ? first(condition, floor, last) : undefined
    if (version !== undefined) found.set(operation, version)
    else if (condition !== undefined)
      faults.push({ operation, reason: reasonOf(condition, floor, last, events.length), between: [floor, last] })
  }
  return { checked, versions, faults: [...faults, ...replays(answered), ...lateMoves(versions)] }
}

function first(condition: (version: number) => boolean, from: number, to: number): number | undefined {
  for (let version = from; version <= to; version++) if (condition(version)) return version
  return undefined
}

function reasonOf(condition: Exclude<Condition, undefined>, floor: number, last: number, end: number): string {
  if (typeof condition === 'string') return condition
  for (let version = floor - 1; version >= 0; version--)
    if (condition(version))
      return `it is stale: it shows version ${version}, and ${floor} had been seen before it began`
  const later = first(condition, last + 1, end)
  if (later === undefined) return `no version explains it; it has to fit between ${floor} and ${last}`
  return `it shows version ${later}, which was asked for after it had ended: at most ${last}`
}

/** The last version that there can have been at a time: what follows was asked for later. */
function latestVersion(events: readonly Seen[], operations: readonly Operation[], faults: Fault[]) {
  const asked = new Map<string, number>()
  for (const { ask, startedAt } of operations)
    for (const name of namesOf(ask)) asked.set(name, Math.min(asked.get(name) ?? startedAt, startedAt))
  let latest = Number.NEGATIVE_INFINITY
  const notBefore = events.map((event) => {
    const name = nameOf(event)
    const at = name === undefined ? latest : asked.get(name)
    if (at === undefined) faults.push({ reason: `event ${event.id} (${name}) tells what nobody asked for` })
    latest = Math.max(latest, at ?? latest)
    return latest
  })
  return (time: number) => countUpTo(notBefore, time)
}

/** What an operation may do. */
function namesOf(ask: Ask): string[] {
  if (ask.kind === 'add') return [`pet.added ${ask.name}`]
  if (ask.kind === 'rename') return [`pet.changed ${ask.id} ${ask.name}`]
  if (ask.kind === 'free') return [`freed ${ask.id}`]
  if (ask.kind === 'place') return [`order.placed ${ask.petId}`]
  const moves: Record<string, string> = {
    delete: 'pet.deleted',
    complete: 'order.completed',
    cancel: 'order.cancelled',
  }
  const move = { ...moves, return: 'order.returned', change: 'order.changed' }[ask.kind as string]
  return move && 'id' in ask ? [`${move} ${ask.id}`] : []
}

/** An expiry is asked for by nobody. A pet is renamed to a name of its own; otherwise it was freed, and nobody can tell from the event alone. */
function nameOf({ type, petId, pet, orderId }: Seen): string | undefined {
  if (type === 'order.expired') return undefined
  if (type === 'pet.added') return `pet.added ${pet?.name}`
  if (type === 'pet.changed')
    return pet?.name.includes('renamed') ? `pet.changed ${petId} ${pet.name}` : `freed ${petId}`
  return `${type} ${type === 'order.placed' || orderId === undefined ? petId : orderId}`
}

/** Whoever sends an Idempotency-Key gets one answer. */
function* replays(operations: readonly Operation[]): Generator<Fault> {
  const answers = new Map<string, Operation>()
  for (const operation of operations) {
    const { ask, status, text, replayed } = operation
    if (status !== 201 || (ask.kind !== 'add' && ask.kind !== 'place')) continue
    const name = ask.kind === 'add' ? ask.name : ask.reference
    const before = answers.get(name)
    if (!before) answers.set(name, operation)
    else if (before.text !== text) yield { operation, reason: `the same request was answered with ${before.text}` }
    else if (!before.replayed && !replayed) yield { operation, reason: 'it was done a second time' }
    else if (!replayed) answers.set(name, operation)
  }
}

/** Nothing but an expiry comes after the end of a reservation, and no change is dated before the one that it follows, whatever a clock says. */
function* lateMoves(versions: Versions): Generator<Fault> {
  for (const [n, { id, type, orderId, at }] of versions.events.entries()) {
    if (orderId === undefined) continue
    const before = versions.order(orderId, n)?.changedAt
    if (before !== undefined && at < before)
      yield { reason: `event ${id} (${type}) is at ${at}, and the one that it follows at ${before}` }
    if (!/^order\.(changed|completed|cancelled)$/.test(type)) continue
    const end = versions.order(orderId, n)?.content?.split(' ')[1] ?? 'undefined'
    if (end !== 'undefined' && at >= end) yield { reason: `event ${id} (${type}) is at ${at}, after its end at ${end}` }
  }
}
