// Level `store`: what placing an order promises, and when it is refused.

import { stringifyJson } from '../../../contract/src/json.ts'
import { type Answer, number, textOf } from '../answer.ts'
import { absentId, newName } from '../fixtures.ts'
import { cancel, complete, expectInstant, expectPet, newPetId, orderBody, place, placed, readOrder } from '../orders.ts'
import type { Probe } from '../probe.ts'
import { naming } from './errors.ts'
import { after, DAY_MS } from './reservations.ts'
import { bodyRows } from './shared/bodies.ts'
import type { BodyFamily } from './shared/family.ts'
import type { PromiseRow } from './shared/promise.ts'
import { type Check, documented, header, operation, refuses, response, rowsOf, schema, writing } from './shared/rows.ts'
import { textRows } from './shared/texts.ts'

const row = rowsOf('store')
const PLACED = writing('orders.place.success')
const WRITE = { needs: ['write'] as const }
const BAD = response('placeOrder', 400)

const PLACE: BodyFamily = {
  level: 'store',
  id: 'orders.place',
  operation: 'placeOrder',
  invalid: 'invalid_order',
  refused: 'pet-id.missing',
  text: 'reference',
  body: async (probe, fields = {}) => orderBody(await newPetId(probe), fields),
  send: place,
  others: (body) => [
    body.replace('"reference":"', '"reference":"another '),
    body.replace(/"petId":\d+/, '"petId":1'),
    body.replace(/\}$/, ',"expiresAt":"2020-01-01T00:00:00Z"}'),
  ],
}

/** One order, for what is seen in its answer. */
const one = (probe: Probe) =>
  probe.shared('an order', async (own) => {
    const name = `${newName()} "the cat"`
    const reference = newName('till')
    return { name, reference, ...(await placed(own, { reference }, { name })) }
  })

const seen = (expect: (answer: Answer, of: Awaited<ReturnType<typeof one>>) => void): Check => {
  return async (probe) => {
    const order = await one(probe)
    expect(order.answer, order)
  }
}

export const placePromises: readonly PromiseRow[] = [
  row('orders.place.success', 'POST /store/orders of an available pet answers 201.')
    .from(response('placeOrder', 201), writing('pets.create.status.available', 'pets.create.id.unique'))
    .check(seen((answer) => answer.expectStatus(201))),
  row('orders.place.content-type', 'An order is application/json.')
    .from(documented('Requests and responses', 'Media type'), PLACED)
    .check(seen((answer) => answer.expectHeader('Content-Type', 'application/json'))),
  row('orders.place.location', 'Location is the path of the order.')
    .from(header('OrderLocation'), PLACED)
    .check(async (probe) => {
      const { answer } = await one(probe)
      answer.expectHeader(
        'Location',
        `${probe.target.baseUrl.pathname}/store/orders/${textOf(answer.object().get('id'))}`,
      )
    }),
  row('orders.place.etag', 'An order that was placed has the tag that GET shows.')
    .from(header('ETag'), writing('orders.place.success', 'orders.get.etag'))
    .check(async (probe) => {
      const { id, answer } = await placed(probe)
      answer.expectHeader('ETag', (await readOrder(probe, id)).header('ETag'))
    }),
  row('orders.place.request-id', 'An order that was placed has X-Request-Id.')
    .from(header('RequestId'), PLACED)
    .check(seen((answer) => answer.expectHeader('X-Request-Id', /./))),
  row('orders.place.id', 'An order has an id, an int64 from 1 upwards.')
    .from(schema('Order', 'id'), PLACED)
    .check(
      seen((answer) => {
        if (answer.expectInt64(answer.object(), 'id') < 1n)
          throw answer.broken('an id from 1 upwards', textOf(answer.object().get('id')))
      }),
    ),
  row('orders.place.pet-id', 'An order has the petId that was sent.')
    .from(schema('NewOrder', 'petId'), PLACED)
    .check(seen((answer, { petId }) => answer.expectMember(answer.object(), 'petId', number(petId)))),
  row('orders.place.pet-name', 'An order has the name of its pet.')
    .from(schema('Order', 'petName'), PLACED)
    .check(seen((answer, { name }) => answer.expectMember(answer.object(), 'petName', name))),
  row('orders.place.status', 'A new order is pending.')
    .from(schema('Order', 'status'), PLACED)
    .check(seen((answer) => answer.expectMember(answer.object(), 'status', 'pending'))),
  row('orders.place.placed-at', 'placedAt is in UTC, with milliseconds.')
    .from(schema('Order', 'placedAt'), PLACED)
    .check(seen((answer) => expectInstant(answer, answer.object(), 'placedAt'))),
  row('orders.place.changed-at', 'changedAt equals placedAt until the first change.')
    .from(schema('Order', 'changedAt'), writing('orders.place.placed-at'))
    .check(
      seen((answer) => answer.expectMember(answer.object(), 'changedAt', answer.object().get('placedAt') ?? null)),
    ),
  row('orders.place.reference', 'An order has the reference that was sent.')
    .from(schema('NewOrder', 'reference'), PLACED)
    .check(seen((answer, { reference }) => answer.expectMember(answer.object(), 'reference', reference))),
  row('orders.place.absent-fields', 'What an order does not have is left out, never null.')
    .from(documented('The store area', 'An order'), PLACED)
    .check(async (probe) => {
      const { answer } = await placed(probe, { reference: undefined })
      for (const name of ['reference', 'expiresAt'])
        if (answer.object().has(name)) throw answer.broken(`no ${name}`, answer.text)
    }),
  row('orders.place.pet-pending', 'The pet of a new order is pending.')
    .from(operation('placeOrder', 'description'), writing('orders.place.success', 'pets.get.status'))
    .check(async (probe) => {
      const { petId, answer } = await one(probe)
      answer.expectStatus(201)
      await expectPet(probe, petId, 'pending')
    }),
  row('orders.place.fields.unknown', 'Unknown fields are ignored, an id, a status and a name among them.')
    .from(schema('NewOrder'), writing('orders.place.status'))
    .check(async (probe) => {
      const { answer } = await placed(probe, { id: 1, status: 'completed', petName: 'Max', x: [] })
      answer.expectMember(answer.object(), 'status', 'pending')
      if (answer.object().get('petName') === 'Max') throw answer.broken('the name of the pet', 'petName: "Max"')
    }),
]

