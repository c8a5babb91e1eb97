// A page of animals or orders as a table. On a phone, styles show each row as a card.

import type { ComponentChildren } from 'preact'
import type { Order, Pet } from '../../../client/src/petstore.ts'
import type { RecordId } from '../address.ts'
import { FIELDS } from '../animal/fields.ts'
import { Status } from '../animal/status.tsx'
import { withoutOrder } from '../animal/status-labels.ts'
import { CategoryLink, RecordLink } from '../links.tsx'
import type { Records } from '../live/records.ts'
import { ACTION_LABELS, type Action, actionsOf, type Subject, subjectOf } from '../orders/actions.ts'
import { Label } from '../parts/button.tsx'
import { CopyId } from '../parts/copy-id.tsx'
import { Name } from '../parts/name.tsx'
import { plain } from '../parts/visible-text.ts'
import { capitalized, endOf, time } from '../phrases.ts'
import type { Selection } from '../selection/use-selection.ts'
import type { Item, ListPosition, Page } from './list-position.ts'
import { useFocusInPlace } from './row-focus.ts'

export type OnAction = (action: Action, subject: Subject) => void

const COLUMNS = ['id', 'name', 'detail', 'status', 'actions'] as const
const HEADS = {
  animals: ['Id', FIELDS.name.label, FIELDS.categoryId.label, FIELDS.status.label],
  orders: ['Order', 'Animal', 'When', 'Status'],
}

interface ListRow {
  id: bigint
  petId: bigint
  record: RecordId
  name: string
  note: { before: string; reference?: string | undefined; after?: string } | undefined
  detail: ComponentChildren
  status: ComponentChildren
  subject: Subject | undefined
}

interface ListTableProps {
  shown: Page
  /** Its name for screen readers. */
  label: string
  /** `undefined` on paper. */
  records?: Records
  /** `undefined` with a read-only key. */
  onAction?: OnAction | undefined
  /** `undefined` unless rows can be selected. */
  selection?: Selection | undefined
}

export function ListTable({ shown, label, records, onAction, selection }: ListTableProps) {
  const { items, position } = shown
  const lines = items.map((item) => ('petId' in item ? orderRow(item) : petRow(item, records)))
  const [idLabel] = HEADS[position.view]
  return (
    <table class="rows" aria-label={label} {...useFocusInPlace(shown)}>
      <Head view={position.view} actions={onAction !== undefined}>
        {selection && <RowCheckbox {...{ selection, items }} column label={`All ${items.length} on this page`} />}
      </Head>
      <tbody>
        {lines.map(({ id, petId, record, name, note, detail, status, subject }, index) => (
          <tr
            key={String(id)}
            data-pet={subject && String(petId)}
            class={records?.isDeleted(petId) ? 'deleted' : records?.marks.value.has(petId) ? 'changed' : undefined}
          >
            {selection && <RowCheckbox {...{ selection }} items={items.slice(index, index + 1)} label={plain(name)} />}
            <td class="cell-id">
              <span class="cell-label">{idLabel} </span>
              <CopyId id={id} />
            </td>
            <th scope="row" class="cell-name">
              <RecordLink {...record} text={<Name name={name} />} plain />
              {note && <Note {...note} />}
            </th>
            <td class="cell-detail">{detail}</td>
            <td class="cell-status">{status}</td>
            {onAction && <td class="cell-actions">{subject && <Actions {...{ subject, onAction }} size="small" />}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function petRow(pet: Pet, records: Records | undefined): ListRow {
  const { id, name, categoryId, status } = pet
  const holder = records?.holderOf(pet)
  const isDeleted = records?.isDeleted(id)
  // An animal without an order cannot be sold, released or taken back here.
  const hasNoActions = holder === null || isDeleted
  return {
    id,
    petId: id,
    record: { kind: 'animal', id },
    name,
    note: isDeleted ? undefined : noteOf(pet, holder),
    detail: (
      <>
        <span class="cell-label">{FIELDS.categoryId.label} </span>
        <CategoryLink id={categoryId} />
      </>
    ),
    status: isDeleted ? <span translate={false}>Deleted</span> : <Status status={status} />,
    subject: hasNoActions ? undefined : { petId: id, name, status, order: holder ?? undefined },
  }
}

export function noteOf({ status }: Pet, holder: Order | null | undefined): ListRow['note'] {
  if (holder === null) return { before: withoutOrder(status) }
  // A blank line keeps the height of the row until the order is loaded.
  if (!holder) return status === 'available' ? undefined : { before: '\u00A0' }
  const { reference, placedAt, changedAt } = holder
  const end = endOf(holder)
  if (reference) return { before: 'For ', reference, after: end && `, ${end}` }
  return { before: capitalized(end) || (status === 'pending' ? `Since ${time(placedAt)}` : `Sold ${time(changedAt)}`) }
}

/** The customer's name has its own text direction. */
function Note({ before, reference = '', after = '' }: NonNullable<ListRow['note']>) {
  return (
    <span class="hint" translate={false} title={before + plain(reference) + after}>
      {before}
      {reference && <Name name={reference} />}
      {after}
    </span>
  )
}

function orderRow(order: Order): ListRow {
  const { id, petId, petName, reference, status } = order
  return {
    id,
    petId,
    record: { kind: 'order', id },
    name: petName,
    note: { before: `Id ${petId}${reference ? ' for ' : ''}`, reference },
    detail: <time translate={false}>{when(order)}</time>,
    status: <Status status={status} />,
    subject: subjectOf(order),
  }
}

function when({ status, expiresAt, placedAt, changedAt }: Order): string {
  if (status !== 'pending') return time(changedAt)
  return expiresAt ? `until ${time(expiresAt)}` : `since ${time(placedAt)}`
}

/** Keyed by index, so that the first button, and with it the focus, survives a status change. */
export function Actions({ subject, onAction, size }: { subject: Subject; onAction: OnAction; size?: 'small' }) {
  return (
    <div class="actions">
      {actionsOf(subject.status).map((action, index) => (
        <button
          key={index}
          type="button"
          class={size ?? (action === 'sell' ? 'primary' : undefined)}
          onClick={() => onAction(action, subject)}
        >
          <Label text={ACTION_LABELS[action]} />
          <span class="visually-hidden"> {plain(subject.name)}</span>
        </button>
      ))}
    </div>
  )
}

interface HeadProps {
  view: ListPosition['view']
  actions: boolean
  children?: ComponentChildren
}

function Head({ view, actions, children }: HeadProps) {
  return (
    <thead>
      <tr>
        {children}
        {HEADS[view].map((head, index) => (
          <th key={head} scope="col" class={`cell-${COLUMNS[index]}`}>
            {head}
          </th>
        ))}
        {actions && (
          <th scope="col" class="cell-actions">
            <span class="visually-hidden">Actions</span>
          </th>
        )}
      </tr>
    </thead>
  )
}

interface RowCheckboxProps {
  selection: Selection
  items: readonly Item[]
  column?: boolean
  label: string
}

function RowCheckbox({ selection: { chosen, choose }, items, column, label }: RowCheckboxProps) {
  const Cell = column ? 'th' : 'td'
  const count = items.filter(({ id }) => chosen.has(id)).length
  return (
    <Cell class="cell-choice">
      <input
        type="checkbox"
        aria-label={`Select ${label}`}
        checked={count > 0 && count === items.length}
        indeterminate={count > 0 && count < items.length}
        onChange={({ currentTarget }) => choose(items, currentTarget.checked)}
      />
    </Cell>
  )
}
