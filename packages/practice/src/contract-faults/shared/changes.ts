// Functions that change requests before they reach the service, and responses.

import type { Json, JsonObject } from '../../../../contract/src/json.ts'
import { type Header, withHeader } from '../../../../verify/src/headers.ts'
import type { ClientRequest, ServiceResponse } from '../../proxy.ts'
import { parametersOf } from './requests.ts'
import { changed, isText, number, objectOf, replacing, textOf } from './values.ts'

export type Change = (response: ServiceResponse, request: ClientRequest) => ServiceResponse
export type RequestChange = (request: ClientRequest) => ClientRequest
/** A change of a request or a response. */
type MessageChange = <Of extends { headers: readonly Header[]; body: Buffer }>(message: Of) => Of

/** Sets a header, or removes it without `value`. A function changes its values, or removes them with `undefined`. */
export function header(name: string, value?: string | ((before: string) => string | undefined)): MessageChange {
  if (typeof value !== 'function')
    return (message) => ({ ...message, headers: withHeader(message.headers, name, value) })
  return (message) => ({
    ...message,
    headers: message.headers.flatMap(([given, before]) => {
      const after = given.toLowerCase() === name.toLowerCase() ? value(before) : before
      return after === undefined ? [] : [[given, after] as const]
    }),
  })
}

export const text =
  (change: (text: string) => string): MessageChange =>
  (message) => ({ ...message, body: Buffer.from(change(message.body.toString())) })

export const json =
  (change: (value: Json) => Json): MessageChange =>
  (message) => ({ ...message, body: changed(message.body, change) })

export const items = (change: (items: Json[]) => Json): MessageChange =>
  json((value) => (Array.isArray(value) ? change(value) : value))

/** Changes each object of an array, or the one object. */
export function each(change: (object: JsonObject) => void): MessageChange {
  return json((value) => {
    for (const one of Array.isArray(value) ? value : [value]) if (one instanceof Map) change(one)
    return value
  })
}

/** Replaces a wrong member of each object, or removes it if there is no right value. */
export const replace = (...value: Parameters<typeof replacing>): MessageChange => each(replacing(...value))

export const put = (name: string, value: Json): MessageChange => each((object) => object.set(name, value))

export const drop = (name: string): MessageChange => each((object) => object.delete(name))

/** Changes a member, given as text. */
export const rewrite = (name: string, change: (text: string) => Json): MessageChange =>
  each((object) => object.has(name) && object.set(name, change(textOf(object.get(name)))))

/** Changes a member that is a string. */
export const rewriteText = (name: string, change: (text: string) => string): MessageChange =>
  each((object) => isText(object.get(name)) && object.set(name, change(textOf(object.get(name)))))

export const both =
  (first: Change, second: Change): Change =>
  (response, request) =>
    second(first(response, request), request)

export const status =
  (code: number): Change =>
  (response) => ({ ...response, status: code })

/** Sets the status of the response and of its body, and the code if given. */
export function error(code: number, name?: string): Change {
  const named = name === undefined ? status(code) : both(status(code), put('code', name))
  return both(named, put('status', number(code)))
}

/** Sets the status and removes the body. */
export const empty =
  (code: number): Change =>
  (response) => ({ ...response, status: code, body: Buffer.alloc(0) })

/** Keeps only the first sentence of the message. */
export const firstSentence = (): Change => rewrite('message', (message) => message.replace(/\. .*$/s, '.'))

/** Copies a member of the request's object into the response. */
export function echo(name: string): Change {
  return (response, request) => {
    const value = objectOf(request).get(name)
    return value === undefined ? response : put(name, value)(response)
  }
}

export const path =
  (change: (path: string) => string): RequestChange =>
  (request) => ({ ...request, target: request.target.replace(/^[^?]*/, change) })

export function query(change: (parameters: URLSearchParams) => void): RequestChange {
  return (request) => {
    const [path = ''] = request.target.split('?')
    const parameters = parametersOf(request)
    change(parameters)
    return { ...request, target: parameters.size === 0 ? path : `${path}?${parameters}` }
  }
}

/** Replaces a matching value of a parameter, or removes the parameter if there is no right value. */
export function parameter(name: string, wrong: RegExp, right?: string): RequestChange {
  return query((parameters) => {
    if (!wrong.test(parameters.getAll(name).join())) return
    if (right === undefined) parameters.delete(name)
    else parameters.set(name, right)
  })
}
