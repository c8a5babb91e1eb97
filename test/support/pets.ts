// Pets for tests: new ones for a store, the JSON of new ones for the service, and the pets of a page. A required field that
// is added to the contract is added here.

import { int64FromJson } from '../../packages/contract/src/int64.ts'
import { JsonNumber, type JsonObject, parseJson, stringifyJson } from '../../packages/contract/src/json.ts'
import type { Page } from '../../packages/service/src/domain/lists.ts'
import type { NewPet, Pet } from '../../packages/service/src/domain/pets.ts'

/** Rex, who is available, or as `fields` say. */
export function newPet(fields: Partial<NewPet> = {}): NewPet {
  return { name: 'Rex', categoryId: 7n, status: 'available', ...fields }
}

/**
 * The body of a createPet: the required fields, or as `fields` say, also in a wrong way. A bigint is written with all its
 * digits; a field that is undefined is left out.
 */
export function petBody(fields: Record<string, unknown> = {}): string {
  return stringifyJson({ name: 'Rex', categoryId: 7n, ...fields })
}

/** A value of a petBody as it is written here, JSON or not. */
export function verbatim(text: { toString(): string }): JsonNumber {
  return new JsonNumber(String(text))
}

/** The pets of a page, with every member that the page has and exact numbers. */
export function petsOf({ json }: Page): Pet[] {
  return (parseJson(json) as JsonObject[]).map((pet) =>
    Object.fromEntries(
      [...pet].map(([name, one]) => [name, one instanceof JsonNumber ? int64FromJson(one.text) : one]),
    ),
  ) as unknown as Pet[]
}
