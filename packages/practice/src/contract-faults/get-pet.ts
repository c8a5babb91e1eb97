// Faults in the tags of lists, and in the pet that is fetched.

import { at, both, type ContractFaults, header, headerText, parameter, status, text } from './shared/builders.ts'
import { keepingTags } from './shared/memory.ts'
import { got, hasHeader, hasNext, LIST, listing, missed, ONE, path } from './shared/operations.ts'
import { lostBehindDeleted, withoutNewcomers } from './shared/remembered-pets.ts'

/** As tags of ours are, and none of those that are made up. */
const TAG = /^"[^"]{6,}"$/

export const GET_PET_FAULTS: ContractFaults = {
  'pets.list.limit.full': listing(parameter('limit', /^99$/, '100')),
  'pets.list.next.while-added': withoutNewcomers,
  'pets.list.next.while-deleted': lostBehindDeleted,
  'pets.list.etag.changes': keepingTags(LIST),
  'pets.list.etag.links': at(
    LIST,
    200,
    (request, response) => hasHeader('If-None-Match', TAG)(request) && hasNext(response),
  ).onResponse(
    both(
      status(304),
      text(() => ''),
    ),
  ),
  'pets.get.no-id.nul': at(ONE).refusing(({ target }) => target.includes('%00'), 400, 'invalid_parameter'),
  'pets.get.no-id': at(ONE).onRequest(path((before) => before.replace(/\/0+(?=\d)/, '/'))),
  'pets.get.deprecation': got(header('Deprecation', 'true')),
  'pets.get.link': got(headerText('Link', (link) => link.replace('successor-version', 'next'))),
  'pets.get.deprecation.not-found': missed(both(header('Deprecation', undefined), header('Sunset', undefined))),
}
