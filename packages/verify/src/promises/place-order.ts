// Level `store`: placing orders, the errors, and repeats with an Idempotency-Key.

import { stringifyJson } from '../../../contract/src/json.ts'
import { number } from '../answer.ts'
import { absentId, newName, petBody } from '../fixtures.ts'
import { expectPet, moves, newPetId, orderBody, orderThatIs, place, placed, REACHED_ALL } from '../orders.ts'
import type { Probe } from '../probe.ts'
import { CREATE } from './create-pet.ts'
import { naming } from './errors.ts'
import { DAY_MS, inTwoHours, serverTimeIn } from './reservations.ts'
import { bodyRows, textRows } from './shared/bodies.ts'
import { createOnce, expectReplay, newKey, replaysAfter, under } from './shared/idempotency.ts'
import { belowBase } from './shared/links.ts'
import type { BodyFamily } from './shared/promise.ts'
import { documented, header, ofStore, operation, refuses, response, rowsOf, schema, writing } from './shared/rows.ts'

const row = rowsOf('store')
const SET = ['id', 'petName', 'status', 'placedAt', 'changedAt']
const PLACED = writing('orders.place.success')
const PLACE: BodyFamily = {
  id: 'orders.place',
  invalid: 'invalid_order',
  text: 'reference',
  body: async (probe, fields = {}) => orderBody(await newPetId(probe), fields),
  send: place,
  others: (body) => [
    body.replace('"reference":"', '"reference":"another '),
    body.replace(/"petId":\d+/, '"petId":1'),
    body.replace(/\}$/, ',"expiresAt":"2020-01-01T00:00:00Z"}'),
  ],
}

/** An order for checks that only read its response. */
const sharedOrder = (probe: Probe) =>
  probe.shared('an order', async (own) => {
    const name = `${newName()} "the cat"`
    const reference = newName('till')
    return { name, reference, ...(await placed(own, { reference }, { name })) }
  })

const UNAVAILABLE = response('placeOrder', 409)

/** A description, the pet and the premises, by the end of the id. */
const UNAVAILABLE_PETS: Record<string, readonly [string, (probe: Probe) => Promise<string>, ...string[]]> = {
  'not-available': ['is reserved', async (probe) => (await placed(probe)).petId],
  sold: ['is sold', async (probe) => (await orderThatIs(probe, 'completed')).petId, 'orders.complete.success'],
  'added-as-pending': ['was created as pending', (probe) => newPetId(probe, { status: 'pending' })],
  'added-as-sold': ['was created as sold', (probe) => newPetId(probe, { status: 'sold' })],
}

const KEY = ofStore('Repeats')

