// Level `store`: repeating an order with its Idempotency-Key, whatever happened to the order since.

import { stringifyJson } from '../../../contract/src/json.ts'
import { number } from '../answer.ts'
import { absentId, petBody } from '../fixtures.ts'
import { cancel, complete, giveBack, newPetId, orderBody, place, REACHED } from '../orders.ts'
import { DAY_MS, inTwoHours, serverTimeIn } from './reservations.ts'
import { expectReplay, newKey, under } from './shared/idempotency.ts'
import type { PromiseRow } from './shared/promise.ts'
import { ofStore, rowsOf, writing } from './shared/rows.ts'

const row = rowsOf('store')
const KEY = ofStore('Repeats')
const FATES = [[complete], [cancel], [complete, giveBack]]

export const orderRepeats: readonly PromiseRow[] = [
  row('orders.place.idempotency.instant', 'The same instant with another offset is the same request.')
    .from(KEY, writing('orders.place.idempotency.replay', 'orders.place.expires-at'))
    .check(async (probe) => {
      const [options, petId, until] = [under(newKey()), await newPetId(probe), await serverTimeIn(probe, DAY_MS)]
      const body = (expiresAt: string) => stringifyJson({ petId: number(petId), expiresAt })
      const first = (await place(probe, body(until), options)).expectStatus(201)
      expectReplay(await place(probe, body(inTwoHours(until)), options), first)
    }),
  row('orders.place.idempotency.later', 'A replay returns the first response, even after the order has ended.')
    .from(KEY, writing('orders.place.idempotency.replay', ...Object.values(REACHED).flat()))
    .check(async (probe) => {
      for (const steps of FATES) {
        const [options, body] = [under(newKey()), orderBody(await newPetId(probe))]
        const first = (await place(probe, body, options)).expectStatus(201)
        for (const step of steps) (await step(probe, first.id)).expectStatus(200, 204)
        expectReplay(await place(probe, body, options), first)
      }
    }),
  row('orders.place.idempotency.before-state', 'A used Idempotency-Key with another request: 422 before 404.')
    .from(KEY, writing('orders.place.idempotency.mismatch'))
    .check(async (probe) => {
      const options = under(newKey())
      ;(await place(probe, orderBody(await newPetId(probe)), options)).expectStatus(201)
      ;(await place(probe, orderBody(absentId()), options)).expectError(422, 'idempotency_mismatch')
    }),
  row(
    'orders.place.idempotency.one-name-space',
    'An Idempotency-Key of a pet returns 422 for an order, and vice versa.',
  )
    .from(KEY, writing('orders.place.idempotency.mismatch', 'pets.create.idempotency.mismatch'))
    .check(async (probe) => {
      const [ofPet, ofOrder, order] = [under(newKey()), under(newKey()), orderBody(await newPetId(probe))]
      ;(await probe.post('/pets', petBody(), ofPet)).expectStatus(201)
      ;(await place(probe, order, ofPet)).expectError(422, 'idempotency_mismatch')
      ;(await place(probe, order, ofOrder)).expectStatus(201)
      ;(await probe.post('/pets', petBody(), ofOrder)).expectError(422, 'idempotency_mismatch')
    }),
  row('pets.create.idempotency.ordered', 'A replay returns the first response, even after the pet was ordered.')
    .from(KEY, writing('pets.create.idempotency.replay', 'orders.place.success'))
    .check(async (probe) => {
      const [options, body] = [under(newKey()), petBody()]
      const first = (await probe.post('/pets', body, options)).expectStatus(201)
      await place(probe, orderBody(first.id))
      expectReplay(await probe.post('/pets', body, options), first)
    }),
]
