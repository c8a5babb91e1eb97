// Level `store`: reservations: the values of expiresAt, and orders that expired.

import { EXPIRY_DAYS_MAX } from '../../../contract/src/generated.ts'
import { prepareOnce } from '../fixtures.ts'
import { expectPet, moves, newPetId, orderBody, place, placed, readOrder } from '../orders.ts'
import type { Probe } from '../probe.ts'
import { expectReplay, newKey, under } from './shared/idempotency.ts'
import { type Check, ofStore, operation, rowsOf, schema, writing } from './shared/rows.ts'

const row = rowsOf('store')
export const DAY_MS = 86_400_000
const EXPIRES = schema('NewOrder', 'expiresAt')

/** How far the server's clock is ahead of this machine's. */
const clockOffset = (probe: Probe) =>
  prepareOnce(probe, 'clock', async (own) => {
    const petId = await newPetId(own)
    const sentAt = Date.now()
    const answer = (await place(own, orderBody(petId))).expectStatus(201)
    const answeredAt = Date.now()
    // The order was placed between these two times. The middle is the best estimate.
    return { offset: answer.expectInstant('placedAt') - (sentAt + answeredAt) / 2, unsureMs: answeredAt - sentAt }
  })

/** Returns the time `ms` from now by the server's clock. */
export const serverTimeIn = async (probe: Probe, ms: number) => {
  const { offset } = await clockOffset(probe)
  return new Date(Date.now() + offset + ms).toISOString()
}

const expiresAs = (write: (utc: string) => string, ms = DAY_MS): Check => {
  return async (probe) => {
    const until = await serverTimeIn(probe, ms)
    const { answer } = await placed(probe, { expiresAt: write(until) })
    answer.expectMember('expiresAt', until)
  }
}

export const inTwoHours = (utc: string) => new Date(Date.parse(utc) + 7_200_000).toISOString().replace('Z', '+02:00')
const TIMED = writing('orders.place.order')

/** The next duration is tried if the reservation expired before the server read the request. */
const RESERVED_MS = [1_000, 4_000, 16_000]
/** The contract allows one second, but a busy machine takes longer. */
const LATE_MS = 4_000

/** A reservation for a short time. `endsAt` is on this machine's monotonic clock, and not early. */
async function reserved(probe: Probe) {
  const [key, petId] = [newKey(), await newPetId(probe)]
  for (const reservedMs of RESERVED_MS) {
    const body = orderBody(petId, { expiresAt: await serverTimeIn(probe, reservedMs) })
    const endsAt = performance.now() + reservedMs + (await clockOffset(probe)).unsureMs
    const first = await place(probe, body, under(key))
    if (first.status === 400 && reservedMs !== RESERVED_MS.at(-1)) continue
    return { key, petId, body, endsAt, first: first.expectStatus(201) }
  }
  throw probe.unjudged('The server rejects short reservations.')
}

/** A reservation past its time: the response to placing it, and the order now. */
export const expired = (probe: Probe) =>
  probe.shared('expired', async (own) => {
    const { key, petId, body, first, endsAt } = await reserved(own)
    const { id } = first
    const lateAt = endsAt + LATE_MS
    let [askedAt, now] = [performance.now(), await readOrder(own, id)]
    while (now.object().get('status') === 'pending' && askedAt < lateAt) {
      await Bun.sleep(100)
      ;[askedAt, now] = [performance.now(), await readOrder(own, id)]
    }
    return { key, body, first, now, id, petId }
  })

const EXPIRED = writing('orders.expiry')
const ENDS = ofStore('Reservations that end')

export const reservationPromises = [
  row('orders.place.expires-at', 'expiresAt is returned in UTC with milliseconds.')
    .from(EXPIRES, TIMED)
    .check(expiresAs((utc) => utc)),
  row('orders.place.expires-at.offset', 'expiresAt can have any offset, -00:00, lowercase t and z, and nine decimals.')
    .from([EXPIRES, 'RFC 3339, section 5.6'], writing('orders.place.expires-at'))
    .check(async (probe) => {
      await expiresAs(inTwoHours)(probe)
      await expiresAs((utc) => utc.replace('T', 't').replace('Z', '999999z'))(probe)
      await expiresAs((utc) => utc.replace('Z', '-00:00'))(probe)
    }),
  row('orders.place.expires-at.furthest', `A reservation of almost ${EXPIRY_DAYS_MAX} days is accepted.`)
    .from(EXPIRES, writing('orders.place.expires-at'))
    .check(expiresAs((utc) => utc, EXPIRY_DAYS_MAX * DAY_MS - 600_000)),
  row('orders.place.expires-at.range', `expiresAt in the past or > ${EXPIRY_DAYS_MAX} days ahead: 400 invalid_order.`)
    .from(EXPIRES, TIMED)
    .check(async (probe) => {
      const petId = await newPetId(probe)
      const beyond = [
        await serverTimeIn(probe, EXPIRY_DAYS_MAX * DAY_MS + 600_000),
        await serverTimeIn(probe, -600_000),
      ]
      for (const expiresAt of [...beyond, '9999-12-31T23:59:59-23:59', '0001-01-01T00:00:00Z'])
        (await place(probe, orderBody(petId, { expiresAt }))).expectError(400, 'invalid_order')
    }),
  row('orders.expiry', 'A reservation expires at expiresAt: the order becomes expired, and changedAt is not earlier.')
    .from([ENDS, schema('Order', 'changedAt')], writing('orders.place.expires-at'))
    .check(async (probe) => {
      const { now } = await expired(probe)
      now.expectMember('status', 'expired')
      const isAfter = now.expectInstant('changedAt') >= now.expectInstant('expiresAt')
      now.expect(isAfter, 'changedAt not before expiresAt', now.text)
    }),
  row('orders.expiry.pet', 'The pet of an expired reservation is available.')
    .from(ENDS, writing('orders.expiry', 'pets.get.status'))
    .check(async (probe) => expectPet(probe, (await expired(probe)).petId, 'available')),
  row('orders.expiry.ended', 'Completing or returning an expired order: 409. Cancelling it: 204, without a change.')
    .from([ENDS, operation('cancelOrder', 'description')], EXPIRED)
    .check(async (probe) => {
      const { id, now } = await expired(probe)
      ;(await moves.complete(probe, id)).expectError(409, 'order_not_pending')
      ;(await moves.return(probe, id)).expectError(409, 'order_not_completed')
      ;(await moves.cancel(probe, id)).expectStatus(204)
      ;(await readOrder(probe, now.id)).expectMembers(now.object())
    }),
  row('orders.expiry.overdue', 'Completing an order after its expiresAt: 409, even if it still shows pending.')
    .from(operation('completeOrder', 'description'), EXPIRED)
    .check(async (probe) => {
      const { first, endsAt } = await reserved(probe)
      await Bun.sleep(endsAt - performance.now())
      ;(await moves.complete(probe, first.id)).expectError(409, 'order_not_pending')
    }),
  row('orders.expiry.replay', 'A replay returns the first response, even after expiresAt.')
    .from(ofStore('Repeats'), writing('orders.expiry', 'orders.place.idempotency.replay'))
    .check(async (probe) => {
      const { body, key, first } = await expired(probe)
      expectReplay(await place(probe, body, under(key)), first)
    }),
]
