// The page after signing in: the bar, the current list or record, and the dialogs.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Pet, PetstoreClient } from '../../client/src/petstore.ts'
import { AddDialog } from './animal/add-dialog.tsx'
import { type Draft, isEmpty } from './animal/draft.ts'
import { ImportDialog } from './files/import-dialog.tsx'
import { useExport } from './files/use-export.tsx'
import { type Place, Places, RecordLink } from './links.tsx'
import { OfferedCategories } from './list/category.tsx'
import { EmptyStore } from './list/empty-store.tsx'
import { petsOf, useHolders } from './list/holders.ts'
import { type ShownList, useList, useStarts } from './list/list.ts'
import { firstPageOf, type ListPosition, nextPage, previousPage } from './list/list-position.ts'
import { useSpokenList } from './list/list-spoken.ts'
import { Tools } from './list/list-tools.tsx'
import { ListView } from './list/list-view.tsx'
import { isNarrowed, rangeOf, summary } from './list/list-words.ts'
import { moveRow, useFocusBack } from './list/row-focus.ts'
import { Found, SEARCH_ID, Search } from './list/search.tsx'
import { SkipLink, TitleRow } from './list/title-row.tsx'
import { useEvents, useFeed, useMarks } from './live/feed.ts'
import { useNews } from './news.tsx'
import { useActing } from './orders/acting.tsx'
import type { Action, Subject } from './orders/actions.ts'
import { EndingToday } from './orders/ending.tsx'
import { usePrinting } from './paper/use-printing.tsx'
import { Button } from './parts/button.tsx'
import { Notice } from './parts/notice.tsx'
import { brief } from './phrases.ts'
import { openedAddress, useOpened } from './record/record-address.ts'
import { RecordView } from './record/record-view.tsx'
import { SalesView } from './sales/sales-view.tsx'
import { SelectionBar } from './selection/selection-bar.tsx'
import { useSelection } from './selection/use-selection.ts'
import type { SignedIn } from './session/tab-keys.ts'
import { useTitle } from './title.ts'
import { Bar, TITLES } from './top-bar.tsx'
import { ShortcutsDialog, useShortcuts } from './use-shortcuts.tsx'
import { wrongIn } from './wrong-address.ts'

interface StoreViewProps {
  client: PetstoreClient
  signedIn: SignedIn
  draft: Draft
  setDraft: (draft: Draft) => void
  onSignOut: () => void
}

