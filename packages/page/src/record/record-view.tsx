// The page of an animal or an order: facts, actions and history, all read from events.

import type { ComponentChildren } from 'preact'
import type { Event } from '../../../client/src/petstore.ts'
import { HOLDING } from '../../../service/src/domain/order-transitions.ts'
import type { RecordId } from '../address.ts'
import { noneIs } from '../animal/by-id.ts'
import { Actions, type OnAction } from '../list/list-table.tsx'
import { type Service, useEvents } from '../live/feed.ts'
import type { Records } from '../live/records.ts'
import { type Subject, subjectOf } from '../orders/actions.ts'
import type { Undo } from '../orders/undo.ts'
import { loadCodes, Receipt, tillOf } from '../paper/receipt.tsx'
import { Button } from '../parts/button.tsx'
import { Heading } from '../parts/heading.tsx'
import { useLoaded } from '../parts/loaded.ts'
import { Name } from '../parts/name.tsx'
import { Notice, RetryNotice } from '../parts/notice.tsx'
import { plain } from '../parts/visible-text.ts'
import { time } from '../phrases.ts'
import { useTitle } from '../title.ts'
import { Corrections } from './corrections.tsx'
import { EventLine } from './event-line.tsx'
import { changesIn, type RecordData, readRecord, withoutDirect } from './history.ts'
import { AnimalFacts, OrderFacts } from './record-facts.tsx'

type ReadProps = Service & {
  /** Increases with each change that this tab makes. */
  changes: number
}

interface RecordViewProps extends ReadProps {
  record: RecordId
  onAction: OnAction | undefined
  onCorrected: (sentence: string, undo?: Undo) => void
  onDeleted: (sentence: string) => void
  onBack: () => void
  onPrintLabel: (id: bigint) => void
  /** The message about the last action. It is below the buttons, so that they do not move. */
  news: ComponentChildren
}

export function RecordView({
  record,
  onAction,
  onCorrected,
  onDeleted,
  onBack,
  onPrintLabel,
  news,
  ...service
}: RecordViewProps) {
  const { value, failure, reload } = useRead(record, service)
  const codes = useLoaded(loadCodes, []).value
  // The previous record stays visible while the next one loads.
  const loaded = failure && !isSameRecord(value?.of, record) ? undefined : value
  const read = loaded?.read && currentOf(loaded.read, service.records)
  const order = read?.order
  const name = read?.animal.pet.name
  useTitle(order ? `Order ${order.id}` : name === undefined ? undefined : plain(name))
  const subject = read && subjectIn(read)
  const again = failure && (
    <RetryNotice {...{ failure, reload }} title={`Could not load ${named(record).toLowerCase()}.`} />
  )
  return (
    <article class="record" aria-busy={!loaded && !failure} data-pet={read && String(read.animal.pet.id)}>
      <Button text={`← ${record.kind === 'order' ? 'Orders' : 'Animals'}`} class="quiet" onClick={onBack} />
      {!read && (loaded || failure) && <Heading>{named(record)}</Heading>}
      {!read && again}
      {loaded && !read && <Notice kind="error" title={noneIs(loaded.of)} />}
      {read && (
        <>
          {/* Another record gets the focus, and a screen reader reads its title. */}
          <Heading key={named(loaded.of)}>{order ? `Order ${order.id}` : <Name name={read.animal.pet.name} />}</Heading>
          <div class="record-actions">
            {onAction && subject && <Actions subject={subject} onAction={onAction} />}
            {onAction && <Corrections {...{ client: service.client, read, reload, onCorrected, onDeleted }} />}
            {order && <Button text="Print a receipt" class="quiet" onClick={() => print()} />}
            {!order && !read.animal.deleted && (
              <Button text="Print label" class="quiet" onClick={() => onPrintLabel(read.animal.pet.id)} />
            )}
          </div>
          {again}
          {news}
          {order ? <OrderFacts order={order} /> : <AnimalFacts {...read} />}
          {order && (
            <div class="sheet">
              <Receipt items={[{ order, pet: read.animal.pet }]} till={tillOf(eventsOf(read))} codes={codes} />
            </div>
          )}
          <History events={eventsOf(read)} />
        </>
      )}
    </article>
  )
}

function useRead(record: RecordId, { client, feed, records, changes }: ReadProps) {
  const loaded = useLoaded(
    async (signal) => {
      await feed.begun
      const read = await records.read(readRecord(client, record, signal), (read) => {
        if (read)
          records.keep([
            ...(read.animal.deleted ? [] : [read.animal.pet]),
            ...(read.order ? [read.order] : []),
            ...read.orders,
          ])
      })
      return { of: record, read }
    },
    [record.kind, record.id, changes],
  )
  const petId = loaded.value?.read?.animal.pet.id
  useEvents(feed, (events, gap) => (gap || events.some((event) => event.petId === petId)) && loaded.refresh())
  return loaded
}

/** The record with the newest states of its animal and orders. */
function currentOf({ animal, orders, order }: RecordData, records: Records): RecordData {
  const deleted = animal.deleted || records.isDeleted(animal.pet.id)
  return {
    animal: { ...animal, pet: records.current(animal.pet), deleted },
    orders: orders.map((order) => records.current(order)),
    order: order && records.current(order),
  }
}

function eventsOf({ animal: { events }, order }: RecordData): readonly Event[] {
  return order ? events.filter(({ orderId }) => orderId === order.id) : events
}

function isSameRecord(one: RecordId | undefined, other: RecordId): boolean {
  return one?.kind === other.kind && one.id === other.id
}

function named({ kind, id }: RecordId): string {
  return `${kind === 'order' ? 'Order' : 'Animal'} ${id}`
}

/** The target of the buttons: the order if it still holds its animal, or the animal with its current order. */
function subjectIn({ animal: { pet, deleted }, orders, order }: RecordData): Subject | undefined {
  if (order) return subjectOf(order)
  const holder = orders.find(({ status }) => HOLDING.includes(status))
  if (deleted || (pet.status !== 'available' && !holder)) return undefined
  return { petId: pet.id, name: pet.name, status: pet.status, order: holder }
}

/** `events`: oldest first. */
function History({ events }: { events: readonly Event[] }) {
  const changes = changesIn(events)
  return (
    <section class="history" aria-labelledby="history">
      <h2 id="history">History</h2>
      <ol>
        {withoutDirect(events.toReversed()).map((event) => (
          <EventLine key={String(event.id)} event={event} change={changes.get(event.id)} shownTime={time(event.at)} />
        ))}
      </ol>
    </section>
  )
}
