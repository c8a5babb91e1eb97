// The list of animals as people see it: the animals, why there are none, or what the page is waiting for.

import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Pet } from '../client/petstore.ts'
import { firstPage, type ListPosition } from './list-position.ts'
import { Notice } from './notice.tsx'
import { isShort, Pager, PageSize } from './pager.tsx'
import type { PetList } from './pet-list.ts'
import { PetTable, PetTableLoading } from './pet-table.tsx'

interface ListViewProps extends PetList {
  added: readonly Pet[]
  /** Shown instead of the list when the store has no animals. */
  emptyStore: ComponentChildren | undefined
}

export const LIST_ID = 'list'

export function ListView({ position, shown, failure, goTo, reload, added, emptyStore }: ListViewProps) {
  const section = useRef<HTMLElement>(null)
  // A new page is read from its start, but the button that led there is at the end.
  useLayoutEffect(() => {
    if (section.current && section.current.getBoundingClientRect().top < 0) section.current.scrollIntoView()
  }, [shown?.position])

  /** The rows on the screen belong to another page or another status than the reader chose. */
  const stale = shown !== undefined && shown.position !== position
  const loading = !failure && shown?.position !== position
  const none = shown?.pets.length === 0
  const rows = emptyStore || none ? undefined : shown
  const paged = rows && !isShort(rows)
  return (
    <section ref={section} id={LIST_ID} tabIndex={-1} aria-label="List of animals" aria-busy={loading} class="list">
      {emptyStore}
      {!emptyStore && loading && !rows && <PetTableLoading />}
      {!emptyStore && none && !stale && (
        <div class="empty">
          <p>{position.status ? `No animal is ${position.status}.` : 'No more animals.'}</p>
          <button type="button" onClick={() => goTo(firstPage({ ...position, status: undefined }))}>
            Show all
          </button>
        </div>
      )}
      {rows && <PetTable pets={rows.pets} added={added} />}
      {rows && !paged && (
        <p class="count muted">{rows.pets.length === 1 ? '1 animal' : `${rows.pets.length} animals`}</p>
      )}
      <div class="list-foot">
        {failure && (
          <ListFailure
            failure={failure}
            position={position}
            current={shown?.position === position}
            goTo={goTo}
            reload={reload}
          />
        )}
        {paged && (
          <Pager
            shown={rows}
            loading={loading ? `loading ${describe(position)}…` : undefined}
            goTo={(next) => next && !loading && goTo(next)}
          />
        )}
      </div>
      {paged && <PageSize position={position} goTo={goTo} />}
    </section>
  )
}

interface ListFailureProps extends Pick<PetList, 'position' | 'goTo' | 'reload'> {
  failure: NonNullable<PetList['failure']>
  /** The rows on the screen are of the chosen page, from an earlier attempt. */
  current: boolean
}

function ListFailure({ failure, position, current, goTo, reload }: ListFailureProps) {
  const badLink = failure.code === 'invalid_parameter' && position.cursor !== undefined
  return (
    <Notice
      kind={failure.kind === 'unavailable' ? 'warning' : 'error'}
      title={current ? 'This list may be out of date.' : `Could not load ${describe(position)}.`}
      actions={
        badLink ? (
          <button type="button" onClick={() => goTo(firstPage(position))}>
            First page
          </button>
        ) : (
          <button type="button" onClick={reload}>
            Try now
          </button>
        )
      }
    >
      {failure.message} {!badLink && <Countdown to={failure.retryAt} />}
    </Notice>
  )
}

/** Hidden from screen readers, which would read every second aloud. */
function Countdown({ to }: { to: number }) {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.ceil((to - now) / 1_000))
  return <span aria-hidden="true">{seconds > 0 ? `Next try in ${seconds} s.` : 'Trying…'}</span>
}

function describe({ status, page }: ListPosition): string {
  return page > 1 ? `page ${page}` : status ? `${status} animals` : 'the animals'
}
