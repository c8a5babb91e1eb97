// Which versions of the store explain an answer: the rules of the interface, as one condition on a version for each operation.

import type { Seen } from '../event-readers.ts'
import type { Ask, ListAsk, Operation } from './operations.ts'
import { searchFault } from './searches.ts'
import { type AnsweredOrder, contentOf, orderRow, type Pet, petRow, type Versions } from './versions.ts'

/** Whether the version explains the answer. `undefined`: every one does. A text: none can, and why. */
export type Condition = ((version: number) => boolean) | undefined | string

/** What came of unique names: the event that added each pet, by its version. */
export interface Added {
  readonly pets: ReadonlyMap<string, number>
}

/** `between`: the versions between which it has to fit. */
export function conditionOf(
  operation: Operation,
  versions: Versions,
  added: Added,
  between: readonly [number, number],
): Condition {
  const { ask, status, text } = operation
  if (status < 400 && ask.kind === 'list' && ask.search !== undefined)
    return searchFault(operation, { ...ask, search: ask.search }, versions, between)
  if (status === 200 || status === 201 || status === 304) return acknowledged(operation, versions, added)
  if (status === 204) {
    if (ask.kind === 'delete') return (k) => versions.pet(ask.id, k) === undefined
    if (ask.kind === 'cancel') return (k) => /^(cancelled|expired)$/.test(versions.order(ask.id, k)?.status ?? '')
  }
  const { code, message } = JSON.parse(text) as { code: string; message: string }
  return refused(ask, code, message, versions) ?? `${status} ${code} is no answer to this`
}

function acknowledged(operation: Operation, versions: Versions, added: Added): Condition {
  const { ask, text, replayed } = operation
  switch (ask.kind) {
    case 'list':
      return listed(operation, ask, versions)
    case 'inventory':
      return (k) => versions.inventory(k) === text
    case 'events':
      return told(ask, JSON.parse(text) as Seen[], versions)
    case 'add': {
      const version = added.pets.get(ask.name)
      if (version === undefined) return 'the pet that was added is in no event'
      const first = versions.pet((JSON.parse(text) as Pet).id, version)
      if (!first || petRow(first) !== petRow(JSON.parse(text))) return 'the pet was not added as it was answered'
      return replayed ? (k) => k >= version : (k) => k === version
    }
    case 'pet':
    case 'rename':
    case 'free':
      return petIs(ask, JSON.parse(text) as Pet, versions)
    case 'place': {
      const { id, placedAt } = JSON.parse(text) as AnsweredOrder
      if (replayed) return (k) => versions.order(id, k)?.placedAt === placedAt
      return orderIs(JSON.parse(text) as AnsweredOrder, versions)
    }
    case 'change':
      return orderIs(JSON.parse(text) as AnsweredOrder, versions, ask.ifMatch)
    case 'order':
    case 'complete':
    case 'return':
      return orderIs(JSON.parse(text) as AnsweredOrder, versions)
    default:
      return 'this is no answer to it'
  }
}

/** With `ifMatch`, the version before was the one whose tag was sent. */
function petIs(ask: Ask, answer: Pet, versions: Versions): Condition {
  const row = petRow(answer)
  const isNow = (k: number) => rowOf(versions.pet(answer.id, k)) === row
  const expected = ask.kind === 'rename' ? ask.ifMatch : undefined
  if (expected === undefined) return isNow
  return (k) => isNow(k) && k > 0 && rowOf(versions.pet(answer.id, k - 1)) === expected
}

const rowOf = (pet: Pet | undefined) => (pet ? petRow(pet) : undefined)

/** With `ifMatch`, the version before was the one whose tag was sent. */
function orderIs(answer: AnsweredOrder, versions: Versions, ifMatch?: AnsweredOrder): Condition {
  if (!ifMatch) return (k) => isOrder(answer, versions, k)
  return (k) => isOrder(answer, versions, k) && k > 0 && isOrder(ifMatch, versions, k - 1)
}

/** `unknown`: what is said where nobody knows the order's reference and end. */
function isOrder(answer: AnsweredOrder, versions: Versions, version: number, unknown = true): boolean {
  const order = versions.order(answer.id, version)
  if (!order) return false
  if (orderRow(order, versions.pet(order.petId, version)?.name ?? '') !== orderRow(answer, answer.petName)) return false
  return order.content === undefined ? unknown : order.content === contentOf(answer)
}