export const refused = (body: () => string, code = 'invalid_order', status = 400): Check =>
  refuses((probe) => probe.post('/store/orders', body()), status, code)

const PET_IDS: Record<string, readonly [string, ...string[]]> = {
  missing: ['An order without petId', '{}'],
  text: ['A petId that is a string', '{"petId":"1"}'],
  fraction: ['A petId that is a fraction', '{"petId":1.5}'],
  range: ['A petId outside int64', '{"petId":9223372036854775808}'],
  type: [
    'A petId that is true, null, an array or an object',
    ...['true', 'null', '[1]', '{}'].map((id) => `{"petId":${id}}`),
  ],
}

const UNAVAILABLE = response('placeOrder', 409)

const unavailable = (make: (probe: Probe) => Promise<string>): Check =>
  refuses(async (probe) => place(probe, orderBody(await make(probe))), 409, 'pet_not_available')

const together: Check = async (probe) => {
  const petId = await newPetId(probe)
  const all = await Promise.all(Array.from({ length: 8 }, () => place(probe, orderBody(petId))))
  for (const answer of all) answer.expectStatus(201, 409)
  const taken = all.filter(({ status }) => status === 201)
  if (taken.length > 1)
    throw (taken[1] as Answer).broken('one order of a pet', `${taken.length} orders of pet ${petId}`)
}

export const placeRefusals: readonly PromiseRow[] = [
  ...Object.entries(PET_IDS).map(([name, [words, ...bodies]]) =>
    row(`orders.place.pet-id.${name}`, `${words}: 400 invalid_order.`)
      .from(schema('NewOrder', 'petId'), WRITE)
      .check(async (probe) => {
        for (const body of bodies) await refused(() => body)(probe)
      }),
  ),
  row('orders.place.reference.null', 'A reference of null: 400 invalid_order.')
    .from(schema('NewOrder', 'reference'), WRITE)
    .check(refused(() => stringifyJson({ petId: 1, reference: null }))),
  row('orders.place.reference.type', 'A reference that is a number, true, an array or an object: 400 invalid_order.')
    .from(schema('NewOrder', 'reference'), writing('orders.place.reference.null'))
    .check(async (probe) => {
      for (const reference of [7, true, [], {}]) await refused(() => stringifyJson({ petId: 1, reference }))(probe)
    }),
  row('orders.place.message', 'The message names every wrong field.')
    .from(BAD, writing('orders.place.pet-id.missing'))
    .check(
      naming(
        (probe) => probe.post('/store/orders', '{"reference":1,"expiresAt":1}'),
        'petId',
        'reference',
        'expiresAt',
      ),
    ),
  row('orders.place.pet-not-found', 'An order of a pet that does not exist: 404 pet_not_found.')
    .from(response('placeOrder', 404), WRITE)
    .check(refused(() => orderBody(absentId()), 'pet_not_found', 404)),
  row('orders.place.pet-not-available', 'An order of a pet that is reserved: 409 pet_not_available.')
    .from(UNAVAILABLE, PLACED)
    .check(unavailable(async (probe) => (await placed(probe)).petId)),
  row('orders.place.pet-not-available.message', 'The message names the order that holds the pet, and until when.')
    .from(UNAVAILABLE, writing('orders.place.pet-not-available', 'orders.place.expires-at'))
    .check(async (probe) => {
      const until = await after(probe, DAY_MS)
      const { id, petId } = await placed(probe, { expiresAt: until })
      const answer = (await place(probe, orderBody(petId))).expectStatus(409)
      const message = String(answer.object().get('message'))
      for (const part of [petId, id, until])
        if (!message.includes(part)) throw answer.broken(`a message that names ${part}`, message)
    }),
  row('orders.place.pet-sold', 'An order of a pet that is sold: 409 pet_not_available.')
    .from(UNAVAILABLE, writing('orders.complete.success'))
    .check(
      unavailable(async (probe) => {
        const { id, petId } = await placed(probe)
        ;(await complete(probe, id)).expectStatus(200)
        return petId
      }),
    ),
  ...(['pending', 'sold'] as const).map((status) =>
    row(
      `orders.place.pet-added-as-${status}`,
      `A pet that was added as ${status} cannot be ordered: 409 pet_not_available.`,
    )
      .from(documented('The store area', 'One order a pet'), PLACED)
      .check(unavailable((probe) => newPetId(probe, { status }))),
  ),
  row('orders.place.together', 'Of orders of one pet at the same time, one at most is placed.')
    .from(documented('The store area', 'One order a pet'), PLACED)
    .check(together),
  row('orders.place.again', 'A pet can be ordered again once it is available again.')
    .from(operation('cancelOrder', 'description'), writing('orders.cancel.pet'))
    .check(async (probe) => {
      const { id, petId } = await placed(probe)
      ;(await cancel(probe, id)).expectStatus(204)
      const again = await place(probe, orderBody(petId))
      if (again.status !== 201) await expectPet(probe, petId, 'available')
      again.expectStatus(201)
    }),
]

export const placeBodies: readonly PromiseRow[] = [
  ...textRows(PLACE, schema('NewOrder', 'reference')),
  ...bodyRows(PLACE),
]
