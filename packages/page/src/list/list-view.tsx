// The list as people see it: the animals or orders, why there are none, or what the page is waiting for.

import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { SEARCH_WORDS_MAX } from '../../../contract/src/limits.ts'
import { parseInteger } from '../animal/fields.ts'
import { labelOf } from '../animal/status-labels.ts'
import { names } from '../names.ts'
import { Button } from '../parts/button.tsx'
import { Notice, RetryNotice } from '../parts/notice.tsx'
import { brief } from '../phrases.ts'
import type { Selection } from '../selection/use-selection.ts'
import type { HolderOf } from './holders.ts'
import type { ShownList } from './list.ts'
import { firstPage, type ListPosition } from './list-position.ts'
import { ListTable, type OnAction } from './list-table.tsx'
import { isShort, pageName } from './list-words.ts'
import { Pager } from './pager.tsx'

interface ListViewProps extends ShownList {
  /** Shown instead of the list when the store has no animals. */
  emptyStore: ComponentChildren | undefined
  holderOf: HolderOf
  marks: ReadonlySet<bigint>
  onAction: OnAction | undefined
  /** Opens the form with a name. */
  onAdd: ((name: string) => void) | undefined
  selection: Selection | undefined
  /** What has just been done. */
  news: ComponentChildren
}

export const LIST_ID = 'list'

export function ListView({ emptyStore, holderOf, marks, onAction, onAdd, news, selection, ...list }: ListViewProps) {
  const { position, shown, failure, loading, goTo, reload } = list
  const { view, status, categoryId, ids } = position
  const section = useRef<HTMLElement>(null)
  // A new page is read from its start, but the button that led there is at the end.
  useLayoutEffect(() => {
    if (section.current && section.current.getBoundingClientRect().top < 0) section.current.scrollIntoView()
  }, [shown?.position])

  /** The rows on the screen belong to another page or another status than the reader chose. */
  const stale = shown !== undefined && shown.position !== position
  const none = shown !== undefined && shown.items.length === 0
  /** The service cannot answer this at all: the rows on the screen are those of another search. */
  const refused = failure?.code === 'invalid_parameter'
  const rows = emptyStore || none || refused || shown?.position.view !== view ? undefined : shown
  const paged = rows && !isShort(rows)
  return (
    <section
      ref={section}
      id={LIST_ID}
      tabIndex={-1}
      aria-label={`ShownList of ${view}`}
      aria-busy={loading}
      class="list"
    >
      {emptyStore}
      {!emptyStore && loading && !rows && <p class="muted loading">Loading the {view}…</p>}
      {!emptyStore && none && !stale && (
        <div class="empty">
          <p>{nothing(position)}</p>
          {position.search && parseInteger(position.search) === undefined && view === 'animals' && onAdd && (
            <Button text={`Add “${brief(position.search)}”`} class="primary" onClick={() => onAdd(position.search)} />
          )}
          {(status || categoryId !== undefined || ids || position.page !== 1) && (
            <Button
              text="Show all"
              type="button"
              onClick={() => goTo(firstPage({ ...position, status: undefined, categoryId: undefined, ids: '' }))}
            />
          )}
        </div>
      )}
      {rows && <ListTable {...{ shown: rows, deleted: list.deleted, holderOf, marks, onAction, selection }} />}
      {rows && !paged && <p class="count muted">{count(rows.items.length, view)}</p>}
      <div class="list-foot">
        {rows && <Waiting {...list} />}
        {news}
        {failure && (
          <ListFailure failure={failure} position={position} shown={shown?.position} goTo={goTo} reload={reload} />
        )}
        {paged && (
          <Pager
            shown={rows}
            loading={loading ? `loading ${describe(position)}…` : undefined}
            goTo={(next) => next && !loading && goTo(next)}
          />
        )}
      </div>
    </section>
  )
}

/** At the foot, which is in sight: no row moves when it comes or goes. */
function Waiting({ waiting, show }: Pick<ShownList, 'waiting' | 'show'>) {
  function showAll(): void {
    show()
    document.getElementById(LIST_ID)?.focus({ preventScroll: true })
  }
  return (
    <div class="waiting" role="status">
      {waiting && (
        <button type="button" class="small" onClick={showAll}>
          {waiting} · <strong>Refresh</strong>
        </button>
      )}
    </div>
  )
}

interface ListFailureProps extends Pick<ShownList, 'position' | 'goTo' | 'reload'> {
  failure: NonNullable<ShownList['failure']>
  /** Of the rows on the screen. */
  shown: ListPosition | undefined
}

function ListFailure({ failure, position, shown, goTo, reload }: ListFailureProps) {
  const badLink = failure.code === 'invalid_parameter' && position.cursor !== undefined
  if (badLink) {
    return (
      <Notice
        kind="error"
        title="This link does not work."
        text="It may be incomplete, or of another store."
        actions={<Button text="First page" onClick={() => goTo(firstPage(position))} />}
      />
    )
  }
  if (failure.code === 'invalid_parameter' && position.search) {
    return (
      <Notice
        kind="warning"
        title={`“${brief(position.search)}” cannot be searched for.`}
        text={`Type more letters of a name, at most ${SEARCH_WORDS_MAX} words, or an id.`}
      />
    )
  }
  // What was chosen cannot be had now; the rows on the screen can be kept.
  const takeBack = shown && shown !== position && (
    <button type="button" class="quiet" onClick={() => goTo(shown)}>
      Stay{' '}
      {shown.view === position.view && shown.page !== position.page ? `on ${pageName(shown).toLowerCase()}` : 'here'}
    </button>
  )
  const title = shown === position ? 'This list may be out of date.' : `Could not load ${describe(position)}.`
  return <RetryNotice {...{ failure, title, reload }} actions={takeBack} />
}

function describe(position: ListPosition): string {
  const { view, status } = position
  if (position.page !== 1) return pageName(position).toLowerCase()
  return status && view === 'animals' ? `${labelOf(status).toLowerCase()} animals` : `the ${view}`
}

function count(rows: number, view: ListPosition['view']): string {
  return rows === 1 ? `1 ${view.slice(0, -1)}` : `${rows} ${view}`
}

function nothing({ view, status, categoryId, search, page }: ListPosition): string {
  const inCategory = categoryId === undefined ? '' : ` in category ${brief(names().nameOf(categoryId))}`
  const label = status ? `${labelOf(status).toLowerCase()} ` : ''
  if (search) {
    const begins = search.includes(' ') ? 'words that begin' : 'a word that begins'
    const among = label || inCategory ? ` among the ${label}${view}${inCategory}` : ''
    return `No ${view === 'animals' ? 'name' : 'order'} has ${begins} with “${brief(search)}”${among}.`
  }
  if (page !== 1) return `No more ${view}.`
  return label || inCategory ? `No ${label}${view}${inCategory}.` : `No ${view} yet.`
}
