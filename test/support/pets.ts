// The pets of a page, exactly, as objects with every member that the page has.

import type { Page, Pet } from '../../src/domain/pets.ts'
import { int64FromJson } from '../../src/json/int64.ts'
import { JsonNumber, type JsonObject, parseJson } from '../../src/json/json.ts'

export function petsOf({ json }: Page): Pet[] {
  return (parseJson(json) as JsonObject[]).map((pet) =>
    Object.fromEntries(
      [...pet].map(([name, value]) => [name, value instanceof JsonNumber ? int64FromJson(value.text) : value]),
    ),
  ) as unknown as Pet[]
}
