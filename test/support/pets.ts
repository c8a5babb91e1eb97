// The pets of a page, as objects.

import { petsFromJson } from '../../src/client/responses.ts'
import type { Page, Pet } from '../../src/domain/pets.ts'

export function petsOf({ json }: Page): Pet[] {
  return petsFromJson(json)
}
