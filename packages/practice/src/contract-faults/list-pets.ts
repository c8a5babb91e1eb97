// Faults in the list of pets that no other list has (lists.ts).

import { at, type ContractFaults, hasNext } from './shared/faults.ts'
import { keepingTags } from './shared/memory.ts'
import { LIST, listing } from './shared/operations.ts'
import { lostBehindDeleted, withoutNewcomers } from './shared/remembered-pets.ts'
import { hasHeader } from './shared/requests.ts'

/** As tags of ours are, and none of those that are made up. */
const TAG = /^"[^"]{6,}"$/

export const LIST_PET_FAULTS: ContractFaults = {
  'pets.list.limit.full': listing.parameter('limit', /^99$/, '100'),
  'pets.list.next.while-added': withoutNewcomers,
  'pets.list.next.while-deleted': lostBehindDeleted,
  'pets.list.etag.changes': keepingTags(LIST),
  'pets.list.etag.links': at(
    LIST,
    200,
    (request, response) => hasHeader('If-None-Match', TAG)(request) && hasNext(response),
  ).answer.empty(304),
}
