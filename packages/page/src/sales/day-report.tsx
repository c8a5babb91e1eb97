// The report of a day: totals per till, and a line for each sale and return. Paper and file have the same content.

import type { ComponentChildren } from 'preact'
import type { Event } from '../../../client/src/petstore.ts'
import type { EventType } from '../../../contract/src/generated.ts'
import { eventRow } from '../../../files/src/event-rows.ts'
import { Status } from '../animal/status.tsx'
import { EVENT_NAMES } from '../animal/status-labels.ts'
import { exportRows } from '../files/export.ts'
import { RecordLink } from '../links.tsx'
import type { Records } from '../live/records.ts'
import { names } from '../names.ts'
import { useAnnounce } from '../parts/announcer.tsx'
import { Button } from '../parts/button.tsx'
import { Name } from '../parts/name.tsx'
import { plain } from '../parts/visible-text.ts'
import { number } from '../phrases.ts'
import { SALES } from './day-log.ts'
import type { Sum } from './period.ts'
import { clockOn, longDay, totalsOf } from './sales.ts'

export const SUM_HEADS = [...SALES.map((type) => EVENT_NAMES[type]), 'Net']
const HEADS = ['Time', 'Order', 'Animal', 'Customer or receipt number', 'Till', 'What']
/** The columns of the file, in the words of the screen. */
const COLUMNS = ['Date', 'Order', 'Animal', 'Id', 'Category', 'Customer or receipt number', 'Till', 'What', 'Net']

interface DayReportProps {
  day: string
  isFuture: boolean
  /** Sales and returns, oldest first; `undefined` until they have loaded. */
  sales: readonly Event[] | undefined
  records: Records
}

export function DayReport({ day, isFuture, sales, records }: DayReportProps) {
  const announce = useAnnounce()
  const orderOf = ({ orderId }: Event) => (orderId === undefined ? undefined : records.order(orderId))
  const rows = (sales ?? []).map((event) => ({ ...eventRow(event, orderOf(event)), event }))
  const isReady = rows.every(({ petName }) => petName !== undefined)

  async function save(): Promise<void> {
    const lines = rows.map(({ time, orderId, petName, petId, reference, by, net, event: { pet, type } }) => ({
      Date: time,
      Order: orderId,
      Animal: petName,
      Id: petId,
      Category: pet && names().nameOf(pet.categoryId),
      'Customer or receipt number': reference,
      Till: by,
      What: EVENT_NAMES[type as EventType],
      Net: net,
    }))
    const sums = totalsOf(sales ?? []).map(({ till, sold, takenBack }) => ({
      Till: till,
      What: `Total: ${number(sold)} sold, ${number(takenBack)} taken back`,
      Net: sold - takenBack,
    }))
    await exportRows([...lines, ...sums], COLUMNS, `sales ${day}.csv`)
    announce(`${number(rows.length)} ${rows.length === 1 ? 'row was' : 'rows were'} exported.`)
  }

  return (
    <section class="close" aria-labelledby="close" aria-busy={!sales || !isReady}>
      <p class="print-title" data-text={`${plain(names().store)} · ${location.host}`} />
      <div class="title-row">
        <h2 id="close" translate={false}>
          {longDay(day)}
        </h2>
        {rows.length > 0 && (
          <div class="title-actions">
            <Button text="Export" class="quiet" aria-disabled={!isReady} onClick={() => isReady && save()} />
            <Button text="Print" class="quiet" aria-disabled={!isReady} onClick={() => isReady && print()} />
          </div>
        )}
      </div>
      {rows.length > 0 ? (
        <>
          <Figures {...(totalsOf(sales ?? []).at(-1) ?? { sold: 0, takenBack: 0 })} />
          <Table kind="totals" label="Totals" heads={['Till', ...SUM_HEADS]}>
            {totalsOf(sales ?? []).map(({ till, ...sum }) => (
              <SumRow key={till} name={till} {...{ sum }} />
            ))}
          </Table>
          <Table kind="rows sales" label="Sales and returns" heads={HEADS}>
            {rows.map(({ at, petId, petName, orderId, reference, by, event: { id, orderStatus } }) => (
              <tr key={String(id)}>
                <td class="cell-detail">
                  <time dateTime={at}>{clockOn(day, at)}</time>
                </td>
                <td class="cell-id">
                  <span class="cell-label">Order </span>
                  {String(orderId)}
                </td>
                <th scope="row" class="cell-name">
                  <RecordLink
                    kind="order"
                    id={orderId as bigint}
                    text={petName === undefined ? `Animal ${petId}` : <Name name={petName} />}
                    plain
                  />
                </th>
                <td>{reference && <Name name={reference} />}</td>
                <td>{plain(by ?? '')}</td>
                <td class="cell-status">{orderStatus && <Status status={orderStatus} />}</td>
              </tr>
            ))}
          </Table>
        </>
      ) : (
        <p class="muted">
          {!sales ? 'Loading the day…' : isFuture ? 'This day has not begun.' : 'No animal was sold or taken back.'}
        </p>
      )}
    </section>
  )
}

/** The three large figures. */
export function Figures({ sold, takenBack }: Sum) {
  const figures = [sold, takenBack, sold - takenBack]
  return (
    <dl class="figures">
      {SUM_HEADS.map((head, at) => (
        <div key={head}>
          <dt>{head}</dt>
          <dd translate={false}>{number(figures[at] ?? 0)}</dd>
        </div>
      ))}
    </dl>
  )
}

export function SumRow({ name, sum: { sold, takenBack } }: { name: ComponentChildren; sum: Sum }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{number(sold)}</td>
      <td>{number(takenBack)}</td>
      <td>{number(sold - takenBack)}</td>
    </tr>
  )
}

type TableProps = { kind: string; label: string; heads: readonly string[]; children: ComponentChildren }

export function Table({ kind, label, heads, children }: TableProps) {
  return (
    <table class={kind} aria-label={label}>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody translate={false}>{children}</tbody>
    </table>
  )
}
