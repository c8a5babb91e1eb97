// The pets of a page, exactly, as objects with every member that the page has.

import { int64, JsonNumber, parseJson } from '../../src/client/json.ts'
import type { Page, Pet } from '../../src/domain/pets.ts'

export function petsOf({ json }: Page): Pet[] {
  return (parseJson(json) as object[]).map((pet) =>
    Object.fromEntries(
      Object.entries(pet).map(([name, value]) => [name, value instanceof JsonNumber ? int64(value) : value]),
    ),
  ) as unknown as Pet[]
}
