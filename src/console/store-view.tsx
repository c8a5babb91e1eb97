// The page after signing in: the bar, the list of animals, and adding and looking up.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Pet, PetstoreClient } from '../client/petstore.ts'
import { AddDialog } from './add-dialog.tsx'
import { useAnnounce } from './announcer.tsx'
import type { Draft } from './draft.ts'
import { EmptyStore } from './empty-store.tsx'
import { Icon, Paw } from './icons.tsx'
import { JustAdded } from './just-added.tsx'
import { LookUp } from './look-up.tsx'
import { Notice } from './notice.tsx'
import { Pager } from './pager.tsx'
import { usePetList } from './pet-list.ts'
import { PetTable, PetTableLoading } from './pet-table.tsx'
import { RadioGroup } from './radio-group.tsx'
import { STATUSES } from './status.tsx'

interface StoreViewProps {
  client: PetstoreClient
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

export function StoreView({ client, keyEnd, draft, setDraft, added, setAdded, ...rest }: StoreViewProps) {
  const announce = useAnnounce()
  const pages = usePetList(client, rest.onRefused)
  const { position, shown, failure, go, reload } = pages
  const [adding, setAdding] = useState(false)
  const [readOnly, setReadOnly] = useState(false)
  const [sampling, setSampling] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => heading.current?.focus(), [])
  const list = useRef<HTMLElement>(null)
  // Another page is read from its beginning, though the button that led there is at its end.
  useLayoutEffect(() => {
    if (list.current && list.current.getBoundingClientRect().top < 0) list.current.scrollIntoView()
  }, [shown?.position])
  useRecovery(failure !== undefined, () => announce('The service answers again.'))

  const busy = !failure && shown?.position !== position
  const nothing = shown?.pets.length === 0 && shown.position.cursors.length === 1
  const emptyStore = sampling || (nothing && shown.position.status === undefined)

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
              <span class="visually-hidden">Signed in with the key that ends in </span>
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
          <Notice
            kind={failure.kind === 'unavailable' ? 'warning' : 'error'}
            title={failure.kind === 'unavailable' ? failure.message : 'The list could not be read.'}
            actions={
              <button type="button" onClick={reload}>
                Try now
              </button>
            }
          >
            {failure.kind === 'unavailable' ? 'This page keeps trying and comes back by itself.' : failure.message}
          </Notice>
        )}
        {readOnly && (
          <Notice
            kind="info"
            title="This key is read-only."
            actions={
              <button type="button" onClick={rest.onChangeKey}>
                Use another key
              </button>
            }
          >
            It can look at every animal, but not add one. What you have typed stays.
          </Notice>
        )}
        <JustAdded added={added} onClear={() => setAdded([])} />
        <div class="tools">
          <RadioGroup
            legend="Status"
            name="filter"
            options={FILTERS}
            value={position.status ?? 'all'}
            onChange={(value) => go({ ...position, status: value === 'all' ? undefined : value, cursors: [undefined] })}
          />
          <LookUp client={client} removal={rest.lookUpRemoval} onRefused={rest.onRefused} />
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
              client={client}
              addButton={addButton}
              onRefused={rest.onRefused}
              onReadOnly={() => setReadOnly(true)}
              onRunning={setSampling}
              onDone={reload}
            />
          )}
          {nothing && !emptyStore && (
            <div class="empty">
              <p>No animal is {shown.position.status}.</p>
              <button type="button" onClick={() => go({ ...position, status: undefined, cursors: [undefined] })}>
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
        client={client}
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
