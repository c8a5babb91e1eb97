// Level `store`: placing an order again under its Idempotency-Key, whatever has become of it.

import { stringifyJson } from '../../../contract/src/json.ts'
import { number, textOf } from '../answer.ts'
import { absentId, newName } from '../fixtures.ts'
import {
  cancel,
  complete,
  expectReplay,
  giveBack,
  newKey,
  newPetId,
  orderBody,
  place,
  REACHED,
  under,
} from '../orders.ts'
import { after, DAY_MS, inTwoHours } from './reservations.ts'
import type { PromiseRow } from './shared/promise.ts'
import { documented, rowsOf, writing } from './shared/rows.ts'

const row = rowsOf('store')
const KEY = documented('The store area', 'Repeats')

export const orderRepeats: readonly PromiseRow[] = [
  row('orders.place.idempotency.instant', 'The same instant in another offset is the same request.')
    .from(KEY, writing('orders.place.idempotency.replay', 'orders.place.expires-at'))
    .check(async (probe) => {
      const [key, petId, until] = [newKey(), await newPetId(probe), await after(probe, DAY_MS)]
      const body = (expiresAt: string) => stringifyJson({ petId: number(petId), expiresAt })
      const first = (await place(probe, body(until), under(key))).expectStatus(201)
      expectReplay(await place(probe, body(inTwoHours(until)), under(key)), first)
    }),
  ...(
    [
      ['completed', [complete]],
      ['cancelled', [cancel]],
      ['returned', [complete, giveBack]],
    ] as const
  ).map(([fate, steps]) =>
    row(`orders.place.idempotency.${fate}`, `A replay gives the first answer, also when the order was ${fate}.`)
      .from(KEY, writing('orders.place.idempotency.replay', ...REACHED[fate]))
      .check(async (probe) => {
        const [key, body] = [newKey(), orderBody(await newPetId(probe))]
        const first = (await place(probe, body, under(key))).expectStatus(201)
        for (const step of steps) (await step(probe, textOf(first.object().get('id')))).expectStatus(200, 204)
        expectReplay(await place(probe, body, under(key)), first)
      }),
  ),
  row('orders.place.idempotency.before-state', 'A used Idempotency-Key with another request is 422 before 404.')
    .from(KEY, writing('orders.place.idempotency.mismatch'))
    .check(async (probe) => {
      const key = newKey()
      ;(await place(probe, orderBody(await newPetId(probe)), under(key))).expectStatus(201)
      ;(await place(probe, orderBody(absentId()), under(key))).expectError(422, 'idempotency_mismatch')
    }),
  row(
    'orders.place.idempotency.one-name-space',
    'An Idempotency-Key of a pet is refused for an order, and the reverse: 422.',
  )
    .from(KEY, writing('orders.place.idempotency.mismatch', 'pets.create.idempotency.mismatch'))
    .check(async (probe) => {
      const [ofPet, ofOrder] = [newKey(), newKey()]
      const pet = stringifyJson({ name: newName(), categoryId: 7n })
      ;(await probe.post('/pets', pet, under(ofPet))).expectStatus(201)
      ;(await place(probe, orderBody(await newPetId(probe)), under(ofPet))).expectError(422, 'idempotency_mismatch')
      ;(await place(probe, orderBody(await newPetId(probe)), under(ofOrder))).expectStatus(201)
      ;(await probe.post('/pets', pet, under(ofOrder))).expectError(422, 'idempotency_mismatch')
    }),
  row('pets.create.idempotency.ordered', 'A replay of a create gives the first answer, also when the pet was ordered.')
    .from(documented('The store area', 'Repeats'), writing('pets.create.idempotency.replay', 'orders.place.success'))
    .check(async (probe) => {
      const [key, body] = [newKey(), stringifyJson({ name: newName(), categoryId: 7n })]
      const first = (await probe.post('/pets', body, under(key))).expectStatus(201)
      await place(probe, orderBody(textOf(first.object().get('id'))))
      const again = (await probe.post('/pets', body, under(key))).expectStatus(201)
      if (again.text !== first.text) throw again.broken(first.text, again.text)
    }),
]
