// What most faults are about: the operations, and their requests and answers.

import { type Json, JsonNumber, type JsonObject, parseJson } from '../../../../contract/src/json.ts'
import { headerOf } from '../../messages.ts'
import type { ClientRequest, ServiceResponse } from '../../proxy.ts'
import {
  at,
  both,
  type Change,
  type ContractFault,
  hasKey,
  isOf,
  objectOf,
  parametersOf,
  put,
  type RequestChange,
  rewrite,
  sending,
  sentHeader,
  status,
  textOf,
  type When,
  withKey,
} from './builders.ts'

export const LIST = 'GET /pets'
export const ONE = 'GET /pets/*'
export const CREATE = 'POST /pets'
export const PETS = `${LIST}|${ONE}|${CREATE}`
export const ORDERS = 'GET /store/orders'
export const ORDER = 'GET /store/orders/*'
export const PLACE = 'POST /store/orders'
export const COMPLETE = 'POST /store/orders/*/complete'
export const CANCEL = 'DELETE /store/orders/*'
export const RETURN = 'POST /store/orders/*/return'
export const UPDATE = 'PATCH /pets/*'
export const DELETE = 'DELETE /pets/*'
export const CHANGE = 'PATCH /store/orders/*'
export const EVENTS = 'GET /store/events'
export const INVENTORY = 'GET /store/inventory'
export const STATUSES = ['available', 'pending', 'sold']

export const listing = (change: RequestChange): ContractFault => at(LIST).onRequest(change)
export const listed = (change: Change): ContractFault => at(LIST, 200).onResponse(change)
export const got = (change: Change): ContractFault => at(ONE, 200).onResponse(change)
export const missed = (change: Change): ContractFault => at(ONE, 404).onResponse(change)
export const adding = (change: (pet: JsonObject) => void): ContractFault => at(CREATE).onRequest(sending(change))
export const added = (change: Change): ContractFault => at(CREATE, 201).onResponse(change)
export const refused = (change: Change): ContractFault => at(CREATE, 400).onResponse(change)
export const refusingToAdd = (when: When, status = 400, code = 'invalid_pet'): ContractFault =>
  at(CREATE).refusing(when, status, code)

/** Adds a right pet in place of a body that matches. */
export const addingInstead = (wrong: RegExp): ContractFault => sendingText((text) => (wrong.test(text) ? RIGHT : text))
const RIGHT = '{"name":"petstore verify","categoryId":7}'

/** Its status and that in its body. */
export const error = (code: number): Change => both(status(code), put('status', number(code)))

export const number = (value: bigint | number | string) => new JsonNumber(String(value))
/** As a client does whose numbers have 53 bits. */
export const rounded = (digits: string) => number(BigInt(Number(digits)))

export const isMissing = (value: Json | undefined) => value === undefined
export const isText = (value: Json | undefined) => typeof value === 'string'
export const isNumber = (value: Json | undefined) => value instanceof JsonNumber
export const isFraction = (value: Json | undefined) => value instanceof JsonNumber && /\.\d*[1-9]/.test(value.text)
export const is = (wanted: Json) => (value: Json | undefined) => value === wanted

export const withoutKey: When = (request) => !hasKey(request)

export const isError = (_: ClientRequest, { status }: ServiceResponse) => status >= 400
export const hasParameter =
  (name: string, value: string): When =>
  (request) =>
    parametersOf(request).get(name) === value
export const isUnknown = (known: readonly string[]) => (name: string) => !known.includes(name)
export const hasCursor: When = (request) => parametersOf(request).has('cursor')
export const isFiltered: When = (request) => parametersOf(request).has('status')
export const hasHeader =
  (name: string, value: RegExp): When =>
  ({ headers }) =>
    value.test(headerOf(headers, name) ?? '')
export const path =
  (change: (path: string) => string): RequestChange =>
  (request) => {
    const [before = '', after] = request.target.split('?')
    return { ...request, target: change(before) + (after === undefined ? '' : `?${after}`) }
  }
const body =
  (change: (text: string) => string): RequestChange =>
  (request) => ({ ...request, body: Buffer.from(change(request.body.toString())) })
const sendingText = (change: (text: string) => string): ContractFault => at(CREATE).onRequest(body(change))
export const addressed = (change: (path: string) => string): ContractFault => at('*').onRequest(path(change))
export const credentials = (change: (value: string) => string | undefined): ContractFault =>
  at('*').onRequest(sentHeader('Authorization', change))

/** Takes an API key from another place than the header. */
export const takingKeyFrom = (place: (request: ClientRequest) => string | undefined): ContractFault =>
  at('*').onRequest((request) => {
    const key = /pets_(?:live|test)_\w+/.exec(place(request) ?? '')?.[0]
    return key ? withKey(request, `Bearer ${key}`) : request
  })

export const firstSentence = (message: string) => message.replace(/\. .*$/s, '.')
export const echoKey: Change = (response, request) =>
  put('message', `${headerOf(request.headers, 'Authorization')} is unknown.`)(response, request)
export const categoryOf = (request: ClientRequest) => textOf(objectOf(request).get('categoryId'))
export const hasNext = ({ headers }: ServiceResponse) => /rel="next"/.test(headerOf(headers, 'Link') ?? '')

/** How deep brackets are nested, strings aside. */
export function depthOf(text: string): number {
  let [depth, deepest] = [0, 0]
  for (const bracket of text.replace(/"(?:[^"\\]|\\.)*"/g, '').replace(/[^[\]{}]/g, '')) {
    depth += '[{'.includes(bracket) ? 1 : -1
    deepest = Math.max(depth, deepest)
  }
  return deepest
}

export function isJson(body: Buffer): boolean {
  try {
    return parseJson(body.toString()) !== undefined
  } catch {
    return false
  }
}

/** Of an object in the request, the name of a member in the answer. */
export const echoing =
  (name: string): Change =>
  (response, request) => {
    const value = objectOf(request).get(name)
    return value === undefined ? response : put(name, value)(response, request)
  }

/** Other ids, everywhere alike; `change` is its own inverse. */
export function renumbering(change: (id: bigint) => bigint): ContractFault {
  const other = (id: string) => number(change(BigInt(id)))
  const toService = path((before) => before.replace(/(?<=\/pets\/)-?\d{1,18}$/, (id) => other(id).text))
  return () => async (request, pass) => {
    if (!isOf(request, `${PETS}|HEAD /pets/*`)) return pass(request)
    const response = await pass(toService(request))
    return response.status < 300 ? rewrite('id', other)(response, request) : response
  }
}
