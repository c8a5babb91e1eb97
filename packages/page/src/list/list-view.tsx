// The list with its pager and messages, or the reason why it is empty.

import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { SEARCH_WORDS_MAX } from '../../../contract/src/limits.ts'
import { parseInteger } from '../animal/fields.ts'
import type { Records } from '../live/records.ts'
import { Button } from '../parts/button.tsx'
import { Notice, RetryNotice } from '../parts/notice.tsx'
import { Pager } from '../parts/pager.tsx'
import { brief } from '../phrases.ts'
import type { Selection } from '../selection/use-selection.ts'
import type { ShownList } from './list.ts'
import { firstPage, type ListPosition, nextPage, previousPage } from './list-position.ts'
import { ListTable, type OnAction } from './list-table.tsx'
import { describe, emptyReason, rangeOf } from './list-words.ts'
import { LIST_ID } from './row-focus.ts'

interface ListViewProps extends ShownList {
  emptyStore: ComponentChildren | undefined
  records: Records
  goTo: (position: ListPosition) => void
  /** Another part of the page shows what the search found, so an empty list needs no reason. */
  isFound: boolean
  onAction: OnAction | undefined
  /** Opens the form that adds an animal, with this name. */
  onAdd: ((name: string) => void) | undefined
  selection: Selection | undefined
  news: ComponentChildren
}

export function ListView({
  emptyStore,
  records,
  goTo,
  isFound,
  onAction,
  onAdd,
  news,
  selection,
  ...list
}: ListViewProps) {
  const { position, shown, failure, loading, reload } = list
  const { view, status, categoryId, ids } = position
  const section = useRef<HTMLElement>(null)
  // The pager is at the bottom, so show a new page from its top.
  useLayoutEffect(() => {
    if (section.current && section.current.getBoundingClientRect().top < 0) section.current.scrollIntoView()
  }, [shown?.position])

  /** The rows on the screen belong to another page or filter than the chosen one. */
  const stale = shown !== undefined && shown.position !== position
  const none = shown !== undefined && shown.items.length === 0
  /** The service rejected the search, so the rows on the screen belong to another one. */
  const refused = failure?.code === 'invalid_parameter'
  const rows = emptyStore || none || refused || shown?.position.view !== view ? undefined : shown
  const paged = rows && (rows.prev !== undefined || rows.next !== undefined || rows.position.page !== 1)
  const step = (to: ListPosition | undefined) => to && (() => void (loading || goTo(to)))
  return (
    <section ref={section} id={LIST_ID} tabIndex={-1} aria-label={`List of ${view}`} aria-busy={loading} class="list">
      {emptyStore}
      {!emptyStore && loading && !rows && <p class="muted loading">Loading the {view}…</p>}
      {!emptyStore && none && !stale && !isFound && (
        <div class="empty">
          <p translate={false}>{emptyReason(position)}</p>
          {position.search && parseInteger(position.search) === undefined && view === 'animals' && onAdd && (
            <Button text={`Add “${brief(position.search)}”`} class="primary" onClick={() => onAdd(position.search)} />
          )}
          {(status || categoryId !== undefined || ids || position.page !== 1) && (
            <Button
              text="Show all"
              onClick={() => goTo(firstPage({ ...position, status: undefined, categoryId: undefined, ids: '' }))}
            />
          )}
        </div>
      )}
      {rows && <ListTable {...{ shown: rows, label: `List of ${view}`, records, onAction, selection }} />}
      {rows && !paged && (
        <p class="count muted" translate={false}>
          {count(rows.items.length, view)}
        </p>
      )}
      <div class="list-foot">
        {rows && <Waiting {...list} />}
        {news}
        {failure && (
          <ListFailure failure={failure} position={position} shown={shown?.position} goTo={goTo} reload={reload} />
        )}
        {paged && (
          <Pager
            label="Pages of the list"
            where={[
              <span key="rows" class="numbers">
                {rangeOf(rows)}
              </span>,
              <span key="page" class="muted">{` · page ${rows.position.page}`}</span>,
              loading && <span key="loading" class="muted loading">{` · loading ${describe(position)}…`}</span>,
            ]}
            first={step(rows.position.page === 1 ? undefined : firstPage(rows.position))}
            previous={step(previousPage(rows.position, rows.prev))}
            next={step(nextPage(rows.position, rows.next))}
          />
        )}
      </div>
    </section>
  )
}

/** The button that shows waiting changes. It is in the foot, which is always visible, so that no row moves. */
function Waiting({ waiting, show }: Pick<ShownList, 'waiting' | 'show'>) {
  function showAll(): void {
    show()
    document.getElementById(LIST_ID)?.focus({ preventScroll: true })
  }
  return (
    <div class="waiting" role="status">
      {waiting && (
        <button type="button" class="small" onClick={showAll}>
          This list has changed · <strong>Refresh</strong>
        </button>
      )}
    </div>
  )
}

interface ListFailureProps extends Pick<ListViewProps, 'position' | 'goTo' | 'reload'> {
  failure: NonNullable<ShownList['failure']>
  shown: ListPosition | undefined
}

function ListFailure({ failure, position, shown, goTo, reload }: ListFailureProps) {
  const badLink = failure.code === 'invalid_parameter' && position.cursor !== undefined
  if (badLink) {
    return (
      <Notice
        kind="error"
        title="This link does not work."
        text="It may be incomplete or belong to another store."
        actions={<Button text="First page" onClick={() => goTo(firstPage(position))} />}
      />
    )
  }
  if (failure.code === 'invalid_parameter' && position.search) {
    return (
      <Notice
        kind="warning"
        title={`You cannot search for “${brief(position.search)}”.`}
        text={`Type more letters of a name, at most ${SEARCH_WORDS_MAX} words, or an id.`}
      />
    )
  }
  // The chosen page failed to load, so offer to keep the rows on the screen.
  const takeBack = shown && shown !== position && (
    <button type="button" class="quiet" onClick={() => goTo(shown)}>
      Stay {shown.view === position.view && shown.page !== position.page ? `on page ${shown.page}` : 'here'}
    </button>
  )
  const title = shown === position ? 'This list may be out of date.' : `Could not load ${describe(position)}.`
  return <RetryNotice {...{ failure, title, reload }} actions={takeBack} />
}

function count(rows: number, view: ListPosition['view']): string {
  return rows === 1 ? `1 ${view.slice(0, -1)}` : `${rows} ${view}`
}
