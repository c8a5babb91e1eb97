// Level `store`: what placing an order promises, and what a reservation that ends by itself becomes.

import { stringifyJson } from '../../json/json.ts'
import { type Answer, number, textOf } from '../answer.ts'
import { absentId, newName, prepared } from '../fixtures.ts'
import {
  cancel,
  complete,
  expectInstant,
  expectPet,
  expectUnchanged,
  giveBack,
  newPetId,
  orderBody,
  place,
  placed,
  readOrder,
} from '../orders.ts'
import type { Probe } from '../probe.ts'
import type { PromiseRow } from '../promise.ts'
import { type BodyFamily, bodyRows, textRows } from './bodies.ts'
import { naming } from './errors.ts'
import { type Check, documented, header, operation, refuses, rowsOf, schema, writing } from './rows.ts'

const row = rowsOf('store')
const PLACED = writing('orders.place.success')
const WRITE = { needs: ['write'] as const }
const BAD = operation('placeOrder', 'responses', '400')

const PLACE: BodyFamily = {
  level: 'store',
  id: 'orders.place',
  operation: 'placeOrder',
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

const answer = [
  row(
    'orders.place.success',
    'POST /store/orders of an available pet answers 201.',
    operation('placeOrder', 'responses', '201'),
    seen((answer) => answer.expectStatus(201)),
    writing('pets.create.status.available'),
  ),
  row(
    'orders.place.content-type',
    'An order is application/json.',
    documented('Requests and responses', 'Media type'),
    seen((answer) => answer.expectHeader('Content-Type', 'application/json')),
    PLACED,
  ),
  row(
    'orders.place.location',
    'Location is the path of the order.',
    header('OrderLocation'),
    async (probe) => {
      const { answer } = await one(probe)
      answer.expectHeader(
        'Location',
        `${probe.target.baseUrl.pathname}/store/orders/${textOf(answer.object().get('id'))}`,
      )
    },
    PLACED,
  ),
  row(
    'orders.place.request-id',
    'An order that was placed has X-Request-Id.',
    header('RequestId'),
    seen((answer) => answer.expectHeader('X-Request-Id', /./)),
    PLACED,
  ),
  row(
    'orders.place.id',
    'An order has an id, an int64 from 1 upwards.',
    schema('Order', 'id'),
    seen((answer) => {
      if (answer.expectInt64(answer.object(), 'id') < 1n)
        throw answer.broken('an id from 1 upwards', textOf(answer.object().get('id')))
    }),
    PLACED,
  ),
  row(
    'orders.place.pet-id',
    'An order has the petId that was sent.',
    schema('NewOrder', 'petId'),
    seen((answer, { petId }) => answer.expectMember(answer.object(), 'petId', number(petId))),
    PLACED,
  ),
  row(
    'orders.place.pet-name',
    'An order has the name of its pet.',
    schema('Order', 'petName'),
    seen((answer, { name }) => answer.expectMember(answer.object(), 'petName', name)),
    PLACED,
  ),
  row(
    'orders.place.status',
    'A new order is pending.',
    schema('Order', 'status'),
    seen((answer) => answer.expectMember(answer.object(), 'status', 'pending')),
    PLACED,
  ),
  row(
    'orders.place.placed-at',
    'placedAt is in UTC, with milliseconds.',
    schema('Order', 'placedAt'),
    seen((answer) => expectInstant(answer, answer.object(), 'placedAt')),
    PLACED,
  ),
  row(
    'orders.place.changed-at',
    'changedAt equals placedAt until the first change.',
    schema('Order', 'changedAt'),
    seen((answer) => answer.expectMember(answer.object(), 'changedAt', answer.object().get('placedAt') ?? null)),
    writing('orders.place.placed-at'),
  ),
  row(
    'orders.place.reference',
    'An order has the reference that was sent.',
    schema('NewOrder', 'reference'),
    seen((answer, { reference }) => answer.expectMember(answer.object(), 'reference', reference)),
    PLACED,
  ),
  row(
    'orders.place.absent-fields',
    'What an order does not have is left out, never null.',
    documented('The store area', 'An order'),
    async (probe) => {
      const { answer } = await placed(probe, { reference: undefined })
      for (const name of ['reference', 'expiresAt'])
        if (answer.object().has(name)) throw answer.broken(`no ${name}`, answer.text)
    },
    PLACED,
  ),
  row(
    'orders.place.pet-pending',
    'The pet of a new order is pending.',
    operation('placeOrder', 'description'),
    async (probe) => {
      const { petId, answer } = await one(probe)
      answer.expectStatus(201)
      await expectPet(probe, petId, 'pending')
    },
    writing('orders.place.success', 'pets.get.status'),
  ),
  row(
    'orders.place.fields.unknown',
    'Unknown fields are ignored, an id, a status and a name among them.',
    schema('NewOrder'),
    async (probe) => {
      const { answer } = await placed(probe, { id: 1, status: 'completed', petName: 'Max', x: [] })
      answer.expectMember(answer.object(), 'status', 'pending')
      if (answer.object().get('petName') === 'Max') throw answer.broken('the name of the pet', 'petName: "Max"')
    },
    writing('orders.place.status'),
  ),
]

const DAY_MS = 86_400_000
const EXPIRES = schema('NewOrder', 'expiresAt')

/** How far the server's clock is ahead of ours. */
const clockOffset = (probe: Probe) =>
  prepared(probe, 'clock', async (own) => {
    const { answer } = await placed(own)
    return expectInstant(answer, answer.object(), 'placedAt') - Date.now()
  })
/** So many milliseconds from now by the server's clock. */
export const after = async (probe: Probe, ms: number) =>
  new Date(Date.now() + (await clockOffset(probe)) + ms).toISOString()

const expiresAs = (write: (utc: string) => string, ms = DAY_MS): Check => {
  return async (probe) => {
    const until = await after(probe, ms)
    const { answer } = await placed(probe, { expiresAt: write(until) })
    answer.expectMember(answer.object(), 'expiresAt', until)
  }
}
const refusesExpiry = (...values: ((probe: Probe) => unknown)[]): Check => {
  return async (probe) => {
    for (const value of values) {
      const body = orderBody(await newPetId(probe), { expiresAt: await value(probe) })
      ;(await place(probe, body)).expectError(400, 'invalid_order')
    }
  }
}
const inTwoHours = (utc: string) => new Date(Date.parse(utc) + 7_200_000).toISOString().replace('Z', '+02:00')
const TIMED = writing('orders.place.placed-at')

const expiresAt = [
  row(
    'orders.place.expires-at',
    'expiresAt comes back in UTC with milliseconds.',
    EXPIRES,
    expiresAs((utc) => utc),
    TIMED,
  ),
  row(
    'orders.place.expires-at.offset',
    'expiresAt may have any offset.',
    EXPIRES,
    expiresAs(inTwoHours),
    writing('orders.place.expires-at'),
  ),
  row(
    'orders.place.expires-at.spelling',
    'Small t and z, -00:00 and nine digits of a fraction are read.',
    'RFC 3339, section 5.6',
    async (probe) => {
      await expiresAs((utc) => utc.replace('T', 't').replace('Z', '999999z'))(probe)
      await expiresAs((utc) => utc.replace('Z', '-00:00'))(probe)
    },
    writing('orders.place.expires-at'),
  ),
  row(
    'orders.place.expires-at.furthest',
    'A reservation of almost 366 days is taken.',
    EXPIRES,
    expiresAs((utc) => utc, 366 * DAY_MS - 600_000),
    writing('orders.place.expires-at'),
  ),
  row(
    'orders.place.expires-at.too-far',
    'A reservation of more than 366 days: 400 invalid_order.',
    EXPIRES,
    refusesExpiry(
      (probe) => after(probe, 366 * DAY_MS + 600_000),
      () => '9999-12-31T23:59:59-23:59',
    ),
    TIMED,
  ),
  row(
    'orders.place.expires-at.past',
    'An expiresAt in the past: 400 invalid_order.',
    EXPIRES,
    refusesExpiry(
      (probe) => after(probe, -600_000),
      () => '0001-01-01T00:00:00Z',
    ),
    TIMED,
  ),
  row(
    'orders.place.expires-at.invalid',
    'An expiresAt without offset or seconds, with a space, 24:00:00, a leap second or 30 February: 400 invalid_order.',
    documented('The store area', 'Times'),
    async (probe) => {
      const day = (await after(probe, 2 * DAY_MS)).slice(0, 10)
      const wrong = ['T18:00:00', ' 18:00:00Z', 'T18:00Z', 'T24:00:00Z', 'T18:00:60Z', 'T18:00:00+02'].map(
        (time) => () => day + time,
      )
      await refusesExpiry(...wrong, () => `${Number(day.slice(0, 4)) + 1}-02-30T18:00:00Z`)(probe)
    },
    TIMED,
  ),
  row(
    'orders.place.expires-at.type',
    'An expiresAt that is null or a number: 400 invalid_order.',
    EXPIRES,
    refusesExpiry(
      () => null,
      () => 1795284000000,
    ),
    WRITE,
  ),
]

const refused = (body: () => string, code = 'invalid_order', status = 400): Check =>
  refuses((probe) => probe.post('/store/orders', body()), status, code)
const PET_IDS: Record<string, readonly [string, string]> = {
  missing: ['An order without petId', '{}'],
  text: ['A petId that is a string', '{"petId":"1"}'],
  fraction: ['A petId that is a fraction', '{"petId":1.5}'],
  range: ['A petId outside int64', '{"petId":9223372036854775808}'],
}
const UNAVAILABLE = operation('placeOrder', 'responses', '409')
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

const refusals = [
  ...Object.entries(PET_IDS).map(([name, [words, body]]) =>
    row(
      `orders.place.pet-id.${name}`,
      `${words}: 400 invalid_order.`,
      schema('NewOrder', 'petId'),
      refused(() => body),
      WRITE,
    ),
  ),
  row(
    'orders.place.reference.null',
    'A reference of null: 400 invalid_order.',
    schema('NewOrder', 'reference'),
    refused(() => stringifyJson({ petId: 1, reference: null })),
    WRITE,
  ),
  row(
    'orders.place.message',
    'The message names every wrong field.',
    BAD,
    naming((probe) => probe.post('/store/orders', '{"reference":1,"expiresAt":1}'), 'petId', 'reference', 'expiresAt'),
    writing('orders.place.pet-id.missing'),
  ),
  row(
    'orders.place.pet-not-found',
    'An order of a pet that does not exist: 404 pet_not_found.',
    operation('placeOrder', 'responses', '404'),
    refused(() => orderBody(absentId()), 'pet_not_found', 404),
    WRITE,
  ),
  row(
    'orders.place.pet-not-available',
    'An order of a pet that is reserved: 409 pet_not_available.',
    UNAVAILABLE,
    unavailable(async (probe) => (await placed(probe)).petId),
    PLACED,
  ),
  row(
    'orders.place.pet-not-available.message',
    'The message names the order that holds the pet, and until when.',
    UNAVAILABLE,
    async (probe) => {
      const until = await after(probe, DAY_MS)
      const { id, petId } = await placed(probe, { expiresAt: until })
      const answer = (await place(probe, orderBody(petId))).expectStatus(409)
      const message = String(answer.object().get('message'))
      for (const part of [petId, id, until])
        if (!message.includes(part)) throw answer.broken(`a message that names ${part}`, message)
    },
    writing('orders.place.pet-not-available', 'orders.place.expires-at'),
  ),
  row(
    'orders.place.pet-sold',
    'An order of a pet that is sold: 409 pet_not_available.',
    UNAVAILABLE,
    unavailable(async (probe) => {
      const { id, petId } = await placed(probe)
      ;(await complete(probe, id)).expectStatus(200)
      return petId
    }),
    writing('orders.complete.success'),
  ),
  ...(['pending', 'sold'] as const).map((status) =>
    row(
      `orders.place.pet-added-as-${status}`,
      `A pet that was added as ${status} cannot be ordered: 409 pet_not_available.`,
      documented('The store area', 'One order a pet'),
      unavailable((probe) => newPetId(probe, { status })),
      PLACED,
    ),
  ),
  row(
    'orders.place.together',
    'Of orders of one pet at the same time, one at most is placed.',
    documented('The store area', 'One order a pet'),
    together,
    PLACED,
  ),
  row(
    'orders.place.again',
    'A pet can be ordered again once it is available again.',
    operation('cancelOrder', 'description'),
    async (probe) => {
      const { id, petId } = await placed(probe)
      ;(await cancel(probe, id)).expectStatus(204)
      const again = await place(probe, orderBody(petId))
      if (again.status !== 201) await expectPet(probe, petId, 'available')
      again.expectStatus(201)
    },
    writing('orders.cancel.pet'),
  ),
]

const REPLAY = writing('orders.place.idempotency.replay')
const KEY = documented('The store area', 'Repeats')
const under = (key: string) => ({ headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key } })
const newKey = () => `"${crypto.randomUUID()}"`
const expectReplay = (again: Answer, first: Answer) => {
  again.expectStatus(201).expectHeader('Location', first.header('Location'))
  if (again.text !== first.text) throw again.broken(`the first answer: ${first.text}`, again.text)
}

