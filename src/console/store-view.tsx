// The page after signing in: the bar, the list of animals or of orders, and what people do with them.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Inventory, Pet, PetstoreClient } from '../client/petstore.ts'
import { type Action, type Subject, statusAfter } from './actions.ts'
import { AddDialog } from './add-dialog.tsx'
import { useAnnounce } from './announcer.tsx'
import { Bar, TITLES } from './bar.tsx'
import { type Draft, isEmpty } from './draft.ts'
import { EmptyStore } from './empty-store.tsx'
import { Icon } from './icons.tsx'
import { JustAdded } from './just-added.tsx'
import { type Shown, useList } from './list.ts'
import { firstPage, type ListPosition, nextPage, previousPage } from './list-position.ts'
import { LIST_ID, ListView } from './list-view.tsx'
import { LookUp } from './look-up.tsx'
import { Notice } from './notice.tsx'
import { OrderDialog } from './order-dialog.tsx'
import { countOf } from './pager.tsx'
import { RadioGroup } from './radio-group.tsx'
import { ShortcutsDialog, useShortcuts } from './shortcuts.tsx'
import type { SignedIn } from './signed-in.ts'
import { ORDER_STATUSES, STATUSES } from './statuses.ts'

interface StoreViewProps {
  client: PetstoreClient
  signedIn: SignedIn
  draft: Draft
  setDraft: (draft: Draft) => void
  added: readonly Pet[]
  setAdded: (added: readonly Pet[]) => void
  lookUpRemoval: Date | undefined
  onSignOut: () => void
}

const FILTERS = { animals: [['all', 'All'], ...STATUSES], orders: [['all', 'All'], ...ORDER_STATUSES] } as const

interface Task {
  action: Action
  subject: Subject
  /** Each opening has a dialog of its own. */
  number: number
}

