// The bar for selected rows: their number, the actions, and the result. Rows that were not done stay selected.

import { useState } from 'preact/hooks'
import type { PetstoreClient } from '../../../client/src/petstore.ts'
import { COLUMNS, exportRows } from '../files/export.ts'
import type { Item, ListPosition } from '../list/list-position.ts'
import type { Records } from '../live/records.ts'
import { ACTION_LABELS, type Subject, subjectOf } from '../orders/actions.ts'
import type { GroupAction } from '../orders/group.ts'
import { useBusy } from '../parts/busy.ts'
import { Button } from '../parts/button.tsx'
import { FormDialog } from '../parts/dialog.tsx'
import { Notice } from '../parts/notice.tsx'
import { number } from '../phrases.ts'
import { ACT_LABELS, type Act, actOnEach, type Outcome } from './bulk-actions.ts'
import type { Selection } from './use-selection.ts'

interface SelectionBarProps {
  client: PetstoreClient
  view: ListPosition['view']
  selection: Selection
  records: Records
  readOnly: boolean
  onGroup: (action: GroupAction, subjects: readonly Subject[]) => void
  onPrint: (ids: readonly bigint[]) => void
  onEnd: () => void
  onChange: () => void
  onDone: (sentence: string) => void
}

export function SelectionBar({ client, view, selection, records, readOnly, ...on }: SelectionBarProps) {
  const items = [...selection.chosen.values()]
  const [act, setAct] = useState<Act>()
  const [message, setMessage] = useState('')
  const acts: readonly Act[] = readOnly ? [] : view === 'animals' ? ['release', 'delete'] : ['release']

  const groupActs: readonly GroupAction[] = readOnly ? [] : view === 'animals' ? ['sell', 'reserve'] : ['sell']

  function subjectIn(item: Item): Subject | [] {
    if ('petId' in item) return subjectOf(item) ?? []
    const { id, name, status } = item
    return { petId: id, name, status, order: records.holderOf(item) ?? undefined }
  }

  function finish({ done, sentence, complete }: Outcome): void {
    setAct(undefined)
    const isDone = new Set(done)
    const finished = items.filter(({ id }) => isDone.has(id))
    selection.choose(finished, false)
    setMessage(sentence)
    if (complete) on.onDone(sentence)
    else on.onChange()
  }

  async function save(): Promise<void> {
    await exportRows(items, COLUMNS[view], `${view} selected.csv`)
    on.onDone(`${number(items.length)} ${items.length === 1 ? 'row was' : 'rows were'} exported.`)
  }

  const none = items.length === 0
  return (
    <section class="selection" aria-label="Selected rows">
      {message && <Notice kind="warning" title={message} onClose={() => setMessage('')} />}
      <div class="selection-actions">
        <p role="status" translate={false}>
          {number(items.length)} selected
        </p>
        {groupActs.map((action) => (
          <Button
            text={ACTION_LABELS[action]}
            key={action}
            aria-disabled={none}
            onClick={() => !none && on.onGroup(action, items.flatMap(subjectIn))}
          />
        ))}
        {acts.map((act) => (
          <Button
            text={ACT_LABELS[act]}
            key={act}
            class={act === 'delete' ? 'danger' : undefined}
            aria-disabled={none}
            onClick={() => !none && setAct(act)}
          />
        ))}
        {view === 'animals' && (
          <Button
            text="Print labels"
            aria-disabled={none}
            onClick={() => !none && on.onPrint(items.map(({ id }) => id))}
          />
        )}
        <Button text="Export" aria-disabled={none} onClick={() => !none && save()} />
        <Button text="Done" class="quiet" onClick={on.onEnd} />
      </div>
      {act && <ActDialog {...{ client, act, items, records, finish }} onCancel={() => setAct(undefined)} />}
    </section>
  )
}

interface ActDialogProps {
  client: PetstoreClient
  act: Act
  items: readonly Item[]
  records: Records
  finish: (outcome: Outcome) => void
  onCancel: () => void
}

function ActDialog({ client, act, items, records, finish, onCancel }: ActDialogProps) {
  const [busy, once] = useBusy()
  const [tried, setTried] = useState(0)
  const [stop] = useState(() => new AbortController())
  const count = items.length === 1 ? 'this one' : `these ${number(items.length)}`

  function submit(): void {
    const isStopped = () => stop.signal.aborted
    void once(async () => finish(await actOnEach(act, { client, items, records, report: setTried, isStopped })))
  }

  function cancel(): void {
    stop.abort()
    if (!busy) onCancel()
  }

  return (
    <FormDialog
      id="selection-title"
      title={`${ACT_LABELS[act]} ${count}?`}
      open
      setOpen={(open) => !open && cancel()}
      action={ACT_LABELS[act]}
      danger={act === 'delete'}
      cancel={busy ? 'Stop' : undefined}
      {...{ submit, busy }}
    >
      {act === 'delete' ? (
        <p>This cannot be undone. Animals with orders are kept.</p>
      ) : (
        <p>Their reservations end, and they are available again.</p>
      )}
      {busy && <progress max={items.length} value={tried} aria-label="Rows" />}
    </FormDialog>
  )
}
