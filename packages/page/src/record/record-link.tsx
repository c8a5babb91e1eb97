// A link to the page of an animal or of an order.

import type { ComponentChildren } from 'preact'
import { type RecordId, useRecordLink } from './record-address.ts'

interface RecordLinkProps extends RecordId {
  /** Looks like the text around it until it is pointed at. */
  plain?: boolean
  children: ComponentChildren
}

export function RecordLink({ kind, id, plain, children }: RecordLinkProps) {
  return (
    <a class={plain ? 'row-link' : undefined} {...useRecordLink({ kind, id })}>
      {children}
    </a>
  )
}

export function OrderLink({ id }: { id: bigint }) {
  return (
    <RecordLink kind="order" id={id}>
      Order {String(id)}
    </RecordLink>
  )
}
