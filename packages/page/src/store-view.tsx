// The page after signing in: the bar, the list, record or sales, and the dialogs.

import { useLayoutEffect, useState } from 'preact/hooks'
import type { Pet, PetstoreClient } from '../../client/src/petstore.ts'
import { type RecordId, type SalesPosition, wrongIn } from './address.ts'
import { AddDialog } from './animal/add-dialog.tsx'
import { type Draft, isEmpty } from './animal/draft.ts'
import { useExport } from './files/use-export.tsx'
import { Places, RecordLink } from './links.tsx'
import { OfferedCategories } from './list/category.tsx'
import { petsOf, type ShownList } from './list/list.ts'
import { firstPageOf, nextPage, previousPage } from './list/list-position.ts'
import { Tools } from './list/list-tools.tsx'
import { ListView } from './list/list-view.tsx'
import { isNarrowed, rangeOf, summary } from './list/list-words.ts'
import { moveRow } from './list/row-focus.ts'
import { IdMatch, SEARCH_ID, Search, useIdMatch } from './list/search.tsx'
import { SkipLink, TitleRow } from './list/title-row.tsx'
import { EndingToday } from './orders/ending.tsx'
import { useDialog } from './parts/dialog.tsx'
import { loadPart, useLoaded } from './parts/loaded.ts'
import { Notice } from './parts/notice.tsx'
import { Part } from './parts/part.tsx'
import { brief } from './phrases.ts'
import { RecordView } from './record/record-view.tsx'
import { useScanner } from './scan.ts'
import type { SignedIn } from './session/tab-keys.ts'
import { useTitle } from './title.ts'
import { Bar, TITLES } from './top-bar.tsx'
import { ShortcutsDialog, useShortcuts } from './use-shortcuts.tsx'
import { type Store, useStore } from './use-store.tsx'

interface StoreViewProps {
  client: PetstoreClient
  signedIn: SignedIn
  draft: Draft
  setDraft: (draft: Draft) => void
  onSignOut: () => void
}

export function StoreView({ client, signedIn, draft, setDraft, onSignOut }: StoreViewProps) {
  const { readOnly } = signedIn
  const store = useStore(client, readOnly)
  const { position, opened, go, list, firstPages } = store
  const [adding, setAdding] = useState(false)
  const [importing, setImporting] = useState(false)
  const [explaining, setExplaining] = useState(false)
  /** Animals that this tab added, newest first. */
  const [added, setAdded] = useState<readonly Pet[]>([])
  const exported = useExport(client)
  useScanner()
  // The import is large, so it is loaded after the list.
  const { value: files } = useLoaded(() => loadPart(import('./files/import-dialog.tsx')), [])
  const dropped = useDroppedFiles(() => {
    if (readOnly) store.noteChange('This key is read-only, so nothing is imported.')
    else setImporting(true)
  })
  const [shortcuts, setShortcuts] = useListShortcuts(
    store,
    () => setAdding(true),
    () => setExplaining(true),
  )

  function onAdded(pet: Pet): void {
    setAdded([pet, ...added])
    const shows = <RecordLink kind="animal" id={pet.id} text="Show it" />
    store.noteChange(`${brief(pet.name)} was added. Its id is ${pet.id}.`, shows)
    list.reload()
  }

  function addNamed(name: string): void {
    setDraft({ ...draft, name })
    setAdding(true)
  }

  const wrong = wrongIn(location.search)
  return (
    <Places.Provider value={{ go }}>
      {!opened && <SkipLink />}
      <Bar {...{ position, firstPages, opened, signedIn }} onExplain={() => setExplaining(true)} onSignOut={onSignOut}>
        <Search
          key={opened ? 'opened' : 'list'}
          {...{ client }}
          position={opened ? firstPageOf('animals') : position}
          goTo={opened ? undefined : go}
        />
      </Bar>
      {exported.progress}
      {!readOnly && files && (
        <files.ImportDialog
          {...{ client, dropped }}
          open={importing}
          setOpen={setImporting}
          onAdded={list.refresh}
          onPrint={store.printing.printLabels}
        />
      )}
      <main class="page">
        {wrong.length > 0 && (
          <Notice
            kind="warning"
            title="This link does not work."
            text={`Not valid, so ignored: “${wrong.join('”, “')}”.`}
          />
        )}
        {opened === undefined ? (
          <ListPage
            {...{ store, exported, addNamed }}
            draftKept={!isEmpty(draft) && !adding}
            onAdd={() => setAdding(true)}
            onImport={() => setImporting(true)}
          />
        ) : opened.kind === 'sales' ? (
          <SalesPage {...{ store }} opened={opened} />
        ) : (
          <RecordPage {...{ store }} opened={opened} />
        )}
      </main>
      {store.dialogs}
      <AddDialog {...{ client, draft, setDraft, onAdded }} open={adding} setOpen={setAdding} />
      <ShortcutsDialog open={explaining} setOpen={setExplaining} enabled={shortcuts} setEnabled={setShortcuts} />
      <OfferedCategories pets={[...added, ...petsOf(list.shown?.items ?? [])]} />
    </Places.Provider>
  )
}

