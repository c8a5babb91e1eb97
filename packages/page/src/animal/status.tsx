// A status in words and colour, never in colour alone.

import type { OrderStatus, PetStatus } from '../../../client/src/petstore.ts'
import { labelOf } from './status-labels.ts'

export function Status({ status }: { status: PetStatus | OrderStatus }) {
  return (
    <span class={`status status-${status}`} translate={false}>
      {labelOf(status)}
    </span>
  )
}
