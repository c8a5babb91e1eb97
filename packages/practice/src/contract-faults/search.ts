// Faults in what a search finds.

import type { Json } from '../../../contract/src/json.ts'
import {
  at,
  type ContractFault,
  type ContractFaults,
  headerText,
  items,
  parameter,
  parametersOf,
  query,
  textOf,
  type When,
} from './shared/builders.ts'
import { frozen } from './shared/memory.ts'
import { LIST, listing, ORDERS } from './shared/operations.ts'

const wordsOf: (...request: Parameters<When>) => string = (request) => parametersOf(request).get('search') ?? ''
const searches =
  (words: RegExp): When =>
  (request) =>
    words.test(wordsOf(request))
const findingNothing = (words: RegExp): ContractFault => at(LIST, 200, searches(words)).onResponse(items(() => []))

/** Finds an order where its reference has all words. */
const inReference: ContractFault = at(ORDERS, 200, searches(/./)).onResponse((response, request) => {
  const words = wordsOf(request).toLowerCase().split(' ')
  const has = (order: Json) =>
    order instanceof Map && words.every((word) => textOf(order.get('reference')).includes(word))
  return items((orders) => orders.filter(has))(response, request)
})

export const SEARCH_FAULTS: ContractFaults = {
  'pets.list.search': listing(parameter('search', /./, undefined)),
  'pets.list.search.words': findingNothing(/[A-Z]/),
  'pets.list.search.filters': listing(query((parameters) => parameters.has('search') && parameters.delete('status'))),
  'pets.list.search.links': at(LIST, 200).onResponse(headerText('Link', (link) => link.replace(/search=[^&>]*&/g, ''))),
  'pets.list.search.fresh': frozen(LIST, searches(/./)),
  'orders.list.search.reference': at(ORDERS).onRequest(parameter('search', /./, undefined)),
  'orders.list.search.pet-name': inReference,
}
