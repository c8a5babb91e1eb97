// Faults in pets that one operation has: creating, fetching, listing, searching, correcting and deleting them.

import type { Json } from '../../../contract/src/json.ts'
import { linkIn } from '../../../verify/src/headers.ts'
import type { ClientRequest, ServiceResponse } from '../proxy.ts'
import * as change from './shared/changes.ts'
import * as faults from './shared/faults.ts'
import { frozen, remembering } from './shared/memory.ts'
import { CREATE, DELETE, LIST, ONE, PETS, UPDATE } from './shared/operations.ts'
import { hasNext, hasTag, isOf, parametersOf, pathOf, type When } from './shared/requests.ts'
import { isMissing, number, objectOf, textOf } from './shared/values.ts'

/** Changes ids consistently in requests and responses. */
const falling: faults.ContractFault = () => {
  const other = (id: string) => number(1_000_000n - BigInt(id))
  const toService = change.path((before) => before.replace(/(?<=\/pets\/)-?\d{1,18}$/, (id) => other(id).text))
  return async (request, pass) => {
    if (!isOf(request, `${PETS}|HEAD /pets|HEAD /pets/*`)) return pass(request)
    const response = await pass(toService(request))
    if (request.method === 'HEAD') return change.header('Content-Length')(response)
    return response.status < 300 ? change.rewrite('id', other)(response) : response
  }
}

const nextCursor = ({ headers }: ServiceResponse) => linkIn(headers, 'next')?.replace(/.*cursor=([\w-]+).*/, '$1')
const cursorOf = (request: ClientRequest) => parametersOf(request).get('cursor') ?? ''
const petOf = ({ target }: ClientRequest) => pathOf(target).split('/')[2] ?? ''
const idOf = (pet: Json | undefined) => (pet instanceof Map ? textOf(pet.get('id')) : '')

/** Leaves out pets that were added after the first page was read. */
const withoutNewcomers = remembering(
  () => ({ newest: 0n, known: new Map<string, bigint>() }),
  (memory, request, response) => {
    if (isOf(request, CREATE) && response.status === 201) memory.newest = BigInt(idOf(objectOf(response)))
    if (!isOf(request, LIST) || response.status !== 200) return
    const last = memory.known.get(cursorOf(request)) ?? memory.newest
    const next = nextCursor(response)
    if (next !== undefined) memory.known.set(next, last)
    const onlyOld = change.items((pets) => pets.filter((pet) => BigInt(idOf(pet)) <= last))
    return cursorOf(request) === '' ? response : onlyOld(response)
  },
)

/** Returns an empty page if the last pet of the page before was deleted. */
const lostBehindDeleted = remembering(
  () => ({ lastOf: new Map<string, string>(), deleted: new Set<string>() }),
  ({ lastOf, deleted }, request, response) => {
    if (isOf(request, DELETE) && response.status === 204) deleted.add(petOf(request))
    if (!isOf(request, LIST) || response.status !== 200) return
    const isLost = deleted.has(lastOf.get(cursorOf(request)) ?? '')
    return change.items((pets) => {
      const next = nextCursor(response)
      if (next !== undefined) lastOf.set(next, idOf(pets.at(-1)))
      return isLost ? [] : pets
    })(response)
  },
)

const searches = (words: RegExp) => (request: ClientRequest) => words.test(parametersOf(request).get('search') ?? '')
const hasId: When = (request) => objectOf(request).has('id')
const hasTagAndNext = (request: ClientRequest, response: ServiceResponse) => hasTag(request) && hasNext(response)
const hasExponent: When = (request) => /^\d[\d.]*e\d$/i.test(textOf(objectOf(request).get('categoryId')))
export const PET_FAULTS: faults.ContractFaults = {
  ...faults.answering(CREATE, 201, {
    'pets.create.headers': change.header('Location', '/v1/pets/1'),
    'pets.create.id.ignored': change.echo('id'),
  }),
  ...faults.answering(`${LIST}|${ONE}`, 200, {
    'pets.create.name.stored': change.rewrite('name', (name) => name.trim()),
  }),
  ...faults.sending(CREATE, { 'pets.create.status.default': change.replace('status', isMissing, 'pending') }),
  ...faults.refusing(CREATE, 'invalid_pet', { 'pets.create.category-id.numbers': hasExponent }),
  'pets.create.id.rising': falling,
  ...faults.answering(ONE, 200, {
    'pets.get.deprecation': change.header('Deprecation', 'true'),
    'pets.get.link': change.header('Link', (link) => link.replace('successor-version', 'next')),
  }),
  ...faults.answering(ONE, 404, { 'pets.get.deprecation.not-found': change.header('Sunset') }),
  ...faults.refusing(ONE, 'invalid_parameter', { 'pets.get.no-id.nul': ({ target }) => target.includes('%00') }),
  ...faults.sending(LIST, {
    'pets.list.limit.full': change.parameter('limit', /^99$/, '100'),
    'pets.list.search': change.parameter('search', /./),
    'pets.list.search.letters': change.parameter('search', /^leg$/, 'łeg'),
    'pets.list.search.filters': change.query((given) => given.has('search') && given.delete('status')),
  }),
  ...faults.answering(LIST, 200, {
    'pets.list.count': change.header('X-Total-Count', (count) => `${count}0`),
    'pets.list.search.links': change.header('Link', (link) => link.replace(/search=[^&>]*&/g, '')),
  }),
  'pets.list.search.words': { on: LIST, status: 200, when: searches(/[A-Z]/), answer: change.items(() => []) },
  'pets.list.search.fresh': frozen(LIST, searches(/./)),
  'pets.list.next.while-added': withoutNewcomers,
  'pets.list.next.while-deleted': lostBehindDeleted,
  'pets.list.etag.changes': { on: LIST, status: 200, when: hasTag, answer: change.empty(304) },
  'pets.list.etag.links': { on: LIST, status: 200, when: hasTagAndNext, answer: change.empty(304) },
  'pets.update.lists': frozen(LIST, searches(/./)),
  'pets.update.same': { on: UPDATE, status: 200, when: hasId, answer: change.header('ETag', '"another"') },
  ...faults.answering(UPDATE, 409, { 'pets.update.held': change.error(400, 'invalid_pet') }),
  'pets.delete.lists': frozen(LIST, searches(/./)),
  ...faults.answering(DELETE, 404, { 'pets.delete.again': change.empty(204) }),
  ...faults.answering(DELETE, 409, { 'pets.delete.ordered': change.empty(204) }),
}
