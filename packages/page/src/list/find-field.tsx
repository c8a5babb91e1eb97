// The box of a till: an id and Enter, as a scanner sends them, opens the animal; a word and Enter the first that is found. On a list of orders
// it opens orders.

import type { ComponentChildren } from 'preact'
import { useContext, useRef, useState } from 'preact/hooks'
import type { PetstoreClient } from '../../../client/src/petstore.ts'
import { TEXT_LENGTH_MAX } from '../../../contract/src/generated.ts'
import { readById, unlessNone } from '../animal/by-id.ts'
import { parseInteger } from '../animal/fields.ts'
import { toFailure } from '../failures.ts'
import { Places } from '../links.tsx'
import { useAnnounce } from '../parts/announcer.tsx'
import { TextField } from '../parts/text-field.tsx'
import { brief } from '../phrases.ts'
import type { RecordId } from '../record/record-address.ts'
import { fetchPage } from './list.ts'
import { firstPage, type ListPosition } from './list-position.ts'
import { moveRow } from './row-focus.ts'

export const SEARCH_ID = 'search'

interface FindFieldProps {
  client: PetstoreClient
  /** Where a word is searched for. */
  position: ListPosition
  text: string
  setText: (text: string) => void
  /** Before what has exactly the id that was entered opens. */
  onExact?: () => void
  beside?: ComponentChildren
}

export function FindField({ client, position, text, setText, onExact, beside }: FindFieldProps) {
  const { go } = useContext(Places)
  const announce = useAnnounce()
  const [problem, setProblem] = useState('')
  const last = useRef(0)

  /** The field's own value: what was typed in the same moment is not in the state yet. */
  async function enter(input: HTMLInputElement): Promise<void> {
    const wanted = input.value.trim()
    if (!wanted) return
    const number = ++last.current
    // What is scanned next takes its place.
    input.select()
    const found = await find(wanted).catch((error) => setProblem(toFailure(error).message) ?? ('failed' as const))
    // Somebody types on, or has entered something else.
    if (found === 'failed' || number !== last.current || !input.isConnected || input.value.trim() !== wanted) return
    if (!found) {
      const nothing = `Nothing was found for “${brief(wanted)}”.`
      setProblem(nothing)
      return announce(nothing)
    }
    if (found.exact) {
      setText('')
      onExact?.()
    }
    go(found.record)
  }

  async function find(wanted: string): Promise<{ record: RecordId; exact: boolean } | undefined> {
    const kind = position.view === 'orders' ? 'order' : 'animal'
    const id = parseInteger(wanted)
    if (id !== undefined) {
      if (await readById(client, { kind, id })) return { record: { kind, id }, exact: true }
    }
    const page = await fetchPage(client, firstPage({ ...position, ids: '', search: wanted }), {}).catch(unlessNone)
    const first = page?.items[0]
    return first && { record: { kind, id: first.id }, exact: false }
  }

  return (
    <TextField
      id={SEARCH_ID}
      label="Search"
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
        if (event.key === 'Enter') enter(event.currentTarget)
        else if (event.key === 'ArrowDown') moveRow(1)
        else if (event.key === 'Escape') setText('')
        else return
        event.preventDefault()
      }}
      beside={beside}
    />
  )
}

/** For the view of one animal, of one order, or of the activity: only what is entered leads on. */
export function FindBox(props: Omit<FindFieldProps, 'text' | 'setText'>) {
  const [text, setText] = useState('')
  return (
    <search>
      <FindField {...props} {...{ text, setText }} />
    </search>
  )
}
