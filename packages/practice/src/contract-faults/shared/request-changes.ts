// Functions that change requests before they reach the service.

import type { Json, JsonObject } from '../../../../contract/src/json.ts'
import type { ClientRequest } from '../../proxy.ts'
import { parametersOf } from './requests.ts'
import { changed, isText, replacing, textOf } from './values.ts'

export type RequestChange = (request: ClientRequest) => ClientRequest

export function path(change: (path: string) => string): RequestChange {
  return (request) => {
    const [before = '', after] = request.target.split('?')
    return { ...request, target: change(before) + (after === undefined ? '' : `?${after}`) }
  }
}

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

/** Changes the values of a header. `undefined`, or no `change`, removes it. */
export function header(name: string, change?: (value: string) => string | undefined): RequestChange {
  const isMeant = (given: string) => given.toLowerCase() === name.toLowerCase()
  return (request) => ({
    ...request,
    headers: request.headers.flatMap(([given, value]) => {
      const after = isMeant(given) ? change?.(value) : value
      return after === undefined ? [] : [[given, after] as const]
    }),
  })
}

export function body(change: (text: string) => string): RequestChange {
  return (request) => ({ ...request, body: Buffer.from(change(request.body.toString())) })
}

/** Changes the object in the body, if it is one. */
export function object(change: (object: JsonObject) => void): RequestChange {
  const given = (value: Json) => {
    if (value instanceof Map) change(value)
    return value
  }
  return (request) => ({ ...request, body: changed(request.body, given) })
}

/** Replaces a wrong member of the object, or removes it if there is no right value. */
export function replace(...value: Parameters<typeof replacing>): RequestChange {
  return object(replacing(...value))
}

/** Changes a string member of the object. */
export function rewrite(name: string, change: (text: string) => string): RequestChange {
  return object((given) => isText(given.get(name)) && given.set(name, change(textOf(given.get(name)))))
}
