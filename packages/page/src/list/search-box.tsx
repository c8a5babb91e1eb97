// The search: a name, the beginning of one, several words, or an id. The list narrows as one types; whoever has the id itself is shown above.

import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Order, Pet, PetstoreClient } from '../../../client/src/petstore.ts'
import { readById } from '../animal/by-id.ts'
import { Details } from '../animal/field-value.tsx'
import { parseInteger } from '../animal/fields.ts'
import { Status } from '../animal/status.tsx'
import { RecordLink } from '../links.tsx'
import { subjectOf } from '../orders/actions.ts'
import { CopyId } from '../parts/copy-id.tsx'
import { Icon } from '../parts/icons.tsx'
import { useLoaded } from '../parts/loaded.ts'
import { Name } from '../parts/name.tsx'
import { terms } from '../phrases.ts'
import { FindField } from './find-field.tsx'
import type { List } from './list.ts'
import { firstPage } from './list-position.ts'
import { Actions, type OnAction } from './list-table.tsx'

/** At least so far apart, which is four a second: the first letter is searched for at once. */
const APART_MS = 250

interface SearchBoxProps extends Pick<List, 'position' | 'goTo'> {
  client: PetstoreClient
  onAction: OnAction | undefined
}

export function SearchBox({ client, position, goTo, onAction }: SearchBoxProps) {
  const [text, setText] = useState(position.search)
  /** The search that was asked for last: another one in the address came from elsewhere, such as Back. */
  const asked = useRef(position.search)
  const askedAt = useRef(Number.NEGATIVE_INFINITY)
  // Before anybody can type: an effect would run later, and take away what was typed meanwhile.
  useLayoutEffect(() => {
    if (position.search === asked.current) return
    asked.current = position.search
    setText(position.search)
  }, [position.search])
  // A layout effect ends with the box; another one ends a frame later, and would close the record that Enter has just opened.
  useLayoutEffect(() => {
    const search = text.trim()
    if (search === asked.current) return
    const ask = () => {
      asked.current = search
      askedAt.current = performance.now()
      goTo({ ...firstPage(position), ids: '', search })
    }
    const timer = setTimeout(ask, askedAt.current + APART_MS - performance.now())
    return () => clearTimeout(timer)
  }, [text, position])
  const kind = position.view === 'orders' ? 'order' : 'animal'
  const id = parseInteger(position.search)
  const { value } = useLoaded(async () => (id === undefined ? undefined : readById(client, { kind, id })), [id])
  /** What has exactly this id, if the search is one. */
  const found = value?.id === id ? value : undefined

  return (
    <search>
      <FindField
        {...{ client, position, text, setText }}
        onExact={() => {
          asked.current = ''
          if (position.search) goTo({ ...firstPage(position), search: '' })
        }}
        beside={
          text !== '' && (
            <button type="button" class="quiet" aria-label="Show the whole list" onClick={() => setText('')}>
              <Icon name="close" />
            </button>
          )
        }
      />
      {found && <Found found={found} onAction={onAction} />}
    </search>
  )
}

function Found({ found, onAction }: { found: Pet | Order; onAction: OnAction | undefined }) {
  const order = 'petId' in found ? found : undefined
  const pet = found as Pet
  const subject = order ? subjectOf(order) : { ...pet, petId: pet.id }
  return (
    <section class="found" aria-labelledby="found">
      <h2 id="found">
        <RecordLink kind={order ? 'order' : 'animal'} id={found.id} plain>
          <Name name={order?.petName ?? pet.name} />
        </RecordLink>
      </h2>
      <div class="facts">
        {order ? (
          <>
            <span class="muted">Order {String(order.id)}</span>
            <Status status={order.status} />
            <span class="muted">{terms(order)}</span>
          </>
        ) : (
          <>
            <span class="muted">
              <Details pet={pet} />
            </span>
            <Status status={pet.status} />
            <span class="muted">
              Id <CopyId id={pet.id} />
            </span>
          </>
        )}
        {onAction && subject && <Actions subject={subject} onAction={onAction} />}
      </div>
    </section>
  )
}
