// How the page shows the fields of an animal.

import type { ComponentChildren } from 'preact'
import type { OrderStatus, Pet, PetStatus } from '../../../client/src/petstore.ts'
import { CategoryLink } from '../links.tsx'
import { Name } from '../parts/name.tsx'
import { FIELD_NAMES, FIELDS, type Field } from './fields.ts'
import { labelOf } from './status-labels.ts'

const VALUES: { readonly [Of in Field]: (value: Pet[Of]) => ComponentChildren } = {
  name: (name) => <Name name={name} />,
  categoryId: (id) => <CategoryLink id={id} />,
  status: (status) => <Status status={status} />,
}

export function FieldValue<Of extends Field>({ pet, field }: { pet: Pet; field: Of }) {
  return <>{VALUES[field](pet[field])}</>
}

/** Those that have no place of their own in a row. */
const DETAILS = FIELD_NAMES.filter((field) => field !== 'name' && field !== 'status')
export const DETAIL_LABELS = DETAILS.map((field) => FIELDS[field].label).join(', ')

export function Details({ pet }: { pet: Pet }) {
  return (
    <>
      {DETAILS.map((field) => (
        <span key={field}>
          <span class="cell-label">{FIELDS[field].label} </span>
          <FieldValue {...{ pet, field }} />
        </span>
      ))}
    </>
  )
}

export function Status({ status }: { status: PetStatus | OrderStatus }) {
  return <span class={`status status-${status}`}>{labelOf(status)}</span>
}
