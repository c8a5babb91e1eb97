// The history checker on search results: rows had their state, are in order, none is missing, and links are right.

import { expect, test } from 'bun:test'
import { commitsOf } from '../history/commits.ts'
import type { ListAsk, Operation, Seen } from '../history/operations.ts'
import { searchFault } from '../history/searches.ts'
import { Versions } from '../history/versions.ts'

const AT = '2026-11-22T00:00:00.000Z'
const PET = { categoryId: 1, status: 'available' }
const pet = (id: number, name: string) => ({ id, name, ...PET })

/** An event with the types of the feed's JSON. */
function event(id: number, type: Seen['type'], petId: number, name: string): Seen {
  return JSON.parse(JSON.stringify({ id, type, at: AT, petId, petStatus: 'available', pet: pet(petId, name) }))
}

/** Version 3 has three pets. Version 4 renames the second. */
const EVENTS = [
  event(1, 'pet.added', 1, 'added1q'),
  event(2, 'pet.added', 2, 'added12q'),
  event(3, 'pet.added', 3, 'added13q'),
  event(4, 'pet.changed', 2, 'renamed4q'),
]
const [FIRST, SECOND, THIRD] = [pet(1, 'added1q'), pet(2, 'added12q'), pet(3, 'added13q')]
const NEXT = '</v1/pets?cursor=a>; rel="next"'
const ASK = { kind: 'list', list: 'pets', search: 'added1', newest: false, back: false, limit: 100 } as const

function judged(rows: object[], ask: Partial<ListAsk> = {}, links = '', between: [number, number] = [3, 3]) {
  const operation = { text: JSON.stringify(rows), links } as Operation
  return (
    searchFault(operation, { ...ASK, ...ask, search: ASK.search }, new Versions(commitsOf(EVENTS, [])), between) ??
    'explained'
  )
}

test.each([
  ['all that match', judged([FIRST, SECOND, THIRD]), 'explained'],
  ['newest first', judged([THIRD, SECOND, FIRST], { newest: true }), 'explained'],
  ['a page with a link to more', judged([FIRST], { limit: 1 }, NEXT), 'explained'],
  ['the page after it', judged([SECOND, THIRD], { after: 1 }), 'explained'],
  ['the page before the last', judged([FIRST, SECOND], { after: 3, back: true }), 'explained'],
  ['with a pet that changes during the search', judged([FIRST, SECOND, THIRD], {}, '', [3, 4]), 'explained'],
  ['without it', judged([FIRST, THIRD], {}, '', [3, 4]), 'explained'],
  ['a missing pet that always matched', judged([FIRST, THIRD]), 'pet 2 is not found'],
  ['a pet that no longer matches', judged([FIRST, SECOND, THIRD], {}, '', [4, 4]), 'never had this state'],
  ['a pet with another status', judged([FIRST, SECOND, { ...THIRD, status: 'sold' }]), 'never had this state'],
  ['out of order', judged([SECOND, FIRST, THIRD]), 'out of order'],
  ['a duplicate', judged([FIRST, SECOND, SECOND, THIRD]), 'out of order'],
  ['more than the limit', judged([FIRST, SECOND, THIRD], { limit: 2 }), 'has 3 rows'],
  ['a link after the last pet', judged([FIRST, SECOND, THIRD], {}, NEXT), 'nothing follows'],
  ['a link without rows', judged([], {}, NEXT), 'but no rows'],
])('%s', (_, said, expected) => {
  expect(said).toContain(expected)
})