const repeats = [
  row(
    'orders.place.idempotency.instant',
    'The same instant in another offset is the same request.',
    KEY,
    async (probe) => {
      const [key, petId, until] = [newKey(), await newPetId(probe), await after(probe, DAY_MS)]
      const body = (expiresAt: string) => stringifyJson({ petId: number(petId), expiresAt })
      const first = (await place(probe, body(until), under(key))).expectStatus(201)
      expectReplay(await place(probe, body(inTwoHours(until)), under(key)), first)
    },
    writing('orders.place.idempotency.replay', 'orders.place.expires-at'),
  ),
  ...(
    [
      ['completed', [complete]],
      ['cancelled', [cancel]],
      ['returned', [complete, giveBack]],
    ] as const
  ).map(([fate, steps]) =>
    row(
      `orders.place.idempotency.${fate}`,
      `A replay gives the first answer, also when the order was ${fate}.`,
      KEY,
      async (probe) => {
        const [key, body] = [newKey(), orderBody(await newPetId(probe))]
        const first = (await place(probe, body, under(key))).expectStatus(201)
        for (const step of steps) (await step(probe, textOf(first.object().get('id')))).expectStatus(200, 204)
        expectReplay(await place(probe, body, under(key)), first)
      },
      REPLAY,
    ),
  ),
  row(
    'orders.place.idempotency.before-state',
    'A used Idempotency-Key with another request is 422 before 404.',
    KEY,
    async (probe) => {
      const key = newKey()
      ;(await place(probe, orderBody(await newPetId(probe)), under(key))).expectStatus(201)
      ;(await place(probe, orderBody(absentId()), under(key))).expectError(422, 'idempotency_mismatch')
    },
    writing('orders.place.idempotency.mismatch'),
  ),
  row(
    'orders.place.idempotency.one-name-space',
    'An Idempotency-Key of a pet is refused for an order, and the reverse: 422.',
    KEY,
    async (probe) => {
      const [ofPet, ofOrder] = [newKey(), newKey()]
      const pet = stringifyJson({ name: newName(), categoryId: 7n })
      ;(await probe.post('/pets', pet, under(ofPet))).expectStatus(201)
      ;(await place(probe, orderBody(await newPetId(probe)), under(ofPet))).expectError(422, 'idempotency_mismatch')
      ;(await place(probe, orderBody(await newPetId(probe)), under(ofOrder))).expectStatus(201)
      ;(await probe.post('/pets', pet, under(ofOrder))).expectError(422, 'idempotency_mismatch')
    },
    writing('orders.place.idempotency.mismatch', 'pets.create.idempotency.mismatch'),
  ),
  row(
    'pets.create.idempotency.ordered',
    'A replay of a create gives the first answer, also when the pet was ordered.',
    documented('The store area', 'Repeats'),
    async (probe) => {
      const [key, body] = [newKey(), stringifyJson({ name: newName(), categoryId: 7n })]
      const first = (await probe.post('/pets', body, under(key))).expectStatus(201)
      await place(probe, orderBody(textOf(first.object().get('id'))))
      const again = (await probe.post('/pets', body, under(key))).expectStatus(201)
      if (again.text !== first.text) throw again.broken(first.text, again.text)
    },
    writing('pets.create.idempotency.replay', 'orders.place.success'),
  ),
]

