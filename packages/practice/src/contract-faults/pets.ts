// Faults in creating, fetching and listing pets. reads.ts has the faults that all lists share.

import { both, header, rewrite } from './shared/answer-changes.ts'
import { type ContractFault, type ContractFaults, faultsAt, hasNext } from './shared/faults.ts'
import { keepingTags } from './shared/memory.ts'
import {
  createRequests,
  createResponses,
  getResponses,
  LIST,
  listRequests,
  ONE,
  PETS,
  refusingToAdd,
} from './shared/operations.ts'
import { lostBehindDeleted, withoutNewcomers } from './shared/remembered-pets.ts'
import { path } from './shared/request-changes.ts'
import { hasHeader, isOf } from './shared/requests.ts'
import { is, isMissing, number, objectOf, textOf } from './shared/values.ts'

const NEW_PETS: ContractFaults = {
  'pets.create.name.stored': faultsAt(`${LIST}|${ONE}`, 200).answer.rewrite('name', (name) => name.trim()),
  'pets.create.headers': createResponses.header('Location', '/v1/pets/1'),
  'pets.create.etag': createResponses.header('ETag', '"another"'),
  'pets.create.status.default': createRequests.replace('status', isMissing, 'pending'),
  'pets.create.fields.refused': createRequests.replace('status', is('Sold'), 'sold'),
  'pets.create.id.rising': renumbering((id) => 1_000_000n - id),
  'pets.create.id.ignored': createResponses.echo('id'),
  'pets.create.category-id.numbers': refusingToAdd((request) =>
    /^\d[\d.]*e\d$/i.test(textOf(objectOf(request).get('categoryId'))),
  ),
}

/** Changes ids consistently in requests and responses. `change` is its own inverse. */
function renumbering(change: (id: bigint) => bigint): ContractFault {
  const other = (id: string) => number(change(BigInt(id)))
  const toService = path((before) => before.replace(/(?<=\/pets\/)-?\d{1,18}$/, (id) => other(id).text))
  return () => async (request, pass) => {
    if (!isOf(request, `${PETS}|HEAD /pets|HEAD /pets/*`)) return pass(request)
    const response = await pass(toService(request))
    if (request.method === 'HEAD') return header('Content-Length')(response, request)
    return response.status < 300 ? rewrite('id', other)(response, request) : response
  }
}

const FETCHED: ContractFaults = {
  'pets.get.no-id.nul': faultsAt(ONE).refusing(({ target }) => target.includes('%00')),
  'pets.get.no-id': faultsAt(ONE).request.path((before) => before.replace(/\/0+(?=\d)/, '/')),
  'pets.get.deprecation': getResponses.header('Deprecation', 'true'),
  'pets.get.link': getResponses.header('Link', (link) => link.replace('successor-version', 'next')),
  'pets.get.deprecation.not-found': faultsAt(ONE, 404).onResponse(both(header('Deprecation'), header('Sunset'))),
}

/** An ETag from the service, and not one that a check made up. */
const TAG = /^"[^"]{6,}"$/

const LISTED: ContractFaults = {
  'pets.list.limit.full': listRequests.parameter('limit', /^99$/, '100'),
  'pets.list.next.while-added': withoutNewcomers,
  'pets.list.next.while-deleted': lostBehindDeleted,
  'pets.list.etag.changes': keepingTags(LIST),
  'pets.list.etag.links': faultsAt(
    LIST,
    200,
    (request, response) => hasHeader('If-None-Match', TAG)(request) && hasNext(response),
  ).answer.empty(304),
}

export const PET_FAULTS: ContractFaults = { ...NEW_PETS, ...FETCHED, ...LISTED }
