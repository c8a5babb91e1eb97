// The faults that remember pets: what was added, corrected and deleted, and where pages ended. Each proxy has a memory of its own.

import type { Json, JsonObject } from '../../../../contract/src/json.ts'
import { headerOf } from '../../messages.ts'
import type { Behaviour, ServiceResponse } from '../../proxy.ts'
import { isOf, items, objectOf, parametersOf, pathOf, textOf } from './builders.ts'
import { CREATE, DELETE, LIST, UPDATE } from './operations.ts'

/** The pages behind the first one leave out what was added since. */
export const withoutNewcomers = (): Behaviour => {
  let newest = 0n
  const known = new Map<string, bigint>()
  return async (request, pass) => {
    const response = await pass(request)
    if (isOf(request, CREATE) && response.status === 201) newest = BigInt(textOf(objectOf(response).get('id')))
    if (!isOf(request, LIST) || response.status !== 200) return response
    const cursor = parametersOf(request).get('cursor')
    const last = known.get(cursor ?? '') ?? newest
    const next = nextCursor(response)
    if (next !== undefined) known.set(next, last)
    const isOld = (pet: Json) => pet instanceof Map && BigInt(textOf(pet.get('id'))) <= last
    return cursor === null ? response : items((pets) => pets.filter(isOld))(response, request)
  }
}

/** Where the last pet of a page was deleted, nothing follows. */
export const lostBehindDeleted = (): Behaviour => {
  const lastOf = new Map<string, string>()
  const deleted = new Set<string>()
  return async (request, pass) => {
    const response = await pass(request)
    if (isOf(request, DELETE) && response.status === 204) deleted.add(pathOf(request.target).split('/')[2] ?? '')
    if (!isOf(request, LIST) || response.status !== 200) return response
    const next = nextCursor(response)
    const isLost = deleted.has(lastOf.get(parametersOf(request).get('cursor') ?? '') ?? '')
    return items((pets) => {
      const last = pets.at(-1)
      if (next !== undefined && last instanceof Map) lastOf.set(next, textOf(last.get('id')))
      return isLost ? [] : pets
    })(response, request)
  }
}

const nextCursor = ({ headers }: ServiceResponse) =>
  /cursor=([\w-]+)[^>]*>; rel="next"/.exec(headerOf(headers, 'Link') ?? '')?.[1]

/** No search finds a pet that was corrected. */
export const forgettingCorrected = (): Behaviour => {
  const corrected = new Set<string>()
  return async (request, pass) => {
    const response = await pass(request)
    if (isOf(request, UPDATE) && response.status === 200) corrected.add(textOf(objectOf(response).get('id')))
    if (!isOf(request, LIST) || !parametersOf(request).has('search')) return response
    const isThere = (pet: Json) => pet instanceof Map && !corrected.has(textOf(pet.get('id')))
    return items((pets) => pets.filter(isThere))(response, request)
  }
}

/** A category shows the pets that were deleted from it. */
export const listingDeleted = (): Behaviour => {
  const added = new Map<string, JsonObject>()
  const deleted: JsonObject[] = []
  return async (request, pass) => {
    const response = await pass(request)
    const pet = objectOf(response)
    if (isOf(request, CREATE)) added.set(textOf(pet.get('id')), pet)
    const gone = added.get(pathOf(request.target).split('/')[2] ?? '')
    if (isOf(request, DELETE) && response.status === 204 && gone) deleted.push(gone)
    const isWhole = isOf(request, LIST) && [...parametersOf(request).keys()].sort().join() === 'categoryId,limit'
    const categoryId = parametersOf(request).get('categoryId')
    const inCategory = (one: JsonObject) => textOf(one.get('categoryId')) === categoryId
    return isWhole ? items((pets) => [...pets, ...deleted.filter(inCategory)])(response, request) : response
  }
}
