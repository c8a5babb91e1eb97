// All that is filtered, as one table for paper, under a head that says what was filtered.

import type { PetstoreClient } from '../../../client/src/petstore.ts'
import { wholeList } from '../list/list.ts'
import type { Item, Page } from '../list/list-page.ts'
import { firstPage, type ListPosition } from '../list/list-position.ts'
import { ListTable } from '../list/list-table.tsx'
import { summary } from '../list/pager.tsx'
import { number } from '../phrases.ts'

/** More than a hundred sheets are no list to read. */
export const PRINTED_MAX = 5_000

/** All pages of the list; `undefined` where there are more than can be printed. Rejects as a call of the client does. */
export async function readWhole(client: PetstoreClient, position: ListPosition): Promise<Page | undefined> {
  const items: Item[] = []
  for await (const item of wholeList(client, position, {})) {
    if (items.push(item) > PRINTED_MAX) return undefined
  }
  return { position: firstPage(position), items, next: undefined, prev: undefined }
}

export function PrintedList({ list }: { list: Page }) {
  return (
    <div class={`printed-${list.position.view}`}>
      <p class="print-title" data-text={summary(list.position, number(list.items.length))} />
      <ListTable shown={list} />
    </div>
  )
}
