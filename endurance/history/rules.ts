// The rules of the interface for successful responses: each operation's response becomes a condition on the version of the store. Also
// compares responses with their requests.

import {
  type Ask,
  bodyOf,
  isOfPet,
  type ListAsk,
  type Operation,
  type Order,
  type Pet,
  rowsOf,
  type Tagged,
} from './operations.ts'
import { isAsAsked, isSameOrder, isSamePet } from './rows.ts'
import { searchFault } from './searches.ts'
import type { World } from './world.ts'

/** Whether a version explains the response, or the reason why none does. */
export type Condition = ((version: number) => boolean) | string

const NO_ANSWER = 'is not a valid response'

export function succeeded(operation: Operation, world: World, between: readonly [number, number]): Condition {
  const { ask, status } = operation
  const expected = { add: 201, place: 201, delete: 204, cancel: 204 }[ask.kind as string] ?? 200
  if (status !== expected && !(status === 304 && operation.ifNoneMatch)) return `${status} ${NO_ANSWER}`
  const { versions } = world
  switch (ask.kind) {
    case 'list':
      if (ask.search !== undefined)
        return searchFault(operation, { ...ask, search: ask.search }, versions, between) ?? (() => true)
      return listed(operation, ask, world)
    case 'inventory': {
      const shown = bodyOf<object>(operation)
      return (k) => Bun.deepEquals(versions.inventory(k), shown)
    }
    case 'add':
    case 'place':
      return created(operation, ask, world)
    case 'pet': {
      const shown = bodyOf<Pet>(operation)
      return shown.id === ask.id ? (k) => isSamePet(versions.pet(ask.id, k), shown) : `it shows ${shown.id}`
    }
    case 'order': {
      const shown = bodyOf<Order>(operation)
      return shown.id === ask.id ? (k) => versions.isOrder(shown, k) : `it shows ${shown.id}`
    }
    case 'correct':
      return corrected(operation, ask, world)
    case 'events':
      return `200 ${NO_ANSWER}`
    default:
      return moved(operation, ask, world)
  }
}

function listed(operation: Operation, ask: ListAsk, { versions }: World): Condition {
  const shown = rowsOf<Pet | Order>(operation)
  if (shown.length > ask.limit) return `a page of ${ask.limit} has ${shown.length} rows`
  const [prev, next] = [operation.links.includes('rel="prev"'), operation.links.includes('rel="next"')]
  return (k) => {
    const page = versions.page(ask, k)
    if (page.next !== next || page.prev !== prev || page.rows.length !== shown.length) return false
    return page.rows.every((row, n) => {
      const one = shown[n] as Pet | Order
      if (!('terms' in row)) return isSamePet(row, one as Pet)
      return isSameOrder(row, versions.petName(row, k), one as Order)
    })
  }
}

/** The pet or order was created once, as requested, and replays show its first state. */
function created(operation: Operation, ask: Ask & { kind: 'add' | 'place' }, world: World): Condition {
  const shown = bodyOf<Pet & Order>(operation)
  const { kind: _, ...asked } = ask.kind === 'add' ? { status: 'available', ...ask } : { ...ask, status: 'pending' }
  if (!isAsAsked(shown, asked)) return 'it differs from the request'
  if (operation.replayed && operation.idempotencyKey === undefined) return 'it is a replay without an Idempotency-Key'
  const id = ask.kind === 'add' ? 'petId' : 'orderId'
  const commit = operation.replayed
    ? world.keptFor(operation)
    : world.madeBy(operation).find(({ event }) => event[id] === shown.id)
  if (commit?.event[id] !== shown.id)
    return `no event shows that it was ${ask.kind === 'add' ? 'added' : 'placed'} as ${shown.id}`
  const { versions } = world
  const { version } = commit
  if (!(ask.kind === 'add' ? isSamePet(versions.pet(shown.id, version), shown) : versions.isOrder(shown, version)))
    return `it differs from what was ${ask.kind === 'add' ? 'added' : 'placed'}`
  return operation.replayed ? (k) => k >= version : (k) => k === version
}

function corrected(operation: Operation, { id, to }: Ask & { kind: 'correct' }, world: World): Condition {
  const shown = bodyOf<Pet>(operation)
  if (!isAsAsked(shown, { id, ...to })) return 'it differs from the request'
  const isShown = (k: number) => isSamePet(world.versions.pet(id, k), shown)
  return changedUnder(operation, isShown, world)
}

/** Moves and changes of orders, and deletions of pets. */
function moved(operation: Operation, ask: Ask & { id: number }, world: World): Condition {
  const { versions } = world
  const { id, kind } = ask
  if (kind === 'delete') return changedUnder(operation, (k) => versions.pet(id, k) === undefined, world, true)
  if (kind === 'cancel')
    return changedUnder(operation, (k) => /^(cancelled|expired)$/.test(versions.order(id, k)?.status ?? ''), world)
  const shown = bodyOf<Order>(operation)
  const status = { complete: 'completed', return: 'returned' }[kind as string]
  const asked = kind === 'change' ? { id, ...ask.to } : { id, status }
  if (!isAsAsked(shown, asked)) return 'it differs from the request'
  return changedUnder(operation, (k) => versions.isOrder(shown, k), world)
}

/**
 * Either this request made the change, and `If-Match` held before it, or the store already had this state. With `isAlone`, only this request
 * can have made the change.
 */
function changedUnder(operation: Operation, isSo: (k: number) => boolean, world: World, isAlone = false): Condition {
  const { ifMatch } = operation
  const alone = world.madeAlone(operation)
  if (alone.length > 1)
    return `it was done ${alone.length} times: ${alone.map(({ event }) => `event ${event.id}`).join(', ')}`
  const made = (alone.length === 1 ? alone : world.madeBy(operation)).map(({ version }) => version)
  const isMade = (k: number) => made.includes(k) && (!ifMatch || matches(operation, ifMatch, world, k - 1))
  if (isAlone || alone.length === 1) return (k) => isSo(k) && isMade(k)
  return isSo
}

/** Whether one of the tags matched the pet or order. */
export function matches({ ask }: Operation, tagged: readonly Tagged[], { versions }: World, version: number): boolean {
  if (!('id' in ask)) return false
  return tagged.some(({ text }) => {
    const shown = JSON.parse(text) as Pet & Order
    return isOfPet(ask) ? isSamePet(versions.pet(ask.id, version), shown) : versions.isOrder(shown, version)
  })
}
