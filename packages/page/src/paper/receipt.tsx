// The receipt of an order, for a printer of 80 mm and for A4. It has no price: the store knows none.

import type { ComponentChildren } from 'preact'
import type { Order } from '../../../client/src/petstore.ts'
import { Name } from '../name.tsx'
import { fullTime } from '../phrases.ts'
import { labelOf, ORDER_STATUSES } from '../statuses.ts'
import { plain } from '../visible-text.ts'

interface ReceiptProps {
  order: Order
  /** The key that has made the order what it is. */
  till: string | undefined
}

export function Receipt({ order, till }: ReceiptProps) {
  return (
    <div class="paper-receipt">
      <p>
        <strong>Petstore</strong> {location.host}
      </p>
      <h1>Receipt</h1>
      <dl>
        <Line name="Number">{String(order.id)}</Line>
        <Line name="Date">{fullTime(order.changedAt)}</Line>
        {till !== undefined && <Line name="Till">{plain(till)}</Line>}
        <Line name="Animal">
          <Name name={order.petName} />
        </Line>
        <Line name="Id">{String(order.petId)}</Line>
        {order.reference && (
          <Line name="For">
            <Name name={order.reference} />
          </Line>
        )}
        <Line name="Status">{labelOf(ORDER_STATUSES, order.status)}</Line>
        {order.status === 'pending' && order.expiresAt && <Line name="Until">{fullTime(order.expiresAt)}</Line>}
      </dl>
    </div>
  )
}

function Line({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
