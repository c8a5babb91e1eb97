// The receipt of an order, for 80 mm rolls and A4. It has no price, because the store has none.

import type { Event, Order, Pet, PetstoreClient } from '../../../client/src/petstore.ts'
import { FIELDS } from '../animal/fields.ts'
import { labelOf } from '../animal/status-labels.ts'
import { NO_NAME, names } from '../names.ts'
import { loadPart } from '../parts/loaded.ts'
import { Name } from '../parts/name.tsx'
import { plain } from '../parts/visible-text.ts'
import { fullTime } from '../phrases.ts'
import { readAll, readPet } from '../record/history.ts'
import { Fact } from '../record/record-facts.tsx'

interface ReceiptProps {
  order: Order
  /** The events of the order, oldest first. The key of the last one is the till. */
  events: readonly Event[]
  pet: Pet | undefined
  /** `undefined`: the receipt has no code. */
  codes: Codes | undefined
}

export type Codes = Awaited<ReturnType<typeof loadCodes>>

/** Labels and the QR library are loaded when they are needed. */
export function loadCodes() {
  return loadPart(import('./labels.tsx'))
}

export async function readReceipt(client: PetstoreClient, orderId: bigint): Promise<ReceiptProps> {
  const [order, events, codes] = await Promise.all([
    client.getOrder(orderId),
    readAll(client, { orderId }),
    loadCodes().catch(() => undefined),
  ])
  return { order, events, pet: await readPet(client, order.petId), codes }
}

export function Receipt({ order, events, pet, codes }: ReceiptProps) {
  const till = events.at(-1)?.by
  return (
    <div class="paper-receipt">
      <p>
        <strong>
          <Name name={names().store} />
        </strong>{' '}
        {names().store === NO_NAME && location.host}
      </p>
      <h1>Receipt</h1>
      <dl>
        <Fact name="Number" value={String(order.id)} />
        <Fact name="Date" value={fullTime(order.changedAt)} />
        {till !== undefined && <Fact name="Till" value={plain(till)} />}
        <Fact name="Animal" value={<Name name={order.petName} />} />
        <Fact name="Id" value={String(order.petId)} />
        {pet && names().categories.length > 0 && (
          <Fact name={FIELDS.categoryId.label} value={<Name name={names().nameOf(pet.categoryId)} />} />
        )}
        {order.reference && <Fact name="For" value={<Name name={order.reference} />} />}
        <Fact name="Status" value={labelOf(order.status)} />
        {order.status === 'pending' && order.expiresAt && <Fact name="Until" value={fullTime(order.expiresAt)} />}
      </dl>
      {codes && <codes.RecordCode kind="order" id={order.id} />}
    </div>
  )
}
