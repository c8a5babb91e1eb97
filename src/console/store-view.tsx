// The page of someone who is signed in: the bar, the animals, and what is done with them.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Pet, PetstoreClient } from '../client/petstore.ts'
import { AddDialog } from './add-dialog.tsx'
import { useAnnounce } from './announcer.tsx'
import type { Draft } from './draft.ts'
import { EmptyStore } from './empty-store.tsx'
import { Icon, Paw } from './icons.tsx'
import { JustAdded } from './just-added.tsx'
import { LookUp } from './look-up.tsx'
import { Note } from './notice.tsx'
import { Pager } from './pager.tsx'
import { usePages } from './pet-list.ts'
import { PetTable, PetTableLoading } from './pet-table.tsx'
import { Choice } from './radio-group.tsx'
import { STATUSES } from './status.tsx'

interface StoreViewProps {
  store: PetstoreClient
  /** The last characters of the key, to tell one from another. */
  keyEnd: string
  draft: Draft
  setDraft: (draft: Draft) => void
  added: readonly Pet[]
  setAdded: (added: readonly Pet[]) => void
  lookUpRemoval: Date | undefined
  onRefused: (message: string) => void
  onChangeKey: () => void
  onSignOut: () => void
}

const FILTERS = [['all', 'All'], ...STATUSES] as const

export function StoreView({ store, keyEnd, draft, setDraft, added, setAdded, ...rest }: StoreViewProps) {
  const announce = useAnnounce()
  const pages = usePages(store, rest.onRefused)
  const { place, shown, failure, go, reload } = pages
  const [adding, setAdding] = useState(false)
  const [readOnly, setReadOnly] = useState(false)
  const [sampling, setSampling] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => heading.current?.focus(), [])
  const list = useRef<HTMLElement>(null)
  // Another page is read from its beginning, though the button that led there is at its end.
  useLayoutEffect(() => {
    if (list.current && list.current.getBoundingClientRect().top < 0) list.current.scrollIntoView()
  }, [shown?.place])
  useRecovery(failure !== undefined, () => announce('The service answers again.'))

  const busy = !failure && shown?.place !== place
  const nothing = shown?.pets.length === 0 && shown.place.cursors.length === 1
  const emptyStore = sampling || (nothing && shown.place.status === undefined)

  function noteAdded(pet: Pet): void {
    setAdded([pet, ...added])
    announce(`${pet.name} was added. Its id is ${pet.id}.`)
    reload()
  }

  const addButton = (
    <button type="button" class="primary" onClick={() => setAdding(true)}>
      <Icon name="plus" />
      Add an animal
    </button>
  )

  return (
    <>
      <header class="bar">
        <div class="bar-inner">
          <div class="brand">
            <Paw />
            <span>Petstore</span>
          </div>
          <nav aria-label="Page">
            <a class="button quiet" href="/docs">
              Reference
            </a>
            <span class="key-end" title="The API key in use">
              <span class="unseen">Signed in with the key that ends in </span>
              <span class="mono">…{keyEnd}</span>
              {readOnly && <span class="tag">Read-only</span>}
            </span>
            <button type="button" class="quiet" onClick={rest.onSignOut}>
              Sign out
            </button>
          </nav>
        </div>
      </header>
      <main class="page">
        <div class="title-row">
          <h1 ref={heading} tabIndex={-1}>
            Animals
          </h1>
          {addButton}
        </div>
        {failure && (
          <Note
            kind={failure.kind === 'away' ? 'away' : 'bad'}
            title={failure.kind === 'away' ? failure.message : 'The list could not be read.'}
            actions={
              <button type="button" onClick={reload}>
                Try now
              </button>
            }
          >
            {failure.kind === 'away' ? 'This page keeps trying and comes back by itself.' : failure.message}
          </Note>
        )}
        {readOnly && (
          <Note
            kind="info"
            title="This key is read-only."
            actions={
              <button type="button" onClick={rest.onChangeKey}>
                Use another key
              </button>
            }
          >
            It can look at every animal, but not add one. What you have typed stays.
          </Note>
        )}
        <JustAdded added={added} onClear={() => setAdded([])} />
        <div class="tools">
          <Choice
            legend="Status"
            name="filter"
            options={FILTERS}
            value={place.status ?? 'all'}
            onChange={(value) => go({ ...place, status: value === 'all' ? undefined : value, cursors: [undefined] })}
          />
          <LookUp store={store} removal={rest.lookUpRemoval} onRefused={rest.onRefused} />
        </div>
        <section
          ref={list}
          aria-label="List of animals"
          aria-busy={busy}
          class={busy && shown ? 'list waiting' : 'list'}
        >
          {!shown && !failure && <PetTableLoading />}
          {emptyStore && (
            <EmptyStore
              store={store}
              addButton={addButton}
              onRefused={rest.onRefused}
              onReadOnly={() => setReadOnly(true)}
              onRunning={setSampling}
              onDone={reload}
            />
          )}
          {nothing && !emptyStore && (
            <div class="empty">
              <p>No animal is {shown.place.status}.</p>
              <button type="button" onClick={() => go({ ...place, status: undefined, cursors: [undefined] })}>
                Show all
              </button>
            </div>
          )}
          {shown && !nothing && !emptyStore && (
            <>
              <PetTable pets={shown.pets} added={added} />
              <Pager {...pages} shown={shown} busy={busy} />
            </>
          )}
        </section>
      </main>
      <AddDialog
        store={store}
        open={adding}
        setOpen={setAdding}
        draft={draft}
        setDraft={setDraft}
        readOnly={readOnly}
        onReadOnly={() => setReadOnly(true)}
        onChangeKey={rest.onChangeKey}
        onRefused={rest.onRefused}
        onAdded={noteAdded}
      />
    </>
  )
}

/** Calls when `failing` has gone from true to false. */
function useRecovery(failing: boolean, recovered: () => void): void {
  const before = useRef(false)
  useEffect(() => {
    if (before.current && !failing) recovered()
    before.current = failing
  })
}
