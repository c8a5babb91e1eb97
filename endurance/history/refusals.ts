// The versions of the store that justify a rejection.

import { type Ask, bodyOf, isOfPet, mayHaveDone, type Operation } from './operations.ts'
import { isAsAsked } from './rows.ts'
import { type Condition, matches } from './rules.ts'
import { ROUNDED_MS } from './windows.ts'
import type { World } from './world.ts'

/** A revoked key stops working within this time. */
const REVOKED_MS = 1_000

export function refused(operation: Operation, world: World): Condition {
  const { code, message, status } = bodyOf<{ code: string; message: string; status: number }>(operation)
  const isRead = operation.method === 'GET' || operation.method === 'HEAD'
  if (status !== operation.status && operation.method !== 'HEAD') return `its body says ${status}`
  if (code === 'idempotency_in_flight')
    return world.others(operation).some((one) => areTogether(one, operation))
      ? always
      : 'nothing with its key was in flight'
  if (code === 'idempotency_mismatch') return mismatched(operation, world)
  const condition =
    isRead || code !== 'precondition_failed' ? byState(operation, code, message, world) : unmatched(operation, world)
  const kept = world.keptFor(operation)
  if (!kept || typeof condition === 'string') return condition
  // Replays take precedence over rejections.
  return (k) => k < kept.version && condition(k)
}

const always = () => true

/** Returns a reason if a 401 or 403 is wrong or missing. */
export function keyFault(
  { ask, key, startedAt, endedAt, method, status }: Operation,
  world: World,
): string | undefined {
  const { keys, lateMs } = world.circumstances
  const { readOnly, wrong, revoked } = keys
  const [from, to] = revoked[key] ?? [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  // A waiting reader is rejected within that time, too.
  const usedAt = ask.kind === 'events' && ask.wait ? Math.max(startedAt, endedAt - lateMs) : startedAt
  const mustFail = wrong.includes(key) || usedAt > to + REVOKED_MS
  if (mustFail && status !== 401) return `its key ${wrong.includes(key) ? 'is unknown' : 'was revoked'}`
  if (status === 401 && !mustFail && endedAt < from) return 'its key was valid'
  const mayWrite = method === 'GET' || method === 'HEAD' || !readOnly.includes(key)
  if (!mayWrite && status !== 403 && status !== 401) return 'its key is read-only'
  return status === 403 && mayWrite ? 'its key allows it' : undefined
}

function areTogether(one: Operation, other: Operation): boolean {
  return one.startedAt <= other.endedAt && other.startedAt <= one.endedAt
}

/** A mismatch requires a different request with the same Idempotency-Key. */
function mismatched(operation: Operation, world: World): Condition {
  const others = world.others(operation).filter((one) => one.body !== operation.body && mayHaveDone(one))
  const versions = others.flatMap((one) => world.madeBy(one).map(({ version }) => version))
  if (versions.length === 0) return 'no other request used its Idempotency-Key'
  return (k) => versions.some((version) => version <= k)
}

function unmatched(operation: Operation, world: World): Condition {
  const { ask, ifMatch } = operation
  if (!ifMatch || !('id' in ask)) return 'it has no If-Match'
  const { versions } = world
  return (k) => {
    if (matches(operation, ifMatch, world, k)) return false
    const [pet, order] = [versions.pet(ask.id, k), versions.order(ask.id, k)]
    if (isSo(ask, world, k)) return false
    if (isOfPet(ask)) return pet !== undefined
    return order?.status === (ask.kind === 'return' ? 'completed' : 'pending')
  }
}

/** A correction without a change succeeds, whatever `If-Match` says. */
function isSo(ask: Ask, { versions }: World, version: number): boolean {
  if (ask.kind === 'correct') return isAsAsked(versions.pet(ask.id, version) ?? {}, ask.to)
  if (ask.kind !== 'change') return false
  const order = versions.order(ask.id, version)
  return order !== undefined && isAsAsked(order.terms, ask.to)
}

function byState({ ask, to }: Operation, code: string, message: string, world: World): Condition {
  const { versions } = world
  const latest = new Date(to + world.circumstances.clockErrorMs + ROUNDED_MS).toISOString()
  const isNone = `${code} is not a valid response`
  if (code === 'invalid_order') {
    const end = ask.kind === 'place' ? ask.expiresAt : ask.kind === 'change' ? ask.to.expiresAt : undefined
    return end && end <= latest ? always : 'the request is valid'
  }
  if (ask.kind === 'place') {
    if (code === 'pet_not_found') return (k) => versions.pet(ask.petId, k) === undefined
    return code === 'pet_not_available' ? (k) => isHeld(ask.petId, message, world, k) : isNone
  }
  if (!('id' in ask)) return isNone
  const { id, kind } = ask
  const pet = (k: number) => versions.pet(id, k)
  const order = (k: number) => versions.order(id, k)
  const hasEnded = (k: number) => {
    const end = order(k)?.terms.expiresAt
    return end !== undefined && end <= latest
  }
  if (code === 'not_found') return (k) => (isOfPet(ask) ? pet(k) : order(k)) === undefined
  if (code === 'order_not_completed' && kind === 'return')
    return (k) => /^(pending|cancelled|expired)$/.test(order(k)?.status ?? '')
  if (code === 'order_not_pending' && NOT_PENDING[kind])
    return (k) => {
      const status = order(k)?.status
      if (status === 'pending') return kind !== 'cancel' && hasEnded(k) && !isSo(ask, world, k)
      return NOT_PENDING[kind]?.test(status ?? '') === true && !isSo(ask, world, k)
    }
  if (code === 'pet_has_orders' && kind === 'delete') return (k) => versions.lastOrder(id, k) !== undefined
  if (code === 'pet_held' && kind === 'correct')
    return (k) =>
      pet(k)?.status !== ask.to.status && versions.holder(id, k) !== undefined && isHeld(id, message, world, k)
  if (code === 'invalid_pet' && kind === 'correct')
    return (k) => !/^(undefined|available)$/.test(`${ask.to.status}`) && pet(k)?.status !== ask.to.status
  return isNone
}

/** The statuses in which an order cannot make the requested move and has not made it already. */
const NOT_PENDING: Partial<Record<Ask['kind'], RegExp>> = {
  complete: /^(cancelled|expired|returned)$/,
  cancel: /^(completed|returned)$/,
  change: /^(completed|cancelled|expired|returned)$/,
}

/** Checks the message: the pet, its status, and the order that holds it, with its end, if there is one. */
function isHeld(petId: number, message: string, { versions }: World, version: number): boolean {
  const pet = versions.pet(petId, version)
  if (!pet || pet.status === 'available' || !message.startsWith(`Pet ${petId} is ${pet.status}`)) return false
  const holder = versions.holder(petId, version)
  if (/order (\d+)/.exec(message)?.[1] !== holder?.id.toString()) return false
  const until = / until (\S+)\.$/.exec(message)?.[1]
  return until === undefined || holder?.terms.expiresAt === until
}
