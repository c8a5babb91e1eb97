// What is recorded of each call: what was asked, when it began and ended, and what was answered.

import type { Order as ContractOrder, Pet as ContractPet, Event } from '../../packages/contract/src/generated.ts'

/** As JSON.parse gives it. */
type Parsed<Of> = { [Field in keyof Of]: Of[Field] extends bigint | undefined ? number : Of[Field] }
export type Pet = Parsed<ContractPet>
export type Order = Parsed<ContractOrder>
export type Seen = Parsed<Omit<Event, 'pet'>> & { pet?: Pet }

export interface ListAsk {
  readonly kind: 'list'
  readonly list: 'pets' | 'orders'
  readonly status?: string
  readonly categoryId?: number
  readonly petId?: number
  readonly search?: string
  readonly newest: boolean
  /**
   * The id that the page begins behind, in the order in which it is read; of a page that was reached by `prev` that
   * is backwards.
   */
  readonly after?: number
  readonly back: boolean
  readonly limit: number
}

export interface EventsAsk {
  readonly kind: 'events'
  /** The number of the operation whose link is followed; without it the place is `from`, or the beginning. */
  readonly behind?: number
  readonly from?: string
  readonly to?: string
  readonly petId?: number
  readonly orderId?: number
  /** Any of these. */
  readonly type?: readonly string[]
  readonly newest?: boolean
  readonly limit: number
  /** Seconds. */
  readonly wait?: number
}

/** `undefined`: the field is not sent. */
export type PetChange = { readonly name?: string; readonly categoryId?: number; readonly status?: string }
export type OrderChange = { readonly reference?: string | null; readonly expiresAt?: string | null }

export type Ask =
  | ListAsk
  | EventsAsk
  | { readonly kind: 'inventory' }
  | { readonly kind: 'pet' | 'order' | 'delete' | 'complete' | 'cancel' | 'return'; readonly id: number }
  | { readonly kind: 'add'; readonly name: string; readonly categoryId: number; readonly status?: string }
  | { readonly kind: 'correct'; readonly id: number; readonly to: PetChange }
  | { readonly kind: 'place'; readonly petId: number; readonly reference: string; readonly expiresAt?: string }
  | { readonly kind: 'change'; readonly id: number; readonly to: OrderChange }

/** An answer whose tag is sent. */
export type Tagged = Readonly<Record<'tag' | 'text' | 'links', string>>

export function isOfPet({ kind }: Ask): boolean {
  return /^(pet|correct|delete)$/.test(kind)
}

/** The pet or order that a request names. */
export function thingOf(ask: Ask): string | undefined {
  return 'id' in ask ? `${isOfPet(ask) ? 'pet' : 'order'} ${ask.id}` : undefined
}

/** As a header has them. */
export function tagsOf(tagged: readonly Tagged[]): string {
  return tagged.map(({ tag }) => tag).join(', ')
}

export interface Asked {
  readonly ask: Ask
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE'
  /** Behind the base address. */
  readonly path: string
  readonly body?: string
  /** The name of the API key, where it matters which. */
  readonly key?: string
  readonly idempotencyKey?: string
  /** Any of these. */
  readonly ifMatch?: readonly Tagged[]
  readonly ifNoneMatch?: readonly Tagged[]
}

export interface Answer {
  /** 0 without an answer. */
  readonly status: number
  /** The body; of a 304 that of the answer whose tag was sent, and its links. */
  readonly text: string
  readonly links: string
  readonly tag: string | undefined
  readonly replayed: boolean
}

export interface Operation extends Omit<Asked, 'key'>, Answer {
  readonly n: number
  readonly client: number
  readonly server: number
  /** The name of the API key. */
  readonly key: string
  /** Milliseconds on one clock. Without an answer it never ends: what it asks may happen later. */
  readonly startedAt: number
  readonly endedAt: number
  /** The same by the wall clock, in milliseconds since 1970. */
  readonly from: number
  readonly to: number
}

/** Whether it tells nothing but that it was asked. */
export function isUnanswered({ status }: Pick<Answer, 'status'>): boolean {
  return status === 0 || status === 503
}

/**
 * How long an answer took at most that was under way between two times, but for those that wait: as late an expiry
 * may come on a busy machine.
 */
export function longestOf(operations: readonly Operation[], from = Number.NEGATIVE_INFINITY, to = Infinity): number {
  return operations.reduce((longest, one) => {
    const isWaiting = one.ask.kind === 'events' && one.ask.wait
    if (isWaiting || isUnanswered(one) || one.endedAt < from || one.startedAt > to) return longest
    return Math.max(longest, one.endedAt - one.startedAt)
  }, 0)
}

/** Whether it may have changed the store: a replay has not, and a refusal must not. */
export function mayHaveDone({ method, status, replayed }: Operation): boolean {
  return method !== 'GET' && method !== 'HEAD' && (isUnanswered({ status }) || (status < 300 && !replayed))
}

/** Those that are done at most once together: the same Idempotency-Key of the same API key, or it is alone. */
export function identityOf({ n, key, idempotencyKey }: Operation): string {
  return idempotencyKey === undefined ? `${n}` : `${key} ${idempotencyKey}`
}

const parsed = new WeakMap<Operation, unknown>()

/** The body as an object. Text that is no JSON is as if it were empty, which no rule allows. */
export function bodyOf<Of>(operation: Operation): Of {
  const kept = parsed.get(operation)
  if (kept !== undefined) return kept as Of
  const body: unknown = parse(operation.text)
  // Lists are large, and looked at once.
  if (!Array.isArray(body)) parsed.set(operation, body)
  return body as Of
}

/** The rows of a list. */
export function rowsOf<Of>(operation: Operation): readonly Of[] {
  const body = bodyOf<unknown>(operation)
  return Array.isArray(body) ? body : []
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}
