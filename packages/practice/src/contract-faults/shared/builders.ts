// What contract faults are built from: which requests or answers one is about, and what it changes.

import { type Json, JsonError, type JsonObject, parseJson, stringifyJson } from '../../../../contract/src/json.ts'
import { headerOf, withHeader } from '../../messages.ts'
import type { Behaviour, ClientRequest, ServiceResponse } from '../../proxy.ts'

/** By the id of the promise that each breaks. Each proxy has a behaviour of its own. */
export type ContractFaults = Readonly<Record<string, ContractFault>>
export type ContractFault = () => Behaviour

export type When = (request: ClientRequest) => boolean
export type WhenResponse = (request: ClientRequest, response: ServiceResponse) => boolean
export type Change = (response: ServiceResponse, request: ClientRequest) => ServiceResponse
export type RequestChange = (request: ClientRequest) => ClientRequest

/** The same faults under ids that begin in this way. */
export function under(id: string, faults: ContractFaults): ContractFaults {
  return Object.fromEntries(Object.entries(faults).map(([end, fault]) => [`${id}.${end}`, fault]))
}

/**
 * `operations` are methods and paths below the base URL, separated by a bar, such as `GET /pets/*`. A `*` stands for any method or one
 * segment of the path; alone it stands for every request.
 */
export function isOf({ method, target }: ClientRequest, operations: string): boolean {
  const segments = pathOf(target).split('/')
  return operations.split('|').some((operation) => {
    if (operation === '*') return true
    const [wantedMethod, wantedPath = ''] = operation.split(' ')
    const wanted = wantedPath.split('/')
    const isPath = wanted.length === segments.length && wanted.every((one, at) => one === '*' || one === segments[at])
    return isPath && (wantedMethod === '*' || wantedMethod === method)
  })
}

/**
 * The requests that a fault is about, and of their answers those with this status and of which `when` is true.
 */
export function at(operations: string, status: number | 'any' = 'any', when: WhenResponse = () => true) {
  const isMeant = (request: ClientRequest, response: ServiceResponse) =>
    isOf(request, operations) && (status === 'any' || status === response.status) && when(request, response)
  return {
    /** Changes requests before the service sees them. */
    onRequest:
      (change: RequestChange): ContractFault =>
      () =>
      (request, pass) =>
        pass(isOf(request, operations) ? change(request) : request),
    onResponse:
      (change: Change): ContractFault =>
      () =>
      async (request, pass) => {
        const response = await pass(request)
        return isMeant(request, response) ? change(response, request) : response
      },
    /** Asks again in another way, and gives that answer. */
    resending:
      (change: RequestChange): ContractFault =>
      () =>
      async (request, pass) => {
        const response = await pass(request)
        return isMeant(request, response) ? pass(change(request)) : response
      },
    /** Answers with an error; the service does not hear of the request. */
    refusing:
      (whenRequest: When, code: number, name: string): ContractFault =>
      () =>
      async (request, pass) =>
        isOf(request, operations) && whenRequest(request) ? errorAnswer(code, name) : pass(request),
  }
}

export function withKey(request: ClientRequest, authorization: string | undefined): ClientRequest {
  return { ...request, headers: withHeader(request.headers, 'Authorization', authorization) }
}

// Changes of requests.

export function query(change: (parameters: URLSearchParams) => void): RequestChange {
  return (request) => {
    const [path = ''] = request.target.split('?')
    const parameters = parametersOf(request)
    change(parameters)
    return { ...request, target: parameters.size === 0 ? path : `${path}?${parameters}` }
  }
}

/** Replaces the value of a parameter that has it; `undefined` takes the parameter away. */
export function parameter(name: string, wrong: RegExp, right: string | undefined): RequestChange {
  return query((parameters) => {
    if (!wrong.test(parameters.getAll(name).join())) return
    if (right === undefined) parameters.delete(name)
    else parameters.set(name, right)
  })
}