export function StoreView({ client, signedIn, draft, setDraft, added, setAdded, ...rest }: StoreViewProps) {
  const announce = useAnnounce()
  const { readOnly } = signedIn
  const list = useList(client)
  const { position, shown, failure, loading, reload } = list
  const [adding, setAdding] = useState(false)
  const [task, setTask] = useState<Task>()
  const [ordering, setOrdering] = useState(false)
  const [news, setNews] = useState('')
  const [sampling, setSampling] = useState(false)
  const [explaining, setExplaining] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => heading.current?.focus(), [])
  useRecovery(failure !== undefined, () => announce('The service is responding again.'))

  const { view } = position
  const noAnimals =
    shown?.position === position && countOf(shown) === 0 && position.page === 1 && position.status === undefined
  const emptyStore = view === 'animals' && (sampling || noAnimals)

  const keepFocus = useFocusKept(shown)

  function goTo(next: ListPosition): void {
    if (next.view !== view) announce(TITLES[next.view])
    else if (next.page !== position.page) announce(`Page ${next.page}`)
    setNews('')
    list.goTo(next)
  }

  function step(next: ListPosition | undefined): void {
    if (next && !loading) goTo(next)
  }

  const [shortcuts, setShortcuts] = useShortcuts({
    '/': () => document.getElementById('look-up')?.focus(),
    n: () => !readOnly && setAdding(true),
    ArrowLeft: () => step(previousPage(position)),
    ArrowRight: () => step(shown?.next === undefined ? undefined : nextPage(shown.position, shown.next)),
    '?': () => setExplaining(true),
  })

  function noteAdded(pet: Pet): void {
    setAdded([pet, ...added])
    announce(`${pet.name} was added. Its id is ${pet.id}.`)
    reload()
  }

  function start(action: Action, subject: Subject): void {
    setTask({ action, subject, number: (task?.number ?? 0) + 1 })
    setOrdering(true)
    setNews('')
  }
  const onAction = readOnly ? undefined : start

  function noteDone(sentence: string, { action, subject }: Task): void {
    keepFocus(subject.petId)
    setNews(sentence)
    announce(sentence)
    setAdded(added.map((pet) => (pet.id === subject.petId ? { ...pet, status: statusAfter(action) } : pet)))
    reload()
  }

  return (
    <>
      <a class="skip-link" href={`#${LIST_ID}`} onClick={skipToList}>
        Skip to the list
      </a>
      <Bar
        position={position}
        goTo={goTo}
        signedIn={signedIn}
        onExplain={() => setExplaining(true)}
        onSignOut={rest.onSignOut}
      />
      <main class="page">
        <div class="title-row">
          <h1 ref={heading} tabIndex={-1}>
            {TITLES[view]}
          </h1>
          {!readOnly && view === 'animals' && (
            <div class="title-actions">
              {!isEmpty(draft) && !adding && <span class="tag">Draft kept</span>}
              <button type="button" class="primary" onClick={() => setAdding(true)}>
                <Icon name="plus" />
                Add an animal
              </button>
            </div>
          )}
        </div>
        {view === 'animals' && <JustAdded added={added} onClear={() => setAdded([])} />}
        {!emptyStore && (
          <div class="tools">
            <RadioGroup
              legend="Status"
              name="filter"
              options={FILTERS[view]}
              counts={countsOf(shown?.inventory)}
              value={position.status ?? 'all'}
              onChange={(value) => goTo(firstPage({ ...position, status: value === 'all' ? undefined : value }))}
            />
            {view === 'animals' && <LookUp client={client} removal={rest.lookUpRemoval} onAction={onAction} />}
          </div>
        )}
        <ListView
          {...list}
          goTo={goTo}
          added={added}
          onAction={onAction}
          news={
            news && (
              <Notice
                kind="done"
                title={news}
                actions={
                  <button type="button" class="quiet" aria-label="Close" title="Close" onClick={() => setNews('')}>
                    <Icon name="close" />
                  </button>
                }
              />
            )
          }
          emptyStore={
            emptyStore && <EmptyStore client={client} readOnly={readOnly} onRunning={setSampling} onDone={reload} />
          }
        />
      </main>
      <AddDialog
        client={client}
        open={adding}
        setOpen={setAdding}
        draft={draft}
        setDraft={setDraft}
        onAdded={noteAdded}
      />
      {task && (
        <OrderDialog
          key={task.number}
          client={client}
          {...task}
          open={ordering}
          setOpen={setOrdering}
          onChange={reload}
          onDone={(sentence) => noteDone(sentence, task)}
        />
      )}
      <ShortcutsDialog open={explaining} setOpen={setExplaining} enabled={shortcuts} setEnabled={setShortcuts} />
    </>
  )
}

/** Without the link's own navigation, which would change the address. */
function skipToList(event: Event): void {
  event.preventDefault()
  document.getElementById(LIST_ID)?.focus()
}

function countsOf(inventory: Inventory | undefined): Record<string, bigint> | undefined {
  return inventory && { all: inventory.available + inventory.pending + inventory.sold, ...inventory }
}

/** Call the result with the animal that was acted on: its row stays in sight, and the focus in its row or at least in the list. */
function useFocusKept(shown: Shown | undefined): (petId: bigint) => void {
  const moved = useRef<bigint | undefined>(undefined)
  useLayoutEffect(() => {
    if (moved.current === undefined) return
    const row = document.querySelector(`[data-pet="${moved.current}"]`)
    moved.current = undefined
    row?.scrollIntoView({ block: 'nearest' })
    // The button that was pressed may be gone with the animal's former status.
    const button = row?.querySelector<HTMLElement>('.actions button') ?? document.getElementById(LIST_ID)
    if (document.activeElement === document.body) button?.focus({ preventScroll: true })
  }, [shown])
  return (petId) => {
    moved.current = petId
  }
}

/** Calls `recovered` when `failing` has changed from true to false. */
function useRecovery(failing: boolean, recovered: () => void): void {
  const before = useRef(false)
  useEffect(() => {
    if (before.current && !failing) recovered()
    before.current = failing
  })
}
