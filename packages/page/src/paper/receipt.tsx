// The receipt of an order, for 80 mm rolls and A4. It has no price, because the store has none.

import type { Event, Order, Pet, PetstoreClient } from '../../../client/src/petstore.ts'
import { FIELDS } from '../animal/fields.ts'
import { labelOf } from '../animal/status-labels.ts'
import { NO_NAME, names } from '../names.ts'
import { concurrently } from '../parts/concurrently.ts'
import { loadPart } from '../parts/loaded.ts'
import { Name } from '../parts/name.tsx'
import { plain } from '../parts/visible-text.ts'
import { fullTime } from '../phrases.ts'
import { readAll, readPet } from '../record/history.ts'
import { Fact } from '../record/record-facts.tsx'

interface ReceiptProps {
  /** The orders of one sale, with the same customer or receipt number. */
  items: readonly { order: Order; pet: Pet | undefined }[]
  /** The name of the key that made the sale. */
  till: string | undefined
  /** `undefined`: the receipt has no code. */
  codes: Codes | undefined
}

export type Codes = Awaited<ReturnType<typeof loadCodes>>

/** Labels and the QR library are loaded when they are needed. */
export function loadCodes() {
  return loadPart(import('./labels.tsx'))
}

export async function readReceipt(client: PetstoreClient, orderIds: readonly bigint[]): Promise<ReceiptProps> {
  const items: { order: Order; pet: Pet | undefined }[] = []
  await concurrently([...orderIds.entries()], async ([at, id]) => {
    const order = await client.getOrder(id)
    items[at] = { order, pet: await readPet(client, order.petId) }
  })
  const events = orderIds[0] === undefined ? [] : await readAll(client, { orderId: orderIds[0] })
  return { items, till: tillOf(events), codes: await loadCodes().catch(() => undefined) }
}

/** `events`: of an order, oldest first. */
export function tillOf(events: readonly Event[]): string | undefined {
  return events.at(-1)?.by
}

export function Receipt({ items, till, codes }: ReceiptProps) {
  const [first] = items
  const reference = first?.order.reference
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
        {first && <Fact name="Date" value={fullTime(first.order.changedAt)} />}
        {till !== undefined && <Fact name="Till" value={plain(till)} />}
        {reference && <Fact name="For" value={<Name name={reference} />} />}
      </dl>
      {items.map(({ order, pet }) => (
        <div key={String(order.id)} class="receipt-item">
          <dl>
            <Fact name="Number" value={String(order.id)} />
            <Fact name="Animal" value={<Name name={order.petName} />} />
            <Fact name="Id" value={String(order.petId)} />
            {pet && names().categories.length > 0 && (
              <Fact name={FIELDS.categoryId.label} value={<Name name={names().nameOf(pet.categoryId)} />} />
            )}
            <Fact name="Status" value={labelOf(order.status)} />
            {order.status === 'pending' && order.expiresAt && <Fact name="Until" value={fullTime(order.expiresAt)} />}
          </dl>
          {codes && <codes.RecordCode kind="order" id={order.id} />}
        </div>
      ))}
    </div>
  )
}
