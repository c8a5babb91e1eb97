// The search field. The list narrows while the person types. An id and Enter, as a scanner sends them, opens the
// animal, and `order 12` the order; a word and Enter opens the first match.

import { useContext, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { PetstoreClient } from '../../../client/src/petstore.ts'
import { TEXT_LENGTH_MAX } from '../../../contract/src/generated.ts'
import { type RecordId, recordIn } from '../address.ts'
import { noneIs, readById, unlessNone } from '../animal/by-id.ts'
import { parseInteger } from '../animal/fields.ts'
import { toFailure } from '../failures.ts'
import { Places } from '../links.tsx'
import { type Service, useEvents } from '../live/feed.ts'
import { useHolders } from '../orders/holders.ts'
import { useAnnounce } from '../parts/announcer.tsx'
import { useLoaded } from '../parts/loaded.ts'
import { TextField } from '../parts/text-field.tsx'
import { plain } from '../parts/visible-text.ts'
import { brief } from '../phrases.ts'
import { useScans } from '../scan.ts'
import { fetchPage, petsOf } from './list.ts'
import { firstPage, type Item, type ListPosition } from './list-position.ts'
import { ListTable, type OnAction } from './list-table.tsx'
import { moveRow } from './row-focus.ts'

export const SEARCH_ID = 'search'

/** The minimum time between two searches. The first letter is not delayed. */
const APART_MS = 250

interface SearchProps {
  client: PetstoreClient
  position: ListPosition
  /** Narrows the list. If `undefined`, the list is not on the screen, and the search reacts only to Enter. */
  goTo: ((position: ListPosition) => void) | undefined
}

export function Search({ client, position, goTo }: SearchProps) {
  const { go } = useContext(Places)
  const announce = useAnnounce()
  const { text, setText, clear } = useTypedSearch(position, goTo)
  const [problem, setProblem] = useState('')
  const enters = useRef(0)

  /** Opens the record that the search finds, unless it is not `isWanted` any more. */
  async function open(wanted: string, isWanted: () => boolean): Promise<void> {
    const number = ++enters.current
    const found = await find(client, position, wanted).catch((error) => toFailure(error).message)
    if (number !== enters.current || !isWanted()) return
    if (typeof found === 'object') {
      if (found.exact) clear()
      return go(found.record)
    }
    const record = recordIn(wanted)
    const message = found ?? (record ? noneIs(record) : `Nothing was found for “${brief(wanted)}”.`)
    setProblem(message)
    if (!found) announce(message)
  }

  /** Reads the field itself, because the state can lack the last keystroke. */
  function enter(input: HTMLInputElement): void {
    const typed = input.value
    // The next scan replaces the selected text.
    input.select()
    if (wordsIn(typed)) void open(wordsIn(typed), () => input.isConnected && input.value === typed)
  }

  useScans(true, ({ record: { kind, id }, remove }) => {
    remove()
    const input = document.getElementById(SEARCH_ID)
    void open(kind === 'order' ? `order ${id}` : String(id), () => input?.isConnected === true)
  })

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
          // Enter and the arrows also choose and confirm words of an input method.
          if (event.isComposing) return
          if (event.key === 'Enter') enter(event.currentTarget)
          else if (event.key === 'ArrowDown') moveRow(1)
          else if (event.key === 'Escape') setText('')
          else return
          event.preventDefault()
        }}
      />
    </search>
  )
}

/** The text of the field. The list follows it, at most every 250 ms. */
function useTypedSearch(position: ListPosition, goTo: SearchProps['goTo']) {
  const [text, setText] = useState(position.search)
  /** The last search from this field. If the address has a different one, it came from elsewhere, such as Back. */
  const asked = useRef(position.search)
  const askedAt = useRef(Number.NEGATIVE_INFINITY)
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

  function clear(): void {
    setText('')
    asked.current = ''
    if (position.search) goTo?.({ ...firstPage(position), search: '' })
  }
  return { text, setText, clear }
}

/**
 * A number is an animal's id in every view, and codes have addresses. Words are first searched for with the filters of
 * the list.
 */
export async function find(
  client: PetstoreClient,
  position: ListPosition,
  wanted: string,
): Promise<{ record: RecordId; exact: boolean } | undefined> {
  const record = recordIn(wanted)
  if (record) return (await readById(client, record)) && { record, exact: true }
  const kind = kindOf(position)
  for (const filters of [position, { ...position, status: undefined, categoryId: undefined }]) {
    const page = await fetchPage(client, firstPage({ ...filters, ids: '', search: wanted }), {}).catch(unlessNone)
    const first = page?.items[0]
    if (first) return { record: { kind, id: first.id }, exact: false }
  }
  return undefined
}

/** The animal or order whose id is the search text. */
export function useIdMatch(service: Service, position: ListPosition): Item | undefined {
  const { client, feed, records } = service
  const id = parseInteger(position.search)
  const kind = kindOf(position)
  const { value, refresh } = useLoaded(
    async () =>
      id === undefined
        ? undefined
        : records.read(readById(client, { kind, id }), (found) => found && records.keep([found])),
    [id, kind],
  )
  useEvents(feed, () => id !== undefined && refresh())
  const found = value?.id === id && value && 'petId' in value === (kind === 'order') ? value : undefined
  const item = found && records.current(found)
  useHolders(service, petsOf(item ? [item] : []))
  return item
}

interface IdMatchProps extends Pick<Service, 'records'> {
  position: ListPosition
  item: Item
  onAction: OnAction | undefined
}

/** Shows an animal or order above the list. */
export function IdMatch({ records, position, item, onAction }: IdMatchProps) {
  return (
    <section class="list found" aria-label={plain('petId' in item ? item.petName : item.name)}>
      <ListTable
        shown={{ position, items: [item], next: undefined, prev: undefined }}
        label="The animal or order with this id"
        {...{ records, onAction }}
      />
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