const RESERVED_MS = 1_000
const LATE_MS = 4_000

/** A reservation whose time has passed, as it was answered, and what has become of it. */
export const expired = (probe: Probe) =>
  probe.shared('expired', async (own) => {
    const key = newKey()
    const expiresAt = await after(own, RESERVED_MS)
    const body = orderBody(await newPetId(own), { expiresAt })
    const first = (await place(own, body, under(key))).expectStatus(201)
    const id = textOf(first.object().get('id'))
    const endsAt = performance.now() + RESERVED_MS + LATE_MS
    let now = await readOrder(own, id)
    while (now.object().get('status') === 'pending' && performance.now() < endsAt) {
      await Bun.sleep(100)
      now = await readOrder(own, id)
    }
    return { key, body, first, now, id, petId: textOf(first.object().get('petId')) }
  })
const EXPIRED = writing('orders.expiry')
const ENDS = documented('The store area', 'Reservations that end')

const expiry = [
  row(
    'orders.expiry',
    'A reservation ends by itself at expiresAt: the order is expired.',
    ENDS,
    async (probe) => {
      const { now } = await expired(probe)
      now.expectMember(now.object(), 'status', 'expired')
    },
    writing('orders.place.expires-at'),
  ),
  row(
    'orders.expiry.changed-at',
    'changedAt of an expired order is not before expiresAt.',
    schema('Order', 'changedAt'),
    async (probe) => {
      const { now } = await expired(probe)
      const [changedAt, expiresAt] = ['changedAt', 'expiresAt'].map((name) =>
        expectInstant(now, now.object(), name),
      ) as [number, number]
      if (changedAt < expiresAt) throw now.broken('changedAt not before expiresAt', now.text)
    },
    EXPIRED,
  ),
  row(
    'orders.expiry.pet',
    'The pet of an expired reservation is available.',
    ENDS,
    async (probe) => expectPet(probe, (await expired(probe)).petId, 'available'),
    writing('orders.expiry', 'pets.get.status'),
  ),
  row(
    'orders.expiry.complete',
    'An expired order cannot be completed: 409 order_not_pending.',
    ENDS,
    refuses(async (probe) => complete(probe, (await expired(probe)).id), 409, 'order_not_pending'),
    EXPIRED,
  ),
  row(
    'orders.expiry.return',
    'An expired order cannot be returned: 409 order_not_completed.',
    ENDS,
    refuses(async (probe) => giveBack(probe, (await expired(probe)).id), 409, 'order_not_completed'),
    EXPIRED,
  ),
  row(
    'orders.expiry.cancel',
    'Cancelling an expired order changes nothing: 204.',
    operation('cancelOrder', 'description'),
    async (probe) => {
      const { id, now } = await expired(probe)
      ;(await cancel(probe, id)).expectStatus(204)
      await expectUnchanged(probe, now)
    },
    EXPIRED,
  ),
  row(
    'orders.expiry.replay',
    'A replay gives the first answer, though expiresAt has passed.',
    KEY,
    async (probe) => {
      const { body, key, first } = await expired(probe)
      expectReplay(await place(probe, body, under(key)), first)
    },
    writing('orders.expiry', 'orders.place.idempotency.replay'),
  ),
]

export const placePromises: readonly PromiseRow[] = [
  ...answer,
  ...expiresAt,
  ...refusals,
  ...textRows(PLACE, schema('NewOrder', 'reference')),
  ...bodyRows(PLACE),
  ...repeats,
  ...expiry,
]
