// The page after signing in: the bar, the list of animals, and adding and looking up.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Pet, PetstoreClient } from '../client/petstore.ts'
import { AddDialog } from './add-dialog.tsx'
import { useAnnounce } from './announcer.tsx'
import type { Draft } from './draft.ts'
import { EmptyStore } from './empty-store.tsx'
import { Icon, Paw } from './icons.tsx'
import { JustAdded } from './just-added.tsx'
import { firstPage, type ListPosition, nextPage, previousPage } from './list-position.ts'
import { LIST_ID, ListView } from './list-view.tsx'
import { LookUp } from './look-up.tsx'
import { ReadOnlyNotice } from './notice.tsx'
import { usePetList } from './pet-list.ts'
import { RadioGroup } from './radio-group.tsx'
import { ShortcutsDialog, useShortcuts } from './shortcuts.tsx'
import { STATUSES } from './statuses.ts'

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
  const list = usePetList(client, rest.onRefused)
  const { position, shown, failure, reload } = list
  const [adding, setAdding] = useState(false)
  const [readOnly, setReadOnly] = useState(false)
  const [sampling, setSampling] = useState(false)
  const [explaining, setExplaining] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => heading.current?.focus(), [])
  useRecovery(failure !== undefined, () => announce('The service is responding again.'))

  const loading = !failure && shown?.position !== position
  const noAnimals =
    shown?.position === position && shown.pets.length === 0 && position.page === 1 && position.status === undefined
  const emptyStore = sampling || noAnimals

  function goTo(next: ListPosition): void {
    if (next.page !== position.page) announce(`Page ${next.page}`)
    list.goTo(next)
  }

  function step(next: ListPosition | undefined): void {
    if (next && !loading) goTo(next)
  }

  const [shortcuts, setShortcuts] = useShortcuts({
    '/': () => document.getElementById('look-up')?.focus(),
    n: () => setAdding(true),
    ArrowLeft: () => step(previousPage(position)),
    ArrowRight: () => step(shown?.next === undefined ? undefined : nextPage(shown.position, shown.next)),
    '?': () => setExplaining(true),
  })

  function noteAdded(pet: Pet): void {
    setAdded([pet, ...added])
    announce(`${pet.name} was added. Its id is ${pet.id}.`)
    reload()
  }

  return (
    <>
      <a class="skip-link" href={`#${LIST_ID}`} onClick={skipToList}>
        Skip to the list
      </a>
      <header class="bar">
        <div class="bar-inner">
          <div class="brand">
            <Paw />
            <span>Petstore</span>
          </div>
          <nav aria-label="Page">
            <button type="button" class="quiet keys-button" aria-label="Keys" onClick={() => setExplaining(true)}>
              ?
            </button>
            <a class="button quiet" href="/docs" target="_blank" rel="noopener">
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
          <button type="button" class="primary" onClick={() => setAdding(true)}>
            <Icon name="plus" />
            Add an animal
          </button>
        </div>
        {readOnly && (
          <ReadOnlyNotice kind="info" onChangeKey={rest.onChangeKey}>
            It can read every animal, but not add one. Your entries stay.
          </ReadOnlyNotice>
        )}
        <JustAdded added={added} onClear={() => setAdded([])} />
        {!emptyStore && (
          <div class="tools">
            <RadioGroup
              legend="Status"
              name="filter"
              options={FILTERS}
              value={position.status ?? 'all'}
              onChange={(value) => goTo(firstPage({ ...position, status: value === 'all' ? undefined : value }))}
            />
            <LookUp client={client} removal={rest.lookUpRemoval} onRefused={rest.onRefused} />
          </div>
        )}
        <ListView
          {...list}
          goTo={goTo}
          added={added}
          emptyStore={
            emptyStore && (
              <EmptyStore
                client={client}
                onRefused={rest.onRefused}
                onReadOnly={() => setReadOnly(true)}
                onRunning={setSampling}
                onDone={reload}
              />
            )
          }
        />
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
      <ShortcutsDialog open={explaining} setOpen={setExplaining} enabled={shortcuts} setEnabled={setShortcuts} />
    </>
  )
}

/** Without the link's own navigation, which would change the address. */
function skipToList(event: Event): void {
  event.preventDefault()
  document.getElementById(LIST_ID)?.focus()
}

/** Calls `recovered` when `failing` has changed from true to false. */
function useRecovery(failing: boolean, recovered: () => void): void {
  const before = useRef(false)
  useEffect(() => {
    if (before.current && !failing) recovered()
    before.current = failing
  })
}
