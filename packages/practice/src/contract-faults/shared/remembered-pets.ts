// Faults that remember added, changed and deleted pets, and the ends of pages. Each proxy has its own memory.

import type { Json, JsonObject } from '../../../../contract/src/json.ts'
import { headerOf } from '../../messages.ts'
import type { ClientRequest, ServiceResponse } from '../../proxy.ts'
import { items } from './answer-changes.ts'
import { remembering } from './memory.ts'
import { CREATE, DELETE, LIST, UPDATE } from './operations.ts'
import { isOf, parametersOf, pathOf } from './requests.ts'
import { objectOf, textOf } from './values.ts'

const nextCursor = ({ headers }: ServiceResponse) =>
  /cursor=([\w-]+)[^>]*>; rel="next"/.exec(headerOf(headers, 'Link') ?? '')?.[1]
const cursorOf = (request: ClientRequest) => parametersOf(request).get('cursor') ?? ''
const petOf = ({ target }: ClientRequest) => pathOf(target).split('/')[2] ?? ''

/** Leaves out pets that were added after the first page was read. */
export const withoutNewcomers = remembering(
  () => ({ newest: 0n, known: new Map<string, bigint>() }),
  (memory, request, response) => {
    if (isOf(request, CREATE) && response.status === 201) memory.newest = BigInt(textOf(objectOf(response).get('id')))
    if (!isOf(request, LIST) || response.status !== 200) return
    const last = memory.known.get(cursorOf(request)) ?? memory.newest
    const next = nextCursor(response)
    if (next !== undefined) memory.known.set(next, last)
    const isOld = (pet: Json) => pet instanceof Map && BigInt(textOf(pet.get('id'))) <= last
    return cursorOf(request) === '' ? response : items((pets) => pets.filter(isOld))(response, request)
  },
)

/** Returns an empty page if the last pet of the page before was deleted. */
export const lostBehindDeleted = remembering(
  () => ({ lastOf: new Map<string, string>(), deleted: new Set<string>() }),
  ({ lastOf, deleted }, request, response) => {
    if (isOf(request, DELETE) && response.status === 204) deleted.add(petOf(request))
    if (!isOf(request, LIST) || response.status !== 200) return
    const next = nextCursor(response)
    const isLost = deleted.has(lastOf.get(cursorOf(request)) ?? '')
    return items((pets) => {
      const last = pets.at(-1)
      if (next !== undefined && last instanceof Map) lastOf.set(next, textOf(last.get('id')))
      return isLost ? [] : pets
    })(response, request)
  },
)

/** Hides changed pets from searches. */
export const forgettingCorrected = remembering(
  () => new Set<string>(),
  (corrected, request, response) => {
    if (isOf(request, UPDATE) && response.status === 200) corrected.add(petOf(request))
    if (!isOf(request, LIST) || !parametersOf(request).has('search')) return
    const isThere = (pet: Json) => pet instanceof Map && !corrected.has(textOf(pet.get('id')))
    return items((pets) => pets.filter(isThere))(response, request)
  },
)

/** Lists deleted pets in their category. */
export const listingDeleted = remembering(
  () => ({ added: new Map<string, JsonObject>(), deleted: [] as JsonObject[] }),
  ({ added, deleted }, request, response) => {
    const pet = objectOf(response)
    if (isOf(request, CREATE)) added.set(textOf(pet.get('id')), pet)
    const gone = added.get(petOf(request))
    if (isOf(request, DELETE) && response.status === 204 && gone) deleted.push(gone)
    const isWhole = isOf(request, LIST) && [...parametersOf(request).keys()].sort().join() === 'categoryId,limit'
    const categoryId = parametersOf(request).get('categoryId')
    const inCategory = (one: JsonObject) => textOf(one.get('categoryId')) === categoryId
    return isWhole ? items((pets) => [...pets, ...deleted.filter(inCategory)])(response, request) : response
  },
)
