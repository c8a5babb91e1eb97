// The record of each call: its request, its start and end, and its response.

import type { Order as ContractOrder, Pet as ContractPet, Event } from '../../packages/contract/src/generated.ts'

/** The type after JSON.parse. */
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
  /** The id before the first row in reading order, which is backwards if `prev` led to the page. */
  readonly after?: number
  readonly back: boolean
  readonly limit: number
}

export interface EventsAsk {
  readonly kind: 'events'
  /** The number of the operation whose link it follows. Without it, the page starts at `from` or at the beginning. */
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

/** Fields that are `undefined` are not sent. */
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

/** A response whose tag is sent. */
export type Tagged = Readonly<Record<'tag' | 'text' | 'links', string>>

export function isOfPet({ kind }: Ask): boolean {
  return /^(pet|correct|delete)$/.test(kind)
}

/** The pet or order that a request names. */
export function thingOf(ask: Ask): string | undefined {
  return 'id' in ask ? `${isOfPet(ask) ? 'pet' : 'order'} ${ask.id}` : undefined
}

/** The value of an `If-Match` or `If-None-Match` header. */
export function tagsOf(tagged: readonly Tagged[]): string {
  return tagged.map(({ tag }) => tag).join(', ')
}

export interface Asked {
  readonly ask: Ask
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE'
  /** The path after the base address. */
  readonly path: string
  readonly body?: string
  /** The name of the API key, if it matters. */
  readonly key?: string
  readonly idempotencyKey?: string
  /** Any of these. */
  readonly ifMatch?: readonly Tagged[]
  readonly ifNoneMatch?: readonly Tagged[]
}

export interface Answer {
  /** 0 without a response. */
  readonly status: number
  /** The body. A 304 has the body and links of the response whose tag was sent. */
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
  /** Milliseconds on one clock. Without a response, the end is infinite, because the request can take effect later. */
  readonly startedAt: number
  readonly endedAt: number
  /** When the client received the response, even if it was a 503, or gave up. */
  readonly settledAt: number
  /** The same times on the wall clock, in milliseconds since 1970. */
  readonly from: number
  readonly to: number
}

/** Whether the outcome of the request is unknown. */
export function isUnanswered({ status }: Pick<Answer, 'status'>): boolean {
  return status === 0 || status === 503
}

/** The longest duration of a request between two times, without waits for events. An expiry can be as late on a busy machine. */
export function longestOf(operations: readonly Operation[], from = Number.NEGATIVE_INFINITY, to = Infinity): number {
  return operations.reduce((longest, one) => {
    const isWaiting = one.ask.kind === 'events' && one.ask.wait
    if (isWaiting || isUnanswered(one) || one.endedAt < from || one.startedAt > to) return longest
    return Math.max(longest, one.endedAt - one.startedAt)
  }, 0)
}

/** Whether it may have changed the store. A replay did not, and a rejection must not. */
export function mayHaveDone({ method, status, replayed }: Operation): boolean {
  return method !== 'GET' && method !== 'HEAD' && (isUnanswered({ status }) || (status < 300 && !replayed))
}

/** Groups the requests that together take effect at most once: same Idempotency-Key and API key. */
export function identityOf({ n, key, idempotencyKey }: Operation): string {
  return idempotencyKey === undefined ? `${n}` : `${key} ${idempotencyKey}`
}

const parsed = new WeakMap<Operation, unknown>()

/** Parses the body. Text that is not JSON gives `{}`, which no rule allows. */
export function bodyOf<Of>(operation: Operation): Of {
  const kept = parsed.get(operation)
  if (kept !== undefined) return kept as Of
  const body: unknown = parse(operation.text)
  // Lists are large and used only once.
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