export const placePromises = [
  row('orders.place.success', 'POST /store/orders for an available pet returns 201.')
    .from(response('placeOrder', 201), writing('pets.create.status.available', 'pets.create.id.unique'))
    .check(async (probe) => (await sharedOrder(probe)).answer.expectStatus(201)),
  row('orders.place.headers', 'The response is application/json and has X-Request-Id, and Location with the path.')
    .from([header('OrderLocation'), header('RequestId'), documented('Requests and responses', 'Media type')], PLACED)
    .check(async (probe) => {
      const { id, answer } = await sharedOrder(probe)
      belowBase(probe, answer, answer.header('Location') ?? '')
      answer
        .expectHeader('Location', `${probe.target.baseUrl.pathname}/store/orders/${id}`)
        .expectHeader('Content-Type', 'application/json')
        .expectHeader('X-Request-Id', /./)
    }),
  row('orders.place.order', 'A new order is pending, with an id of at least 1, the fields sent, petName and placedAt.')
    .from([...schema('Order', ...SET), ...schema('NewOrder', 'petId', 'reference')], PLACED)
    .check(async (probe) => {
      const { petId, name, reference, answer } = await sharedOrder(probe)
      answer.expect(answer.expectInt64('id') >= 1n, 'an id of at least 1', answer.id)
      answer.expectInstant('placedAt')
      answer
        .expectMembers(Object.entries({ petId: number(petId), petName: name, reference, status: 'pending' }))
        .expectMember('changedAt', answer.object().get('placedAt'))
    }),
  row('orders.place.absent-fields', 'Absent fields are omitted, never null. Unknown fields are ignored.')
    .from([ofStore('An order'), schema('NewOrder')], writing('orders.place.order'))
    .check(async (probe) => {
      const unknown = { id: 1, status: 'completed', petName: 'Max', x: [] }
      const { answer } = await placed(probe, { reference: undefined, ...unknown })
      answer.expectMembers(Object.entries({ reference: undefined, expiresAt: undefined, status: 'pending' }))
      answer.expect(answer.object().get('petName') !== 'Max', 'the name of the pet', 'petName: "Max"')
    }),
  row('orders.place.pet-pending', "The order's pet becomes pending.")
    .from(operation('placeOrder', 'description'), writing('orders.place.success', 'pets.get.status'))
    .check(async (probe) => {
      const { petId, answer } = await sharedOrder(probe)
      answer.expectStatus(201)
      await expectPet(probe, petId, 'pending')
    }),
  row('orders.place.message', 'The message names every invalid field.')
    .from(response('placeOrder', 400), writing('orders.place.refused.code'))
    .check(naming('POST /store/orders', '{"reference":1,"expiresAt":1}', 'petId', 'reference', 'expiresAt')),
  row('orders.place.pet-not-found', 'An order for a pet that does not exist: 404 pet_not_found.')
    .from(response('placeOrder', 404), writing())
    .check(refuses((probe) => probe.post('/store/orders', orderBody(absentId())), 404, 'pet_not_found')),
  ...Object.entries(UNAVAILABLE_PETS).map(([name, [words, petId, ...premises]]) =>
    row(`orders.place.pet-${name}`, `An order for a pet that ${words}: 409 pet_not_available.`)
      .from([UNAVAILABLE, ofStore('One order a pet')], writing('orders.place.success', ...premises))
      .check(refuses(async (probe) => place(probe, orderBody(await petId(probe))), 409, 'pet_not_available')),
  ),
  row('orders.place.pet-not-available.message', 'The message names the order that holds the pet, and its expiry.')
    .from(UNAVAILABLE, writing('orders.place.pet-not-available', 'orders.place.expires-at'))
    .check(async (probe) => {
      const until = await serverTimeIn(probe, DAY_MS)
      const { id, petId } = await placed(probe, { expiresAt: until })
      ;(await place(probe, orderBody(petId))).expectStatus(409).expectNamed(petId, id, until)
    }),
  row('orders.place.together', 'At most one of several simultaneous orders for a pet is placed.')
    .from(ofStore('One order a pet'), PLACED)
    .check(async (probe) => {
      const petId = await newPetId(probe)
      const all = await Promise.all(Array.from({ length: 8 }, () => place(probe, orderBody(petId))))
      const [, second] = all.filter((answer) => answer.expectStatus(201, 409).status === 201)
      if (second) throw second.broken('one order for the pet', `several for pet ${petId}`)
    }),
  row('orders.place.again', 'A pet can be ordered again once it is available again.')
    .from(operation('cancelOrder', 'description'), writing('orders.cancel.pet'))
    .check(async (probe) => {
      const { petId } = await orderThatIs(probe, 'cancelled')
      const again = await place(probe, orderBody(petId))
      if (again.status !== 201) await expectPet(probe, petId, 'available')
      again.expectStatus(201)
    }),
  ...textRows(PLACE, schema('NewOrder', 'reference'), 'orders.place.order'),
  ...bodyRows(PLACE),
  row('orders.place.idempotency.instant', 'The same instant with another offset is the same request.')
    .from(KEY, writing('orders.place.idempotency.replay', 'orders.place.expires-at'))
    .check(async (probe) => {
      const [options, petId, until] = [under(newKey()), await newPetId(probe), await serverTimeIn(probe, DAY_MS)]
      const body = (expiresAt: string) => stringifyJson({ petId: number(petId), expiresAt })
      const first = (await place(probe, body(until), options)).expectStatus(201)
      expectReplay(await place(probe, body(inTwoHours(until)), options), first)
    }),
  row('orders.place.idempotency.later', 'A replay returns the first response, even after the order has ended.')
    .from(KEY, writing('orders.place.idempotency.replay', ...REACHED_ALL))
    .check(
      replaysAfter(PLACE, moves.complete, moves.cancel, async (probe, id) => {
        for (const step of [moves.complete, moves.return]) (await step(probe, id)).expectStatus(200)
      }),
    ),
  row('orders.place.idempotency.before-state', 'A used Idempotency-Key with another request: 422 before 404.')
    .from(KEY, writing('orders.place.idempotency.mismatch'))
    .check(async (probe) => {
      const { key, repeat } = await createOnce(PLACE, probe)
      ;(await repeat(key, orderBody(absentId()))).expectError(422, 'idempotency_mismatch')
    }),
  row('orders.place.idempotency.one-name-space', 'A used Idempotency-Key of a pet: 422 for an order, and vice versa.')
    .from(KEY, writing('orders.place.idempotency.mismatch', 'pets.create.idempotency.mismatch'))
    .check(async (probe) => {
      const [ofPet, ofOrder] = [await createOnce(CREATE, probe), await createOnce(PLACE, probe)]
      ;(await place(probe, await PLACE.body(probe), under(ofPet.key))).expectError(422, 'idempotency_mismatch')
      ;(await probe.post('/pets', petBody(), under(ofOrder.key))).expectError(422, 'idempotency_mismatch')
    }),
  row('pets.create.idempotency.ordered', 'A replay returns the first response, even after the pet was ordered.')
    .from(KEY, writing('pets.create.idempotency.replay', 'orders.place.success'))
    .check(replaysAfter(CREATE, (probe, id) => place(probe, orderBody(id)))),
]