function listed({ text, links }: Operation, ask: ListAsk, versions: Versions): Condition {
  const answer = JSON.parse(text) as (Pet | AnsweredOrder)[]
  if (answer.length > ask.limit) return `a page of ${ask.limit} has ${answer.length} rows`
  const rows = answer.map((one) => ('petName' in one ? orderRow(one, one.petName) : petRow(one as Pet))).join('\n')
  const [prev, next] = [links.includes('rel="prev"'), links.includes('rel="next"')]
  const isContent = (k: number) =>
    answer.every((one) => {
      if (!('petName' in one)) return true
      const { content } = versions.order(one.id, k) ?? {}
      return content === undefined || content === contentOf(one)
    })
  return (k) => {
    const page = versions.page(ask, k)
    return page.next === next && page.prev === prev && page.rows.join('\n') === rows && isContent(k)
  }
}

/** The next events behind the reader's place; fewer than the limit only where no more were there. */
function told(ask: Ask & { kind: 'events' }, answer: readonly Seen[], { events }: Versions): Condition {
  const wanted: number[] = []
  for (const [n, { id, petId }] of events.entries()) {
    if (id > ask.after && (ask.petId ?? petId) === petId) wanted.push(n)
    if (wanted.length > answer.length) break
  }
  for (const [n, event] of answer.entries()) {
    const should = events[wanted[n] ?? -1]
    if (!should || JSON.stringify(should) !== JSON.stringify(event))
      return `event ${event.id} stands where ${should ? `event ${should.id}` : 'none'} should be`
  }
  const seen = answer.length === 0 ? 0 : (wanted[answer.length - 1] as number) + 1
  const nextOne = wanted[answer.length]
  const isFull = answer.length >= ask.limit
  return (k) => k >= seen && (isFull || nextOne === undefined || k <= nextOne)
}

const ENDED = /^(cancelled|expired|returned)$/

/** Why each operation may be refused, as a condition. `undefined`: it may not be, with this code. */
function refused(ask: Ask, code: string, message: string, versions: Versions): Condition {
  const any = () => true
  if (code === 'idempotency_in_flight' && (ask.kind === 'add' || ask.kind === 'place')) return any
  if (ask.kind === 'place') {
    if (code === 'pet_not_found') return (k) => versions.pet(ask.petId, k) === undefined
    if (code === 'invalid_order' && ask.expiresAt) return any
    const holder = /order (\d+)/.exec(message)?.[1]
    if (code === 'pet_not_available')
      return (k) => {
        const status = versions.pet(ask.petId, k)?.status
        if (status === undefined || status === 'available') return false
        return holder === undefined || versions.lastOrder(ask.petId, k)?.id === Number(holder)
      }
  }
  if (!('id' in ask)) return undefined
  const { id, kind } = ask
  const order = (k: number) => versions.order(id, k)?.status
  const pet = (k: number) => versions.pet(id, k)
  if (code === 'not_found')
    return (k) => (/^(pet|rename|free|delete)$/.test(kind) ? pet(k) : versions.order(id, k)) === undefined
  if (code === 'order_not_completed' && kind === 'return')
    return (k) => /^(pending|cancelled|expired)$/.test(order(k) ?? '')
  if (code === 'order_not_pending') {
    // A reservation that has ended is refused before it is expired.
    if (kind === 'complete') return (k) => ENDED.test(order(k) ?? '') || hasEnd(versions, id, k)
    if (kind === 'cancel') return (k) => /^(completed|returned)$/.test(order(k) ?? '')
    if (kind === 'change') return (k) => (order(k) ?? 'pending') !== 'pending' || hasEnd(versions, id, k)
  }
  if (code === 'pet_has_orders' && kind === 'delete') return (k) => versions.lastOrder(id, k) !== undefined
  if (code === 'pet_held' && kind === 'free') return (k) => /^(pending|sold)$/.test(pet(k)?.status ?? '')
  if (code !== 'precondition_failed' || !('ifMatch' in ask) || !ask.ifMatch) return undefined
  const { ifMatch } = ask
  if (typeof ifMatch === 'string') return (k) => rowOf(pet(k)) !== ifMatch
  // The state is judged first.
  const from = kind === 'return' ? 'completed' : 'pending'
  return (k) => order(k) === from && !isOrder(ifMatch, versions, k, false)
}

function hasEnd(versions: Versions, id: number, version: number): boolean {
  const order = versions.order(id, version)
  return order?.status === 'pending' && !order.content?.endsWith(' undefined')
}
