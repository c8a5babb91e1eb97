// Reads responses of the service into the contract's types, and checks the types of all fields.

import type {
  Event as ContractEvent,
  Pet as ContractPet,
  EventType,
  Inventory,
  Order,
  OrderStatus,
  OrderTerms,
  PetStatus,
} from '../../contract/src/generated.ts'
import { int64FromJson, type Json, JsonNumber, parseJson } from '../../contract/src/json.ts'
import { PetstoreApiError } from './errors.ts'

/** The service always returns a pet's status. */
export type Pet = ContractPet & Required<Pick<ContractPet, 'status'>>

/** A newer service can send a type that `EventType` does not have. Skip such events. */
export type Event = Omit<ContractEvent, 'type' | 'pet'> & {
  type: EventType | (string & Record<never, never>)
  pet?: Pet
}

/** Throws PetstoreApiError `unexpected_answer` if `from` cannot read the body. */
export function readJson<Value>(response: Response, text: string, from: (json: Json) => Value): Value {
  try {
    return from(parseJson(text))
  } catch {
    throw apiError(response, { message: `The response does not follow the contract. ${isAddressRight(response)}` })
  }
}

/** Returns the cursor in the `Link` with this relation (RFC 8288). */
export function cursorTo(relation: 'next' | 'prev', response: Response): string | undefined {
  for (const [, target = '', parameters = ''] of (response.headers.get('Link') ?? '').matchAll(LINK)) {
    const query = target.indexOf('?')
    if (query >= 0 && relations(parameters).includes(relation)) {
      return new URLSearchParams(target.slice(query + 1)).get('cursor') ?? undefined
    }
  }
}

const PARAMETER = /\s*;\s*([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"([^"]*)"|([^\s",;]+)))?/g
// A target has no `<` (RFC 3986). Without this, many `<` in a row would take quadratic time.
const LINK = new RegExp(`<([^<>]*)>((?:${PARAMETER.source})*)`, 'g')

/** Only the first `rel` counts (RFC 8288, 3.3). */
function relations(parameters: string): string[] {
  const rel = [...parameters.matchAll(PARAMETER)].find(([, name]) => name?.toLowerCase() === 'rel')
  return (rel?.[2] ?? rel?.[3] ?? '').toLowerCase().split(/\s+/)
}

/** Returns the error for a response outside 2xx, which can come from a proxy. */
export function readError(response: Response, text: string): PetstoreApiError {
  const message = `The response has the status ${response.status} and does not come from the service. ${isAddressRight(response)}`
  return apiError(response, errorBody(text) ?? { message })
}

function apiError({ status, headers }: Response, { code = 'unexpected_answer', message }: ErrorBody): PetstoreApiError {
  const requestId = headers.get('X-Request-Id') ?? undefined
  return new PetstoreApiError(message, code, status, requestId, retryAfterMs(headers))
}

interface ErrorBody {
  code?: string
  message: string
}

/** Mentions a variable that can have sent the request through a proxy, on Bun or Deno. */
function isAddressRight({ url }: Response): string {
  const env = (globalThis as { process?: { env?: Record<string, string> } }).process?.env ?? {}
  const variable = RegExp(`^(${url.split(':')[0]}|all)_proxy$`, 'i')
  const proxy = Object.keys(env).find((name) => variable.test(name) && env[name])
  return `Is the address right${proxy ? `, and ${proxy}` : ''}?`
}

function errorBody(text: string): { code: string; message: string } | undefined {
  try {
    const body = parseJson(text)
    const [code, message] = body instanceof Map ? [body.get('code'), body.get('message')] : []
    return typeof code === 'string' && typeof message === 'string' ? { code, message } : undefined
  } catch {
    return undefined
  }
}

export function arrayOf<Item>(toItem: (json: Json) => Item): (json: Json) => Item[] {
  return (json) => (Array.isArray(json) ? json.map(toItem) : notAsContracted())
}

/** Has no message, because `readJson` replaces the error. */
function notAsContracted(): never {
  throw new SyntaxError()
}

/** A reader for each field. A missing one does not compile. */
type Fields<Of> = { readonly [Field in keyof Of]-?: (value: Json | undefined) => Of[Field] | undefined }

export function objectOf<Of>(fields: Fields<Of>): (json: Json) => Of {
  const all = Object.entries<(value: Json | undefined) => unknown>(fields)
  return (json) => {
    const object = json instanceof Map ? json : notAsContracted()
    const read = all.map(([field, from]) => [field, from(object.get(field))])
    return Object.fromEntries(read.filter(([, value]) => value !== undefined))
  }
}

const PET: Fields<Pet> = {
  id: int64,
  name: string,
  categoryId: int64,
  status: string,
}
export const PET_FIELDS = /* @__PURE__ */ Object.keys(PET) as readonly (keyof Pet)[]
export const toPet = objectOf(PET)

export const toOrder = objectOf<Order>({
  id: int64,
  petId: int64,
  petName: string,
  status: string,
  placedAt: string,
  changedAt: string,
  reference: optional(string),
  expiresAt: optional(string),
})

export const toEvent = objectOf<Event>({
  id: int64,
  type: string,
  at: string,
  by: optional(string),
  petId: int64,
  petStatus: optional(string<PetStatus>),
  pet: optional(toPet),
  orderId: optional(int64),
  orderStatus: optional(string<OrderStatus>),
  terms: optional(objectOf<OrderTerms>({ reference: optional(string), expiresAt: optional(string) })),
})

export const toInventory = objectOf<Inventory>({ available: int64, pending: int64, sold: int64 })

export function optional<Value>(read: (value: Json) => Value): (value: Json | undefined) => Value | undefined {
  return (value) => (value === undefined ? undefined : read(value))
}

/** Does not check the values of enums, because a newer service can have more. */
export function string<Text extends string>(value: Json | undefined): Text {
  return typeof value === 'string' ? (value as Text) : notAsContracted()
}

export function int64(value: Json | undefined): bigint {
  const integer = value instanceof JsonNumber && int64FromJson(value.text)
  return typeof integer === 'bigint' ? integer : notAsContracted()
}

/** RFC 9110, 10.2.3: seconds, or a date. */
export function retryAfterMs(headers: Headers): number | undefined {
  const text = headers.get('Retry-After') ?? ''
  const ms = /^[0-9]+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