/** Replaces the values of a header; `undefined` takes it away. */
export function sentHeader(name: string, change: (value: string) => string | undefined): RequestChange {
  const isMeant = (given: string) => given.toLowerCase() === name.toLowerCase()
  return (request) => ({
    ...request,
    headers: request.headers.flatMap(([given, value]) => {
      const after = isMeant(given) ? change(value) : value
      return after === undefined ? [] : [[given, after] as const]
    }),
  })
}

/** Changes the object in the body; another body stays. */
export function sending(change: (object: JsonObject) => void): RequestChange {
  const body = (value: Json) => {
    if (value instanceof Map) change(value)
    return value
  }
  return (request) => ({ ...request, body: changed(request.body, body) })
}

/** Of an object: the value under this name, where it is wrong; `undefined` leaves it out. */
export function replacing(name: string, isWrong: (value: Json | undefined) => boolean, right: Json | undefined) {
  return (object: JsonObject): void => {
    if (!isWrong(object.get(name))) return
    if (right === undefined) object.delete(name)
    else object.set(name, right)
  }
}

// Changes of answers.

export function status(code: number): Change {
  return (response) => ({ ...response, status: code })
}

/** `undefined` leaves it out. */
export function header(name: string, value: string | undefined): Change {
  return (response) => ({ ...response, headers: withHeader(response.headers, name, value) })
}

/** Where the answer has the header. */
export function headerText(name: string, change: (value: string) => string): Change {
  return (response, request) => {
    const value = headerOf(response.headers, name)
    return value === undefined ? response : header(name, change(value))(response, request)
  }
}

export function text(change: (text: string) => string): Change {
  return (response) => ({ ...response, body: Buffer.from(change(response.body.toString())) })
}

export function json(change: (value: Json) => Json): Change {
  return (response) => ({ ...response, body: changed(response.body, change) })
}

/** Each object of an array, or the one object. */
export function each(change: (object: JsonObject) => void): Change {
  return json((value) => {
    for (const one of Array.isArray(value) ? value : [value]) if (one instanceof Map) change(one)
    return value
  })
}

export function put(name: string, value: Json): Change {
  return each((object) => object.set(name, value))
}

export function drop(name: string): Change {
  return each((object) => object.delete(name))
}

/** What it has under this name, as text. */
export function rewrite(name: string, change: (text: string) => Json): Change {
  return each((object) => object.has(name) && object.set(name, change(textOf(object.get(name)))))
}

export function items(change: (items: Json[]) => Json): Change {
  return json((value) => (Array.isArray(value) ? change(value) : value))
}

export function both(first: Change, second: Change): Change {
  return (response, request) => second(first(response, request), request)
}

export function jsonAnswer(code: number, value: unknown): ServiceResponse {
  return { status: code, headers: [['Content-Type', 'application/json']], body: Buffer.from(stringifyJson(value)) }
}

export function errorAnswer(code: number, name: string, message = 'No.'): ServiceResponse {
  const answer = jsonAnswer(code, { code: name, message, status: code })
  return { ...answer, headers: [...answer.headers, ['X-Request-Id', crypto.randomUUID()]] }
}

// What a request or an answer has.

/** Below the base URL, without the query. */
export function pathOf(target: string): string {
  return target.replace(/\?.*$/, '').replace(/^.*?\/v1(?=\/|$)/, '')
}

export function parametersOf({ target }: ClientRequest): URLSearchParams {
  return new URLSearchParams(target.split('?')[1] ?? '')
}

export function hasKey({ headers }: ClientRequest): boolean {
  return headerOf(headers, 'Authorization') !== undefined
}

/** The object in a body, or an empty one. */
export function objectOf({ body }: { body: Buffer }): JsonObject {
  let object: JsonObject = new Map()
  changed(body, (value) => {
    if (value instanceof Map) object = value
    return value
  })
  return object
}

/** A text itself, a number as it was written. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : value === undefined ? '' : stringifyJson(value)
}

function changed(body: Buffer, change: (value: Json) => Json): Buffer {
  let value: Json
  try {
    value = parseJson(body.toString())
  } catch (error) {
    if (error instanceof JsonError) return body
    throw error
  }
  return Buffer.from(stringifyJson(change(value)))
}
