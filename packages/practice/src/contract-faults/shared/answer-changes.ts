// Functions that change responses.

import type { Json, JsonObject } from '../../../../contract/src/json.ts'
import { headerOf, withHeader } from '../../messages.ts'
import type { ClientRequest, ServiceResponse } from '../../proxy.ts'
import { changed, number, objectOf, replacing, textOf } from './values.ts'

export type Change = (response: ServiceResponse, request: ClientRequest) => ServiceResponse

export function status(code: number): Change {
  return (response) => ({ ...response, status: code })
}

/** Sets the status of the response and of its body, and the code if given. */
export function error(code: number, name?: string): Change {
  const body = each((error) => {
    error.set('status', number(code))
    if (name !== undefined) error.set('code', name)
  })
  return both(status(code), body)
}

/** Sets a header, or removes it without `value`. A function changes the value, if the header is present. */
export function header(name: string, value?: string | ((before: string) => string)): Change {
  return (response) => {
    const before = headerOf(response.headers, name)
    if (typeof value === 'function' && before === undefined) return response
    const after = typeof value === 'function' ? value(before ?? '') : value
    return { ...response, headers: withHeader(response.headers, name, after) }
  }
}

export function text(change: (text: string) => string): Change {
  return (response) => ({ ...response, body: Buffer.from(change(response.body.toString())) })
}

/** Sets the status and removes the body. */
export function empty(code: number): Change {
  return both(
    status(code),
    text(() => ''),
  )
}

export function json(change: (value: Json) => Json): Change {
  return (response) => ({ ...response, body: changed(response.body, change) })
}

/** Changes each object of an array, or the one object. */
export function each(change: (object: JsonObject) => void): Change {
  return json((value) => {
    for (const one of Array.isArray(value) ? value : [value]) if (one instanceof Map) change(one)
    return value
  })
}

/** Replaces a wrong member of each object, or removes it if there is no right value. */
export function replace(...value: Parameters<typeof replacing>): Change {
  return each(replacing(...value))
}

export function put(name: string, value: Json): Change {
  return each((object) => object.set(name, value))
}

export function drop(name: string): Change {
  return each((object) => object.delete(name))
}

/** Changes a member, given as text. */
export function rewrite(name: string, change: (text: string) => Json): Change {
  return each((object) => object.has(name) && object.set(name, change(textOf(object.get(name)))))
}

/** Keeps only the first sentence of the message. */
export function firstSentence(): Change {
  return rewrite('message', (message) => message.replace(/\. .*$/s, '.'))
}

/** Copies a member of the request's object into the response. */
export function echo(name: string): Change {
  return (response, request) => {
    const value = objectOf(request).get(name)
    return value === undefined ? response : put(name, value)(response, request)
  }
}

export function items(change: (items: Json[]) => Json): Change {
  return json((value) => (Array.isArray(value) ? change(value) : value))
}

export function both(first: Change, second: Change): Change {
  return (response, request) => second(first(response, request), request)
}
