// The words that the lies are written in: which requests or answers a lie is about, and what it changes.

import { type Json, JsonError, type JsonObject, parseJson, stringifyJson } from '../../contract/src/json.ts'
import { headerOf, withHeader } from './messages.ts'
import type { Answered, Asked, Behaviour } from './proxy.ts'

/** By the id of the promise that each breaks. Each proxy has a behaviour of its own. */
export type Lies = Readonly<Record<string, Lie>>
export type Lie = () => Behaviour

export type When = (asked: Asked) => boolean
export type WhenAnswered = (asked: Asked, answered: Answered) => boolean
export type Change = (answered: Answered, asked: Asked) => Answered
export type ChangeAsked = (asked: Asked) => Asked

/** The same lies under ids that begin in this way. */
export function under(id: string, lies: Lies): Lies {
  return Object.fromEntries(Object.entries(lies).map(([end, told]) => [`${id}.${end}`, told]))
}

/**
 * `operations` are methods and paths below the base URL, separated by a bar, such as `GET /pets/*`. A `*` stands for any method or one
 * segment of the path; alone it stands for every request.
 */
export function isOf({ method, target }: Asked, operations: string): boolean {
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
 * The requests that a lie is about, and of their answers those with this status and of which `when` is true.
 */
export function at(operations: string, status: number | 'any' = 'any', when: WhenAnswered = () => true) {
  const isMeant = (asked: Asked, answered: Answered) =>
    isOf(asked, operations) && (status === 'any' || status === answered.status) && when(asked, answered)
  return {
    /** Changes requests before the service sees them. */
    asking:
      (change: ChangeAsked): Lie =>
      () =>
      (asked, pass) =>
        pass(isOf(asked, operations) ? change(asked) : asked),
    answering:
      (change: Change): Lie =>
      () =>
      async (asked, pass) => {
        const answered = await pass(asked)
        return isMeant(asked, answered) ? change(answered, asked) : answered
      },
    /** Asks again in another way, and gives that answer. */
    askingAgain:
      (change: ChangeAsked): Lie =>
      () =>
      async (asked, pass) => {
        const answered = await pass(asked)
        return isMeant(asked, answered) ? pass(change(asked)) : answered
      },
    /** Answers with an error; the service does not hear of the request. */
    refusing:
      (whenAsked: When, code: number, name: string): Lie =>
      () =>
      async (asked, pass) =>
        isOf(asked, operations) && whenAsked(asked) ? errorAnswer(code, name) : pass(asked),
  }
}

/** Sends those requests with the first API key that was seen at work, in place of their own. */
export function admitting(operations: string, when: When): Lie {
  return () => {
    let key: string | undefined
    return async (asked, pass) => {
      if (key && isOf(asked, operations) && when(asked)) return pass(withKey(asked, key))
      const answered = await pass(asked)
      if (answered.status === 200) key ??= headerOf(asked.headers, 'Authorization')
      return answered
    }
  }
}

export function withKey(asked: Asked, authorization: string | undefined): Asked {
  return { ...asked, headers: withHeader(asked.headers, 'Authorization', authorization) }
}

// Changes of requests.

export function query(change: (parameters: URLSearchParams) => void): ChangeAsked {
  return (asked) => {
    const [path = ''] = asked.target.split('?')
    const parameters = parametersOf(asked)
    change(parameters)
    return { ...asked, target: parameters.size === 0 ? path : `${path}?${parameters}` }
  }
}

/** Replaces the value of a parameter that has it; `undefined` takes the parameter away. */
export function parameter(name: string, wrong: RegExp, right: string | undefined): ChangeAsked {
  return query((parameters) => {
    if (!wrong.test(parameters.getAll(name).join())) return
    if (right === undefined) parameters.delete(name)
    else parameters.set(name, right)
  })
}

/** Replaces the values of a header; `undefined` takes it away. */
export function sentHeader(name: string, change: (value: string) => string | undefined): ChangeAsked {
  const isMeant = (given: string) => given.toLowerCase() === name.toLowerCase()
  return (asked) => ({
    ...asked,
    headers: asked.headers.flatMap(([given, value]) => {
      const after = isMeant(given) ? change(value) : value
      return after === undefined ? [] : [[given, after] as const]
    }),
  })
}

/** Changes the object in the body; another body stays. */
export function sending(change: (object: JsonObject) => void): ChangeAsked {
  const body = (value: Json) => {
    if (value instanceof Map) change(value)
    return value
  }
  return (asked) => ({ ...asked, body: changed(asked.body, body) })
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
  return (answered) => ({ ...answered, status: code })
}

/** `undefined` leaves it out. */
export function header(name: string, value: string | undefined): Change {
  return (answered) => ({ ...answered, headers: withHeader(answered.headers, name, value) })
}

/** Where the answer has the header. */
export function headerText(name: string, change: (value: string) => string): Change {
  return (answered, asked) => {
    const value = headerOf(answered.headers, name)
    return value === undefined ? answered : header(name, change(value))(answered, asked)
  }
}

export function text(change: (text: string) => string): Change {
  return (answered) => ({ ...answered, body: Buffer.from(change(answered.body.toString())) })
}

export function json(change: (value: Json) => Json): Change {
  return (answered) => ({ ...answered, body: changed(answered.body, change) })
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
  return (answered, asked) => second(first(answered, asked), asked)
}

export function jsonAnswer(code: number, value: unknown): Answered {
  return { status: code, headers: [['Content-Type', 'application/json']], body: Buffer.from(stringifyJson(value)) }
}

export function errorAnswer(code: number, name: string, message = 'No.'): Answered {
  const answer = jsonAnswer(code, { code: name, message, status: code })
  return { ...answer, headers: [...answer.headers, ['X-Request-Id', crypto.randomUUID()]] }
}

// What a request or an answer has.

/** Below the base URL, without the query. */
export function pathOf(target: string): string {
  return target.replace(/\?.*$/, '').replace(/^.*?\/v1(?=\/|$)/, '')
}

export function parametersOf({ target }: Asked): URLSearchParams {
  return new URLSearchParams(target.split('?')[1] ?? '')
}

export function hasKey({ headers }: Asked): boolean {
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
