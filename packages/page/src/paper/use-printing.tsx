// Prints a whole list, labels or a receipt instead of the current view. The content is on the page only while it is
// printed.

import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { PetstoreClient } from '../../../client/src/petstore.ts'
import { toFailure } from '../failures.ts'
import { wholeList } from '../list/list.ts'
import { firstPage, type Item, type ListPosition, type Page } from '../list/list-position.ts'
import { ListTable } from '../list/list-table.tsx'
import { summary } from '../list/list-words.ts'
import { useDialog } from '../parts/dialog.tsx'
import { listen } from '../parts/listen.ts'
import { number } from '../phrases.ts'
import { TITLES } from '../top-bar.tsx'
import { type Codes, loadCodes, Receipt, readReceipt } from './receipt.tsx'

/** `showMessage` receives the reason if nothing is printed. */
export function usePrinting(client: PetstoreClient, showMessage: (sentence: string) => void) {
  const [content, setContent] = useState<ComponentChildren>()
  useLayoutEffect(() => {
    if (!content) return
    const end = listen(window, 'afterprint', () => setContent(undefined))
    window.print()
    return end
  }, [content])

  async function print(read: () => Promise<ComponentChildren>): Promise<void> {
    try {
      setContent(await read())
    } catch (error) {
      showMessage(`Nothing was printed. ${toFailure(error).message}`)
    }
  }

  const printList = (position: ListPosition) =>
    print(async () => {
      const whole = await readWhole(client, position)
      if (whole) return <PrintedList list={whole} />
      return void showMessage(
        `Lists of more than ${number(PRINTED_MAX)} rows are not printed. Filter or export this one.`,
      )
    })
  const printReceipt = (orderIds: readonly bigint[]) =>
    print(async () => <Receipt {...(await readReceipt(client, orderIds))} />)
  const labels = useDialog<Pick<Codes, 'LabelDialog'> & { ids: readonly bigint[] }>()
  const printLabels = (ids: readonly bigint[]) =>
    print(async () => {
      const { LabelDialog } = await loadCodes()
      return void labels.start({ LabelDialog, ids })
    })
  const printed = [
    content && <div class="sheet">{content}</div>,
    labels.task && (
      <labels.task.LabelDialog key={labels.number} {...{ client, ...labels, ...labels.task }} print={setContent} />
    ),
  ]
  return { printed, printList, printReceipt, printLabels }
}

/** More than a hundred sheets of paper. */
const PRINTED_MAX = 5_000

/** Resolves with `undefined` if the list is too long. Rejects with the client's errors. */
async function readWhole(client: PetstoreClient, position: ListPosition): Promise<Page | undefined> {
  const items: Item[] = []
  for await (const item of wholeList(client, position, {})) {
    if (items.push(item) > PRINTED_MAX) return undefined
  }
  return { position: firstPage(position), items, next: undefined, prev: undefined }
}

function PrintedList({ list }: { list: Page }) {
  return (
    <div class={`printed-${list.position.view}`}>
      <h1>{TITLES[list.position.view]}</h1>
      <p class="print-title" data-text={summary(list.position, number(list.items.length))} />
      <ListTable shown={list} label={TITLES[list.position.view]} />
    </div>
  )
}
