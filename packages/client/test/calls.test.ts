// Each call sends every parameter and reads every field exactly. A parameter or field that is missing here does not
// compile.

import { expect, test } from 'bun:test'
import { answer, clientOf, withServer } from '../../../test/support/client.ts'
import { operations } from '../../contract/src/contract.ts'
import type { NewOrder, NewPet, Operations, OrderChange } from '../../contract/src/generated.ts'
import { stringifyJson } from '../../contract/src/json.ts'
import type { Event, EventFilter, Order, OrderFilter, Pet, PetFilter, PetstoreClient } from '../src/petstore.ts'

const [MIN, MAX] = [-(2n ** 63n), 2n ** 63n - 1n]
const TEXT = '  "Ü"\t\\ 🐕 \u2028 &=+%;#'
const AT = '2026-11-21T09:30:00.000Z'
const PET: Required<Pet> = { id: MAX, name: TEXT, categoryId: MIN, status: 'pending' }
const ORDER: Required<Order> = {
  id: MAX,
  petId: MAX - 1n,
  petName: TEXT,
  status: 'returned',
  placedAt: AT,
  changedAt: '2026-11-22T09:30:00.001Z',
  reference: TEXT,
  expiresAt: '2027-11-21T09:30:00.999Z',
}
const EVENT: Required<Event> = {
  id: MAX,
  type: 'order.placed',
  at: AT,
  by: TEXT,
  petId: MAX - 1n,
  petStatus: 'sold',
  pet: PET,
  orderId: MAX - 2n,
  orderStatus: 'pending',
  terms: { reference: TEXT, expiresAt: AT },
}
const LINKS = { Link: '</v1/x?cursor=N>; rel="next", </v1/x?cursor=P>; rel="prev"' }
const CURSORS = { next: 'N', prev: 'P' }

type All<Filter> = Required<Filter> & { cursor: string }
type Options = Parameters<PetstoreClient['createPet']>[1] & Parameters<PetstoreClient['updatePet']>[2]

interface Call {
  call(client: PetstoreClient, options: Options): Promise<unknown>
  /** The id in the path. */
  id?: bigint
  query?: object
  body?: object
  /** The value of the response, which is empty without it. */
  read?: object
  resolves?: unknown
}

const common = { limit: 7, sort: 'newest', cursor: 'A_-' } as const
const petQuery: All<PetFilter> = { ...common, status: 'sold', categoryId: MIN, search: TEXT }
const orderQuery: All<OrderFilter> = { ...common, status: 'returned', petId: MAX, petIds: [MAX, MIN], search: TEXT }
const eventQuery: All<EventFilter> = {
  ...common,
  petId: MAX,
  orderId: MAX - 1n,
  type: ['pet.added', 'order.expired'],
  from: 'now',
  to: '2026-11-21T02:00:00+01:00',
  wait: 1,
}
const newPet: Required<NewPet> = { name: TEXT, categoryId: MIN, status: 'sold' }
const newOrder: Required<NewOrder> = { petId: MAX, reference: TEXT, expiresAt: '2026-11-21T02:00:00+01:00' }
const orderChange: Required<OrderChange> = { reference: null, expiresAt: newOrder.expiresAt }
const orderRead = { id: MAX, read: ORDER }

const CALLS: Record<keyof Operations, Call> = {
  listPets: {
    call: (client) => client.listPage(petQuery),
    query: petQuery,
    read: [PET, { ...PET, id: MIN }],
    resolves: { pets: [PET, { ...PET, id: MIN }], ...CURSORS },
  },
  createPet: { call: (client, options) => client.createPet(newPet, options), body: newPet, read: PET },
  getPet: { call: (client, options) => client.getPet(MAX, options), id: MAX, read: PET },
  updatePet: { call: (client, options) => client.updatePet(MAX, newPet, options), id: MAX, body: newPet, read: PET },
  deletePet: { call: (client, options) => client.deletePet(MAX, options), id: MAX },
  listOrders: {
    call: (client) => client.listOrderPage(orderQuery),
    query: orderQuery,
    read: [ORDER],
    resolves: { orders: [ORDER], ...CURSORS },
  },
  placeOrder: { call: (client, options) => client.placeOrder(newOrder, options), body: newOrder, read: ORDER },
  getOrder: { call: (client, options) => client.getOrder(MAX, options), ...orderRead },
  cancelOrder: { call: (client, options) => client.cancelOrder(MAX, options), id: MAX },
  updateOrder: {
    call: (client, options) => client.updateOrder(MAX, orderChange, options),
    body: orderChange,
    ...orderRead,
  },
  completeOrder: { call: (client, options) => client.completeOrder(MAX, options), ...orderRead },
  returnOrder: { call: (client, options) => client.returnOrder(MAX, options), ...orderRead },
  getInventory: { call: (client) => client.getInventory(), read: { available: MAX, pending: 0n, sold: MAX - 1n } },
  listEvents: {
    call: (client) => client.listEvents(eventQuery),
    query: eventQuery,
    read: [EVENT],
    resolves: { events: [EVENT], next: CURSORS.next },
  },
}

test.each(Object.entries(CALLS))(
  '%s sends and reads every field',
  async (id, { call, read, resolves = read, ...sent }) => {
    const { method, path, parameters } = operations.find((one) => one.id === id) as (typeof operations)[number]
    const takes = (header: string) => parameters.some(({ name }) => name === header)
    const inBody = sent.body ? stringifyJson(sent.body) : ''
    let received: object | undefined
    await withServer(
      async (request) => {
        const { pathname, searchParams } = new URL(request.url)
        received = {
          called: `${request.method} ${pathname}`,
          query: [...searchParams],
          idempotencyKey: request.headers.get('Idempotency-Key'),
          ifMatch: request.headers.get('If-Match'),
          type: request.headers.get('Content-Type') ?? '',
          body: await request.text(),
        }
        const headers = { ...LINKS, ETag: '"new"', 'Idempotency-Replayed': 'true' }
        return read ? answer(200, stringifyJson(read), headers) : new Response(null, { status: 204 })
      },
      async (url) => {
        const [tags, replays]: [string[], true[]] = [[], []]
        const answered = await call(clientOf(url, { retries: 0 }), {
          // A proxy that compresses makes ETags weak, which never match `If-Match`.
          ifMatch: '"other", W/"tag"',
          idempotencyKey: 'till "3"',
          onEntityTag: (tag) => tags.push(tag),
          onReplayed: () => replays.push(true),
        })
        expect(answered).toEqual(resolves)
        expect(tags).toEqual(read && (sent.id || sent.body) ? ['"new"'] : [])
        expect(replays.length).toBe(takes('Idempotency-Key') ? 1 : 0)
      },
    )
    const query = Object.entries(sent.query ?? {})
    expect(received).toEqual({
      called: `${method} ${path.replace(/\{.*?\}/, String(sent.id))}`,
      query: query.flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)])),
      idempotencyKey: takes('Idempotency-Key') ? '"till \\"3\\""' : null,
      ifMatch: takes('If-Match') ? '"other", "tag"' : null,
      type: inBody && 'application/json',
      body: inBody,
    })
  },
)
