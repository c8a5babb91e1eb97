// Faults in searches.

import type { Json } from '../../../contract/src/json.ts'
import type { ClientRequest } from '../proxy.ts'
import { items } from './shared/answer-changes.ts'
import { at, type ContractFault, type ContractFaults } from './shared/faults.ts'
import { frozen } from './shared/memory.ts'
import { LIST, listing, ORDERS } from './shared/operations.ts'
import { parametersOf, type When } from './shared/requests.ts'
import { textOf } from './shared/values.ts'

const wordsOf = (request: ClientRequest) => parametersOf(request).get('search') ?? ''
const searches =
  (words: RegExp): When =>
  (request) =>
    words.test(wordsOf(request))
const findingNothing = (words: RegExp): ContractFault => at(LIST, 200, searches(words)).answer.items(() => [])

/** Finds orders whose reference has all words. */
const inReference: ContractFault = at(ORDERS, 200, searches(/./)).onResponse((response, request) => {
  const words = wordsOf(request).toLowerCase().split(' ')
  const has = (order: Json) =>
    order instanceof Map && words.every((word) => textOf(order.get('reference')).includes(word))
  return items((orders) => orders.filter(has))(response, request)
})

export const SEARCH_FAULTS: ContractFaults = {
  'pets.list.search': listing.parameter('search', /./),
  'pets.list.search.words': findingNothing(/[A-Z]/),
  'pets.list.search.filters': listing.query((parameters) => parameters.has('search') && parameters.delete('status')),
  'pets.list.search.links': at(LIST, 200).answer.header('Link', (link) => link.replace(/search=[^&>]*&/g, '')),
  'pets.list.search.fresh': frozen(LIST, searches(/./)),
  'orders.list.search.reference': at(ORDERS).request.parameter('search', /./),
  'orders.list.search.pet-name': inReference,
}
