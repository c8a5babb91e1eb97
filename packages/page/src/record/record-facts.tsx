// What an animal or an order is now, a line for each fact.

import type { ComponentChildren } from 'preact'
import type { Order } from '../../../client/src/petstore.ts'
import { HOLDING } from '../../../service/src/domain/order-transitions.ts'
import { Status } from '../animal/status.tsx'
import { labelOf } from '../animal/status-labels.ts'
import { CategoryLink, OrderLink, RecordLink } from '../links.tsx'
import { CopyId } from '../parts/copy-id.tsx'
import { Name } from '../parts/name.tsx'
import { plain } from '../parts/visible-text.ts'
import { time } from '../phrases.ts'
import type { AnimalRecord } from './animal.ts'

interface AnimalFactsProps {
  animal: AnimalRecord
  orders: readonly Order[]
}

export function AnimalFacts({ animal: { pet, deleted, events }, orders }: AnimalFactsProps) {
  const added = events[0]
  const holder = orders.find(({ status }) => HOLDING.includes(status))
  return (
    <dl class="facts-list">
      <Fact name="Id">
        <CopyId id={pet.id} />
      </Fact>
      <Fact name="Category">
        <CategoryLink id={pet.categoryId} />
      </Fact>
      <Fact name="Status">{deleted ? 'Deleted' : <Status status={pet.status} />}</Fact>
      {added && (
        <Fact name="Added">
          {time(added.at)}
          {added.by && <span class="muted"> — {plain(added.by)}</span>}
        </Fact>
      )}
      {holder && (
        <>
          <Fact name="Order">
            <OrderLink id={holder.id} />
          </Fact>
          <Terms order={holder} />
        </>
      )}
    </dl>
  )
}

export function OrderFacts({ order }: { order: Order }) {
  return (
    <dl class="facts-list">
      <Fact name="Animal">
        <RecordLink kind="animal" id={order.petId}>
          <Name name={order.petName} />
        </RecordLink>{' '}
        <span class="muted">Id {String(order.petId)}</span>
      </Fact>
      <Fact name="Status">
        <Status status={order.status} />
      </Fact>
      <Fact name="Placed">{time(order.placedAt)}</Fact>
      <Terms order={order} />
    </dl>
  )
}

/** For whom it is, and its end. */
function Terms({ order: { status, reference, expiresAt, changedAt } }: { order: Order }) {
  return (
    <>
      {reference && (
        <Fact name="For">
          <Name name={reference} />
        </Fact>
      )}
      {status !== 'pending' && <Fact name={labelOf(status)}>{time(changedAt)}</Fact>}
      {status === 'pending' && <Fact name="Until">{expiresAt ? time(expiresAt) : 'No end'}</Fact>}
    </>
  )
}

export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
