// Pets for a store, as JSON, and from a page. A new required field of the contract gets its value here.

import {
  int64FromJson,
  JsonNumber,
  type JsonObject,
  parseJson,
  stringifyJson,
} from '../../packages/contract/src/json.ts'
import type { Page } from '../../packages/service/src/domain/lists.ts'
import type { NewPet, Pet } from '../../packages/service/src/domain/pets.ts'

/** An available pet named Rex, unless `fields` override it. */
export function newPet(fields: Partial<NewPet> = {}): NewPet {
  return { name: 'Rex', categoryId: 7n, status: 'available', ...fields }
}

/**
 * The body of a createPet: the required fields, overridden by `fields`, which can be invalid. A bigint keeps all
 * digits; an undefined field is omitted.
 */
export function petBody(fields: Record<string, unknown> = {}): string {
  return stringifyJson({ name: 'Rex', categoryId: 7n, ...fields })
}

/** A value that petBody writes unchanged, even if it is not JSON. */
export function verbatim(text: { toString(): string }): JsonNumber {
  return new JsonNumber(String(text))
}

/** The pets of a page, with all their fields and exact numbers. */
export function petsOf({ json }: Page): Pet[] {
  return (parseJson(json) as JsonObject[]).map((pet) =>
    Object.fromEntries(
      [...pet].map(([name, one]) => [name, one instanceof JsonNumber ? int64FromJson(one.text) : one]),
    ),
  ) as unknown as Pet[]
}
