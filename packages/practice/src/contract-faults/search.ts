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

/** Finds an order where all words are in one of these fields. */
const inOneOf = (...fields: string[]): ContractFault =>
  at(ORDERS, 200, searches(/./)).onResponse((response, request) => {
    const words = wordsOf(request).toLowerCase().split(' ')
    const has = (order: Json) => (field: string) => {
      const text = order instanceof Map ? textOf(order.get(field)).toLowerCase() : ''
      return words.every((word) => text.includes(word))
    }
    return items((orders) => orders.filter((order) => fields.some(has(order))))(response, request)
  })

export const SEARCH_FAULTS: ContractFaults = {
  'pets.list.search': listing(parameter('search', /./, undefined)),
  'pets.list.search.begin': at(
    LIST,
    200,
    (request, { body }) => searches(/^\w+$/)(request) && body.length === 2,
  ).resending(parameter('search', /./, undefined)),
  'pets.list.search.folded': findingNothing(/[A-Z]/),
  'pets.list.search.characters': findingNothing(/^[\u4e00-\u9fff]$/),
  'pets.list.search.filters': listing(query((parameters) => parameters.has('search') && parameters.delete('status'))),
  'pets.list.search.links': at(LIST, 200).onResponse(headerText('Link', (link) => link.replace(/search=[^&>]*&/g, ''))),
  'pets.list.search.fresh': frozen(LIST, searches(/./)),
  'orders.list.search.reference': at(ORDERS).onRequest(parameter('search', /./, undefined)),
  'orders.list.search.pet-name': inOneOf('reference'),
  'orders.list.search.both': inOneOf('reference', 'petName'),
}
