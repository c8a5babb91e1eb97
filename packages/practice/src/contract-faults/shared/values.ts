// Reads and replaces JSON in bodies.

import { type Json, JsonNumber, type JsonObject, parseJson, stringifyJson } from '../../../../contract/src/json.ts'

/** Returns the body with its value changed. A body that is not JSON stays the same. */
export function changed(body: Buffer, change: (value: Json) => Json): Buffer {
  return isJson(body) ? Buffer.from(stringifyJson(change(parseJson(body.toString())))) : body
}

/** Returns the object in a body, or an empty one. */
export function objectOf({ body }: { body: Buffer }): JsonObject {
  let object: JsonObject = new Map()
  changed(body, (value) => {
    if (value instanceof Map) object = value
    return value
  })
  return object
}

/** Returns the body as text that does not depend on the order of an object's members. */
export function meaningOf(body: Buffer): string {
  return changed(body, (value) => (value instanceof Map ? new Map([...value].sort()) : value)).toString('latin1')
}

/** Returns a string as it is, and a number as it was written. */
export const textOf = (value: Json | undefined): string =>
  typeof value === 'string' ? value : value === undefined ? '' : stringifyJson(value)

/** Sets the member, or removes it if `value` is `undefined`. */
export function setMember(object: JsonObject, name: string, value: Json | undefined): void {
  if (value === undefined) object.delete(name)
  else object.set(name, value)
}

/** Replaces a wrong member of an object, or removes it if there is no right value. */
export function replacing(name: string, isWrong: (value: Json | undefined) => boolean, right?: Json) {
  return (object: JsonObject): void => {
    if (isWrong(object.get(name))) setMember(object, name, right)
  }
}

export const number = (value: bigint | number | string) => new JsonNumber(String(value))
/** Rounds an integer like a client with 53-bit numbers. */
export const rounded = (digits: string) => number(BigInt(Number(digits)))

export const isMissing = (value: Json | undefined) => value === undefined
export const isText = (value: Json | undefined) => typeof value === 'string'
export const isNumber = (value: Json | undefined) => value instanceof JsonNumber
export const is = (wanted: Json) => (value: Json | undefined) => value === wanted

export function isJson(body: Buffer): boolean {
  try {
    return parseJson(body.toString()) !== undefined
  } catch {
    return false
  }
}

/** Returns the nesting depth of brackets outside strings. */
export function depthOf(text: string): number {
  let [depth, deepest] = [0, 0]
  for (const bracket of text.replace(/"(?:[^"\\]|\\.)*"/g, '').replace(/[^[\]{}]/g, '')) {
    depth += '[{'.includes(bracket) ? 1 : -1
    deepest = Math.max(depth, deepest)
  }
  return deepest
}