/** The files that were last dropped anywhere on the page. The browser would open them instead. */
function useDroppedFiles(onDrop: () => void): readonly File[] | undefined {
  const [dropped, setDropped] = useState<readonly File[]>()
  useLayoutEffect(() => {
    window.ondragover = window.ondrop = (event) => {
      const { files, types } = event.dataTransfer ?? {}
      if (!types?.includes('Files')) return
      event.preventDefault()
      if (event.type !== 'drop' || !files) return
      setDropped([...files])
      onDrop()
    }
    return () => {
      window.ondragover = window.ondrop = null
    }
  })
  return dropped
}

interface ListPageProps {
  store: Store
  exported: ReturnType<typeof useExport>
  draftKept: boolean
  onAdd: () => void
  onImport: () => void
  addNamed: (name: string) => void
}

function ListPage({ store, exported, draftKept, onAdd, onImport, addNamed }: ListPageProps) {
  const { service, position, go, list, selecting, readOnly, onAction, printing, message, noteChange } = store
  const { client, records } = service
  const { shown, reload } = list
  const { selection } = selecting
  const [sampling, setSampling] = useState(false)
  const categories = useDialog<true>()
  const match = useIdMatch(service, position)
  useTitle(TITLES[position.view])
  const isAnimals = position.view === 'animals'
  const emptyStore = isAnimals && (sampling || hasNoAnimals(list)) && (
    <Part
      load={() => import('./list/empty-store.tsx')}
      show={({ EmptyStore }) => (
        <EmptyStore {...{ client, readOnly, onAdd, onImport }} onRunning={setSampling} onDone={reload} />
      )}
    />
  )
  const selectionBar = selection && (
    <Part
      load={() => import('./selection/selection-bar.tsx')}
      show={({ SelectionBar }) => (
        <SelectionBar
          {...{ client, selection, readOnly, records }}
          view={position.view}
          onGroup={store.actOnGroup}
          onPrint={printing.printLabels}
          onEnd={selecting.end}
          onChange={reload}
          onDone={(sentence) => {
            selecting.end()
            noteChange(sentence)
            reload()
          }}
        />
      )}
    />
  )
  return (
    <>
      <TitleRow
        {...{ draftKept, onImport }}
        title={TITLES[position.view]}
        onAdd={isAnimals && !readOnly ? onAdd : undefined}
        onSelect={emptyStore ? undefined : selection ? selecting.end : selecting.begin}
        selecting={selection !== undefined}
        exporting={exported.exporting}
        onExport={emptyStore ? undefined : () => exported.start(position, shown)}
        onPrint={() => printing.printList(position)}
      />
      <p class="print-title" data-text={shown && summary(shown.position, rangeOf(shown))} />
      {!emptyStore && (
        <Tools {...{ position, shown }} goTo={go} onCategories={readOnly ? undefined : () => categories.start(true)} />
      )}
      {categories.task && (
        <Part
          key={categories.number}
          load={() => import('./list/categories-dialog.tsx')}
          show={({ CategoriesDialog }) => (
            <CategoriesDialog open={categories.open} setOpen={categories.setOpen} onDone={noteChange} />
          )}
        />
      )}
      {match && <IdMatch {...{ records, position, onAction }} item={match} />}
      {!isAnimals && <EndingToday {...{ ...service, onAction }} />}
      <ListView
        {...{ ...list, records, onAction, emptyStore, selection }}
        goTo={go}
        isFound={match !== undefined}
        onAdd={readOnly ? undefined : addNamed}
        news={[message, selectionBar]}
      />
    </>
  )
}

function RecordPage({ store, opened }: { store: Store; opened: RecordId }) {
  const { service, onAction, changes, message, noteChange, noteUndoable, goBack, list, printing } = store
  return (
    <RecordView
      {...{ ...service, onAction, changes }}
      record={opened}
      news={message}
      onCorrected={noteUndoable}
      onPrintLabel={(id) => printing.printLabels([id])}
      onDeleted={(sentence) => {
        goBack('animals')
        noteChange(sentence)
        list.reload()
      }}
      onBack={() => goBack(opened.kind === 'order' ? 'orders' : 'animals')}
    />
  )
}

function SalesPage({ store, opened }: { store: Store; opened: SalesPosition }) {
  useTitle('Sales')
  return (
    <>
      {store.message}
      <Part
        load={() => import('./sales/sales-view.tsx')}
        show={({ SalesView }) => <SalesView {...store.service} position={opened} />}
      />
    </>
  )
}

function useListShortcuts({ readOnly, opened, list, selecting, go }: Store, add: () => void, explain: () => void) {
  const { shown } = list
  const step = (next: typeof list.position | undefined) => next && !list.loading && !opened && go(next)
  return useShortcuts({
    search: focusBox,
    scan: focusBox,
    add: () => readOnly || add(),
    nextRow: () => moveRow(1),
    previousRow: () => moveRow(-1),
    open: undefined,
    choose: () => opened || selecting.toggleFocused(),
    previousPage: () => step(shown && previousPage(shown.position, shown.prev)),
    nextPage: () => step(shown && nextPage(shown.position, shown.next)),
    close: selecting.selection && selecting.end,
    explain,
  })
}

function focusBox(): void {
  const box = document.getElementById(SEARCH_ID) as HTMLInputElement | null
  box?.focus()
  box?.select()
}

/** True if the list is empty without any filter. */
function hasNoAnimals({ position, shown }: ShownList): boolean {
  const whole = position.page === 1 && position.status === undefined && !isNarrowed(position)
  return whole && shown?.position === position && shown.items.length === 0
}
