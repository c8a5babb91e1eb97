// The search field. The list narrows while the person types. An id and Enter, as a scanner sends them, opens the
// animal; a word and Enter opens the first match. On the list of orders it opens orders.

import { useContext, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Order, Pet, PetstoreClient } from '../../../client/src/petstore.ts'
import { TEXT_LENGTH_MAX } from '../../../contract/src/generated.ts'
import { readById, unlessNone } from '../animal/by-id.ts'
import { parseInteger } from '../animal/fields.ts'
import { toFailure } from '../failures.ts'
import { Places } from '../links.tsx'
import { type Service, useEvents } from '../live/feed.ts'
import { useAnnounce } from '../parts/announcer.tsx'
import { useLoaded } from '../parts/loaded.ts'
import { TextField } from '../parts/text-field.tsx'
import { plain } from '../parts/visible-text.ts'
import { brief } from '../phrases.ts'
import type { RecordId } from '../record/record-address.ts'
import { fetchPage, type ShownList } from './list.ts'
import { firstPage, type ListPosition } from './list-position.ts'
import { ListTable, type OnAction } from './list-table.tsx'
import { moveRow } from './row-focus.ts'

export const SEARCH_ID = 'search'

/** The minimum time between two searches. The first letter is not delayed. */
const APART_MS = 250

interface SearchProps {
  client: PetstoreClient
  position: ListPosition
  /** Narrows the list. If `undefined`, the list is not on the screen, and the search reacts only to Enter. */
  goTo: ShownList['goTo'] | undefined
}

export function Search({ client, position, goTo }: SearchProps) {
  const { go } = useContext(Places)
  const announce = useAnnounce()
  const [text, setText] = useState(position.search)
  const [problem, setProblem] = useState('')
  /** The last search from this field. If the address has a different one, it came from elsewhere, such as Back. */
  const asked = useRef(position.search)
  const askedAt = useRef(Number.NEGATIVE_INFINITY)
  const entered = useRef(0)
  // A layout effect, because a later effect would overwrite the first keystrokes.
  useLayoutEffect(() => {
    if (position.search === asked.current) return
    asked.current = position.search
    setText(position.search)
  }, [position.search])
  // A layout effect, because its cleanup runs as soon as the view changes. With a later cleanup, the timer could first
  // close the record that Enter has just opened.
  useLayoutEffect(() => {
    const search = wordsIn(text)
    if (search === asked.current || !goTo) return
    const ask = () => {
      asked.current = search
      askedAt.current = performance.now()
      goTo({ ...firstPage(position), ids: '', search })
    }
    const timer = setTimeout(ask, askedAt.current + APART_MS - performance.now())
    return () => clearTimeout(timer)
  }, [text, position])

  /** Reads the field itself, because the state can lack the last keystroke. */
  async function enter(input: HTMLInputElement): Promise<void> {
    const typed = input.value
    const wanted = wordsIn(typed)
    if (!wanted) return
    const number = ++entered.current
    // The next scan replaces the selected text.
    input.select()
    const found = await find(wanted).catch((error) => setProblem(toFailure(error).message) ?? ('failed' as const))
    if (found === 'failed' || number !== entered.current || !input.isConnected || input.value !== typed) return
    if (!found) {
      const nothing = `Nothing was found for “${brief(wanted)}”.`
      setProblem(nothing)
      return announce(nothing)
    }
    if (found.exact) {
      setText('')
      asked.current = ''
      if (position.search) goTo?.({ ...firstPage(position), search: '' })
    }
    go(found.record)
  }

  async function find(wanted: string): Promise<{ record: RecordId; exact: boolean } | undefined> {
    const kind = kindOf(position)
    const id = parseInteger(wanted)
    if (id !== undefined && (await readById(client, { kind, id }))) return { record: { kind, id }, exact: true }
    const page = await fetchPage(client, firstPage({ ...position, ids: '', search: wanted }), {}).catch(unlessNone)
    const first = page?.items[0]
    return first && { record: { kind, id: first.id }, exact: false }
  }

  return (
    <search>
      <TextField
        id={SEARCH_ID}
        label="Search"
        type="search"
        dir="auto"
        maxLength={TEXT_LENGTH_MAX}
        placeholder={position.view === 'orders' ? 'A customer, an animal or a number' : 'A name or an id'}
        value={text}
        setText={(next) => {
          setProblem('')
          setText(next)
        }}
        problem={problem}
        onKeyDown={(event) => {
          if (event.key === 'Enter') void enter(event.currentTarget)
          else if (event.key === 'ArrowDown') moveRow(1)
          else if (event.key === 'Escape') setText('')
          else return
          event.preventDefault()
        }}
      />
    </search>
  )
}

interface FoundProps extends Service {
  position: ListPosition
  onAction: OnAction | undefined
}

/** Shows, above the list, the animal or order whose id is the search text. */
export function Found({ client, feed, position, onAction }: FoundProps) {
  const id = parseInteger(position.search)
  const kind = kindOf(position)
  const { value, refresh } = useLoaded(
    async () => (id === undefined ? undefined : readById(client, { kind, id })),
    [id, kind],
  )
  useEvents(feed, () => id !== undefined && refresh())
  if (!value || value.id !== id || 'petId' in value !== (kind === 'order')) return null
  const items: readonly (Pet | Order)[] = [value]
  return (
    <section class="list found" aria-label={plain('petId' in value ? value.petName : value.name)}>
      <ListTable shown={{ position, items, next: undefined, prev: undefined }} onAction={onAction} />
    </section>
  )
}

/** Removes the prefix of an id: `#12` and `Id 12` become `12`. */
export function wordsIn(text: string): string {
  return text.trim().replace(/^(?:#|id\b)\s*(?=\d+$)/i, '')
}

function kindOf({ view }: ListPosition): RecordId['kind'] {
  return view === 'orders' ? 'order' : 'animal'
}
