// All that is filtered, as one table for paper, under a head that says what was filtered.

import type { PetstoreClient } from '../../../client/src/petstore.ts'
import { fetchPage, type Shown } from '../list.ts'
import { firstPage, type ListPosition } from '../list-position.ts'
import { ListTable } from '../list-table.tsx'
import { countOf, summary } from '../pager.tsx'
import { number } from '../phrases.ts'

/** More than a hundred sheets are no list to read. */
export const PRINTED_MAX = 5_000

/** All pages of the list; `undefined` where there are more than can be printed. Rejects as a call of the client does. */
export async function readWhole(client: PetstoreClient, position: ListPosition): Promise<Shown | undefined> {
  const first = firstPage({ ...position, limit: 100 })
  const pets = []
  const orders = []
  for (let page = 1, cursor: string | undefined; pets.length + orders.length <= PRINTED_MAX; page++) {
    const { rows, next } = await fetchPage(client, { ...first, page, cursor }, {})
    if ('pets' in rows) pets.push(...rows.pets)
    else orders.push(...rows.orders)
    cursor = next
    if (cursor !== undefined) continue
    const whole = position.view === 'orders' ? { orders } : { pets }
    return { position: first, rows: whole, next: undefined, prev: undefined, inventory: undefined }
  }
  return undefined
}

export function PrintedList({ list }: { list: Shown }) {
  return (
    <div class={`printed-${list.position.view}`}>
      <p class="print-title" data-text={summary(list.position, number(countOf(list)))} />
      <ListTable
        shown={list}
        added={[]}
        holderOf={() => undefined}
        marks={new Set()}
        onAction={undefined}
        selection={undefined}
      />
    </div>
  )
}