export function StoreView({ client, signedIn, draft, setDraft, onSignOut }: StoreViewProps) {
  const { readOnly } = signedIn
  const feed = useFeed(client)
  const [opened, open] = useOpened()
  const list = useList(client, feed, opened !== undefined)
  const { position, shown, reload, refresh } = list
  const starts = useStarts(position)
  const holders = useHolders(client, shown)
  const { selection, ...selecting } = useSelection(list)
  const [marks, mark] = useMarks()
  const [adding, setAdding] = useState(false)
  const [news, tell] = useNews()
  /** Animals that this tab added, newest first. */
  const [added, setAdded] = useState<readonly Pet[]>([])
  const { exporting, start: startExport, strip: exportStrip } = useExport(client)
  const { sheet, printList, printReceipt } = usePrinting(client, tell)
  const [importing, setImporting] = useState(false)
  const [sampling, setSampling] = useState(false)
  const [explaining, setExplaining] = useState(false)
  const [start, orderDialog] = useActing({ client, feed, onStart: () => tell(''), onChange: refresh, onDone })
  const onAction = readOnly ? undefined : start
  const [changes, setChanges] = useState(0)
  useTitle(opened ? (opened.kind === 'sales' ? 'Sales' : undefined) : TITLES[position.view])
  const leave = useFocusBack(opened !== undefined)
  useSpokenList(list)

  useEvents(feed, (events) => {
    for (const { petId } of events) holders.forget(petId)
    mark(events.map(({ petId }) => petId))
  })

  function go(next: Place): void {
    tell('')
    if ('kind' in next) {
      leave(openedAddress(next))
      open(next)
    } else {
      open(undefined)
      list.goTo(next)
    }
  }

  function goBack(view: ListPosition['view']): void {
    go(position.view === view ? position : starts[view])
  }

  function step(next: ListPosition | undefined): void {
    if (next && !list.loading && !opened) go(next)
  }

  const [shortcuts, setShortcuts] = useShortcuts({
    search: focusBox,
    scan: focusBox,
    add: () => !readOnly && setAdding(true),
    nextRow: () => moveRow(1),
    previousRow: () => moveRow(-1),
    open: undefined,
    choose: () => !opened && selecting.toggleFocused(),
    previousPage: () => step(shown && previousPage(shown.position, shown.prev)),
    nextPage: () => step(shown && nextPage(shown.position, shown.next)),
    close: selection && selecting.end,
    explain: () => setExplaining(true),
  })

  function onAdded(pet: Pet): void {
    setAdded([pet, ...added])
    const shows = <RecordLink kind="animal" id={pet.id} text="Show it" />
    noteChange(`${brief(pet.name)} was added. Its id is ${pet.id}.`, shows)
    reload()
  }

  function noteChange(sentence: string, action?: ComponentChildren): void {
    tell(sentence, action)
    setChanges((before) => before + 1)
    refresh()
  }

  function onDone(sentence: string, action: Action, { petId }: Subject, orderId: bigint): void {
    holders.forget(petId)
    const receipt = <Button text="Receipt" onClick={() => printReceipt(orderId)} />
    noteChange(sentence, action === 'sell' && receipt)
  }

  const animals = position.view === 'animals'
  const emptyStore = animals && (sampling || hasNoAnimals(list)) && (
    <EmptyStore client={client} readOnly={readOnly} onRunning={setSampling} onDone={reload} />
  )
  function addNamed(name: string): void {
    setDraft({ ...draft, name })
    setAdding(true)
  }
  const wrong = wrongIn(location.search)
  const wrongAddress = wrong.length > 0 && (
    <Notice kind="warning" title="This link does not work." text={`Not valid, so ignored: “${wrong.join('”, “')}”.`} />
  )
  const onAdd = animals && !readOnly ? () => setAdding(true) : undefined
  return (
    <Places.Provider value={{ go }}>
      {!opened && <SkipLink />}
      <Bar {...{ position, starts, opened, signedIn }} onExplain={() => setExplaining(true)} onSignOut={onSignOut}>
        <Search
          key={opened ? 'opened' : 'list'}
          {...{ client }}
          position={opened ? firstPageOf('animals') : position}
          goTo={opened ? undefined : go}
        />
      </Bar>
      {exportStrip}
      {!readOnly && <ImportDialog {...{ client }} open={importing} setOpen={setImporting} onAdded={refresh} />}
      {opened ? (
        <main class="page">
          {wrongAddress}
          {opened.kind === 'sales' ? (
            <SalesView {...{ client, feed }} position={opened} />
          ) : (
            <RecordView
              {...{ client, feed, onAction, changes }}
              record={opened}
              news={news}
              onCorrected={noteChange}
              onDeleted={(sentence) => {
                list.remove(opened.id)
                goBack('animals')
                noteChange(sentence)
              }}
              onBack={() => goBack(opened.kind === 'order' ? 'orders' : 'animals')}
            />
          )}
        </main>
      ) : (
        <main class="page">
          {wrongAddress}
          <TitleRow
            title={TITLES[position.view]}
            draftKept={!isEmpty(draft) && !adding}
            onAdd={onAdd}
            onImport={() => setImporting(true)}
            onSelect={emptyStore ? undefined : selection ? selecting.end : selecting.begin}
            selecting={selection !== undefined}
            exporting={exporting}
            onExport={emptyStore ? undefined : () => startExport(position, shown)}
            onPrint={() => printList(position)}
          />
          <p class="print-title" data-text={shown && summary(shown.position, rangeOf(shown))} />
          {!emptyStore && <Tools {...{ position, shown }} goTo={go} />}
          <Found {...{ client, feed, position, onAction }} />
          {position.view === 'orders' && <EndingToday {...{ client, feed, onAction }} />}
          <ListView
            {...{ ...list, onAction, emptyStore, selection }}
            goTo={go}
            holderOf={holders.holderOf}
            marks={marks}
            onAdd={readOnly ? undefined : addNamed}
            news={
              <>
                {news}
                {selection && (
                  <SelectionBar
                    {...{ client, selection, readOnly }}
                    view={position.view}
                    holderOf={holders.holderOf}
                    onEnd={selecting.end}
                    onChange={reload}
                    onDone={(sentence) => {
                      selecting.end()
                      noteChange(sentence)
                      reload()
                    }}
                  />
                )}
              </>
            }
          />
        </main>
      )}
      {sheet}
      <AddDialog {...{ client, draft, setDraft, onAdded }} open={adding} setOpen={setAdding} />
      {orderDialog}
      <ShortcutsDialog open={explaining} setOpen={setExplaining} enabled={shortcuts} setEnabled={setShortcuts} />
      <OfferedCategories pets={[...added, ...petsOf(shown?.items)]} />
    </Places.Provider>
  )
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
