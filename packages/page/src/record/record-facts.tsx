// The facts of an animal or an order, one per line.

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
import type { RecordData } from './history.ts'

export function AnimalFacts({ animal: { pet, deleted, events }, orders }: Pick<RecordData, 'animal' | 'orders'>) {
  const added = events[0]
  const holder = orders.find(({ status }) => HOLDING.includes(status))
  return (
    <dl class="facts-list">
      <Fact name="Id" value={<CopyId id={pet.id} />} />
      <Fact name="Category" value={<CategoryLink id={pet.categoryId} />} />
      <Fact name="Status" value={deleted ? 'Deleted' : <Status status={pet.status} />} />
      {added && (
        <Fact
          name="Added"
          value={[time(added.at), added.by && <span key="by" class="muted">{` — ${plain(added.by)}`}</span>]}
        />
      )}
      {holder && <Fact name="Order" value={<OrderLink id={holder.id} />} />}
      {holder && <Terms order={holder} />}
    </dl>
  )
}

export function OrderFacts({ order }: { order: Order }) {
  return (
    <dl class="facts-list">
      <Fact
        name="Animal"
        value={[
          <RecordLink key="link" kind="animal" id={order.petId} text={<Name name={order.petName} />} />,
          <span key="id" class="muted">{` Id ${order.petId}`}</span>,
        ]}
      />
      <Fact name="Status" value={<Status status={order.status} />} />
      <Fact name="Placed" value={time(order.placedAt)} />
      <Terms order={order} />
    </dl>
  )
}

function Terms({ order: { status, reference, expiresAt, changedAt } }: { order: Order }) {
  return (
    <>
      {reference && <Fact name="For" value={<Name name={reference} />} />}
      {status !== 'pending' && <Fact name={labelOf(status)} value={time(changedAt)} />}
      {status === 'pending' && <Fact name="Until" value={expiresAt ? time(expiresAt) : 'No end'} />}
    </>
  )
}

export function Fact({ name, value }: { name: string; value: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd translate={false}>{value}</dd>
    </div>
  )
}
