// Each sentence of the contract that binds a server, with the promises that check it. A new sentence with one of these
// words needs a line here.

import { expect, test } from 'bun:test'
import document from '../../../openapi.yaml'
import { PROMISES } from '../src/promises/all.ts'

const BINDING = /\b(?:must|never|always|only|exactly|at least)\b/i

/** The beginning of the sentence, and ids of promises. */
const CHECKED: Record<string, readonly string[]> = {
  'Paths match exactly.': ['paths.trailing-slash', 'paths.case'],
  '**Request ids.** Every error and every change has `X-Request-Id`': ['answers.headers', 'errors.headers'],
  'A client that follows `next` sees every pet exactly once.': ['pets.list.next.follow', 'pets.list.next.while-added'],
  'A value out of bounds is an error; it is never clamped.': ['pets.list.limit.wrong', 'orders.list.limit.wrong'],
  'Returns only the pets with this status.': ['pets.list.status.sold'],
  'Returns only the pets of this category': ['pets.list.category'],
  'Returns only the pets for which each word': ['pets.list.search'],
  'At most 8 words as written, and at least one letter or digit.': ['pets.list.search.wrong'],
  '`status` can only be changed to `available`': ['pets.update.status', 'pets.update.held'],
  'Otherwise only orders change it.': ['pets.update.status'],
  'Deletes a pet that was never ordered.': ['pets.delete.success', 'pets.delete.ordered'],
  'It disappears from the lists and the inventory, and its id is never reused.': ['pets.delete.replay'],
  'A client that follows `next` sees every order exactly once.': ['orders.list.next.follow'],
  'Returns only the orders with this status.': ['orders.list.status.pending'],
  'Returns only the orders for this pet': ['orders.list.pet'],
  'Returns only the orders for these pets': ['orders.list.pets', 'orders.list.pet-ids.wrong'],
  'Returns only the orders for which each word': ['orders.list.search.reference', 'orders.list.search.pet-name'],
  'All three are always present.': ['inventory.get.success'],
  'An event exists exactly if its change does, and never changes.': ['events.list.happened', 'events.list.constant'],
  'A client that follows it sees every event exactly once': ['events.list.next.follow', 'events.list.order'],
  'Without `petId`, `orderId`, `type` and `to`, a page': ['events.list.next.later'],
  'Returns only the events of this pet': ['events.list.pet-filter'],
  'Returns only the events of this order': ['events.list.order-filter'],
  'Returns only events of this type': ['events.list.type'],
  'So consecutive intervals have each event exactly once': ['events.list.from.time'],
  'Responds, or makes the change, only if the current entity tag is one of these': ['pets.get.if-match.other'],
  'Tags are in double quotes, separated by commas': ['pets.get.if-match', 'pets.get.if-none-match'],
  'Responds only if the current entity tag is none of these': ['pets.get.if-none-match'],
  'Makes the change only if the entity tag of the pet or order is none': ['pets.update.if-none-match'],
  "The pet's name: 1 to 255 Unicode code points, at least one": ['pets.create.name.refused', 'pets.create.name.exact'],
  'Unique identifier that the service assigns on creation and never reuses.': ['pets.create.id.rising'],
  'The fields of a pet to change, at least one of them.': ['pets.update.nothing'],
  'Free text of the client, such as a receipt': ['orders.place.reference.refused'],
  'The fields of an order to change, at least one of them.': ['orders.update.nothing'],
  'Events never change': ['events.list.constant'],
  '`order_not_pending` (409)': ['orders.complete.conflict', 'orders.expiry.overdue'],
  '`order_not_completed` (409)': ['orders.return.conflict'],
  '`<...>; rel="next"` if and only if more pets follow': ['pets.list.next', 'pets.list.next.none', 'pets.list.prev'],
  '`<...>; rel="next"` if and only if more orders follow': ['orders.list.next', 'orders.list.next.none'],
  'Always `private, no-cache`.': ['pets.list.cache-control'],
  'Always `no-store`.': ['events.list.cache-control', 'answers.no-store'],
  'The API key is read-only': ['keys.read-only.create'],
  '`read_only_key` (403)': ['keys.read-only.create'],
  'If the change may have been made, `message` says so; with an `Idempotency-Key`': ['pets.create.idempotency.replay'],
}

/** Sentences about clients, about other versions, or about states that no request to a server can bring about. */
const UNCHECKED = [
  'Only `PUT /names`',
  'Treat an unknown code by its status',
  'A client with 53-bit numbers must parse them from the text.',
  '`beta`: it is complete, and changes only after',
  'With the `status` filter, it sees each pet that keeps its status exactly once',
  'With the `status` filter, it sees each order that keeps its status exactly once',
  'The service remembers it for at least 24 hours',
  'After the store was restored or copied',
  'Events after it may never have happened.',
  'Unique identifier that the service assigns and never reuses.',
  'Version 1.1.0 wrote them in `order.placed` and `order.changed` only',
]

/** Returns the descriptions below a node of the contract. */
function descriptionsOf(node: unknown): string[] {
  if (!(node instanceof Object)) return []
  const { description } = node as { description?: unknown }
  return [...(typeof description === 'string' ? [description] : []), ...Object.values(node).flatMap(descriptionsOf)]
}

const sentences = descriptionsOf(document)
  .flatMap((text) =>
    text
      .replaceAll(/\n- /g, '. ')
      .replaceAll(/\s+/g, ' ')
      .split(/(?<=[.:)]) (?=[A-Z`*<])/),
  )
  .filter((sentence) => BINDING.test(sentence))

test('each binding sentence has a promise, or is listed as one that no request can check', () => {
  const known = [...Object.keys(CHECKED), ...UNCHECKED]
  expect(sentences.length).toBeGreaterThan(50)
  expect(sentences.filter((sentence) => !known.some((begin) => sentence.startsWith(begin)))).toEqual([])
  expect(known.filter((begin) => !sentences.some((sentence) => sentence.startsWith(begin)))).toEqual([])
})

test('each promise of the list exists', () => {
  const ids = PROMISES.map(({ id }) => id)
  expect(
    Object.values(CHECKED)
      .flat()
      .filter((id) => !ids.includes(id)),
  ).toEqual([])
})
