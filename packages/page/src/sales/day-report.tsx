// The report of a day: totals per till, and a line for each sale and return. Paper and file have the same content.

import type { ComponentChildren } from 'preact'
import type { Event } from '../../../client/src/petstore.ts'
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
import { clockOn, longDay, totalsOf } from './sales.ts'

const TOTAL_HEADS = ['Till', ...SALES.map((type) => EVENT_NAMES[type]), 'Net']
const HEADS = ['Time', 'Order', 'Animal', 'Customer or receipt number', 'Till', 'What']

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
    const saved = await exportRows(rows, 'sales', `sales ${day}.csv`)
    announce(`${number(saved)} ${saved === 1 ? 'row was' : 'rows were'} exported.`)
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
          <Table kind="totals" label="Totals" heads={TOTAL_HEADS}>
            {totalsOf(sales ?? []).map(({ till, sold, takenBack }) => (
              <tr key={till}>
                <th scope="row">{till}</th>
                <td>{number(sold)}</td>
                <td>{number(takenBack)}</td>
                <td>{number(sold - takenBack)}</td>
              </tr>
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

type TableProps = { kind: string; label: string; heads: readonly string[]; children: ComponentChildren }

function Table({ kind, label, heads, children }: TableProps) {
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
